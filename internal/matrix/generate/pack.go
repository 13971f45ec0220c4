package main

import (
	"archive/zip"
	"bytes"
	"io/fs"
	"os"

	"cairn/internal/matrix"
)

// pack writes the recordings into one file, which the binary embeds. Without times, the
// same recordings make the same file.
func pack() error {
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	err := fs.WalkDir(os.DirFS("."), matrix.Dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		body, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		f, err := w.CreateHeader(&zip.FileHeader{Name: name, Method: zip.Deflate})
		if err != nil {
			return err
		}
		_, err = f.Write(body)
		return err
	})
	if err != nil {
		return err
	}
	if err := w.Close(); err != nil {
		return err
	}
	return os.WriteFile(matrix.Dir+".zip", out.Bytes(), 0o644)
}
