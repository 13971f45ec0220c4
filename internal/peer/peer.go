// Package peer runs the protocol's own client, the npm package @ag-ui/client,
// under node, to compare with ours: what a stream folds to, and what that costs.
// It is for tests and benchmarks; nothing of the app imports it, and it installs
// nothing.
package peer

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// ErrMissing means that node or the npm packages are not there.
var ErrMissing = errors.New("the peer needs node and the npm packages of package.json (make assets)")

// Folded is what a stream became.
type Folded struct {
	File     string
	Messages []map[string]any
	State    any
	// Error is what the run failed with, empty when it did not. A RUN_ERROR is none.
	Error    string
	Warnings []string
}

// Fold folds each of the files, alone. FILE.request.json beside FILE.sse has the
// messages and the state to begin with. root is the directory of package.json.
func Fold(ctx context.Context, root string, files []string) ([]Folded, error) {
	cmd, err := node(ctx, root, "peer/fold.mjs")
	if err != nil {
		return nil, err
	}
	cmd.Stdin = strings.NewReader(strings.Join(files, "\n") + "\n")
	out, err := cmd.Output()
	if err != nil {
		return nil, failed(err)
	}
	folded := make([]Folded, 0, len(files))
	dec := json.NewDecoder(bytes.NewReader(out))
	for range files {
		var f Folded
		if err := dec.Decode(&f); err != nil {
			return nil, fmt.Errorf("peer: answer %d of %d: %w", len(folded)+1, len(files), err)
		}
		folded = append(folded, f)
	}
	return folded, nil
}

// Timing is what one run over a file cost.
type Timing struct {
	Events   int     // frames of the file
	Wall     float64 // milliseconds
	CPU      float64 // milliseconds of all threads of the process
	Messages int
	Error    string
}

// Timer is one node process that runs files when asked, so that its code stays
// compiled between runs. Close ends it; so does the context it was made with.
type Timer struct {
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Scanner
}

// NewTimer starts the process.
func NewTimer(ctx context.Context, root string) (*Timer, error) {
	cmd, err := node(ctx, root, "peer/time.mjs")
	if err != nil {
		return nil, err
	}
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, fmt.Errorf("peer: %w", err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, fmt.Errorf("peer: %w", err)
	}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("peer: %w", err)
	}
	return &Timer{cmd, in, bufio.NewScanner(out)}, nil
}

// Run takes one file from bytes to messages and state, once.
func (t *Timer) Run(file string) (Timing, error) {
	if _, err := fmt.Fprintln(t.in, file); err != nil {
		return Timing{}, fmt.Errorf("peer: %w", err)
	}
	if !t.out.Scan() {
		return Timing{}, fmt.Errorf("peer: no answer for %s: %w", file, errors.Join(t.out.Err(), io.ErrUnexpectedEOF))
	}
	var timing Timing
	if err := json.Unmarshal(t.out.Bytes(), &timing); err != nil {
		return Timing{}, fmt.Errorf("peer: %w", err)
	}
	if timing.Error != "" {
		return timing, fmt.Errorf("peer: %s: %s", file, timing.Error)
	}
	return timing, nil
}

// Close ends the process.
func (t *Timer) Close() error {
	_ = t.in.Close() // what it reads ends; it then exits
	return failed(t.cmd.Wait())
}

// Version is what the package calls itself, with node's version.
func Version(ctx context.Context, root string) (string, error) {
	cmd, err := node(ctx, root, "-p", `require("@ag-ui/client/package.json").version + ", node " + process.version`)
	if err != nil {
		return "", err
	}
	out, err := cmd.Output()
	return strings.TrimSpace(string(out)), failed(err)
}

func node(ctx context.Context, root string, args ...string) (*exec.Cmd, error) {
	path, err := exec.LookPath("node")
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrMissing, err)
	}
	if _, err := os.Stat(filepath.Join(root, "node_modules/@ag-ui/client/package.json")); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrMissing, err)
	}
	cmd := exec.CommandContext(ctx, path, args...)
	cmd.Dir = root
	return cmd, nil
}

func failed(err error) error {
	var exit *exec.ExitError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &exit) && len(exit.Stderr) > 0:
		return fmt.Errorf("peer: %w: %s", err, exit.Stderr)
	}
	return fmt.Errorf("peer: %w", err)
}
