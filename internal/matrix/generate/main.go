// Command generate computes the support matrix from the committed recordings and
// writes internal/matrix/matrix.json, the tables of docs/runtimes and the packed
// recordings. With
// -against DIR it writes nothing: it judges the recordings in DIR, one folder per
// runtime that was measured, and fails when one of them has another status than the
// committed matrix says.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"cairn/internal/jsontext"
	"cairn/internal/matrix"
)

func main() {
	against := flag.String("against", "", "directory of fresh recordings to hold against the committed matrix")
	flag.Parse()
	if err := run(*against); err != nil {
		fmt.Fprintln(os.Stderr, "matrix:", err)
		os.Exit(1)
	}
}

func run(against string) error {
	if against != "" {
		return compare(against)
	}
	measured, err := matrix.Measure(os.DirFS(matrix.Dir))
	if err != nil {
		return err
	}
	raw, err := jsontext.MarshalIndent(measured, "  ")
	if err != nil {
		return err
	}
	if err := os.WriteFile("internal/matrix/matrix.json", append(raw, '\n'), 0o644); err != nil {
		return err
	}
	if err := fill(); err != nil {
		return err
	}
	return pack()
}

func fill() error {
	for _, name := range matrix.Docs {
		page, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		filled, err := matrix.Fill(page, os.DirFS(matrix.Dir))
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		if err := os.WriteFile(name, filled, 0o644); err != nil {
			return err
		}
	}
	return nil
}

func compare(dir string) error {
	committed, err := matrix.Load()
	if err != nil {
		return err
	}
	differ, measured := 0, 0
	for _, was := range committed {
		if _, err := os.Stat(filepath.Join(dir, was.ID)); errors.Is(err, fs.ErrNotExist) {
			continue
		}
		now, err := matrix.MeasureOne(os.DirFS(dir), was.ID)
		if err != nil {
			return err
		}
		measured++
		lines := matrix.Differences(was, matrix.Runtime{ID: was.ID, Name: was.Name, Matrix: now})
		for _, line := range lines {
			fmt.Println("✗", line)
		}
		if len(lines) == 0 {
			fmt.Printf("✓ %s is what the committed matrix says\n", was.ID)
		}
		differ += len(lines)
	}
	switch {
	case measured == 0:
		return fmt.Errorf("%s has no recording of a runtime that the matrix knows", dir)
	case differ > 0:
		return fmt.Errorf("not what the committed matrix says; the recording is in %s", dir)
	}
	return nil
}
