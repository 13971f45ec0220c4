// Package datadir makes and locks a role's folder in the data directory, so that
// two processes of one role never write to the same files.
package datadir

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// ErrLocked reports that another process of the same role uses the directory.
var ErrLocked = errors.New("in use by another process")

// Dir is a locked folder.
type Dir struct {
	Path string
	lock *os.File
}

// Open makes data/role (mode 0700) and locks it. Close releases the lock; so does
// the end of the process, however it comes.
func Open(data, role string) (*Dir, error) {
	path := filepath.Join(data, role)
	if err := os.MkdirAll(path, 0o700); err != nil {
		return nil, fmt.Errorf("make the data directory: %w", err)
	}
	f, err := os.OpenFile(filepath.Join(path, "lock"), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, fmt.Errorf("open the lock of the data directory: %w", err)
	}
	if err := lock(f); err != nil {
		f.Close()
		return nil, fmt.Errorf("the data directory %s is %w; stop that one or choose another directory with CAIRN_DATA", path, ErrLocked)
	}
	return &Dir{Path: path, lock: f}, nil
}

// File is a path inside the folder.
func (d *Dir) File(name string) string { return filepath.Join(d.Path, name) }

// Close releases the lock.
func (d *Dir) Close() error { return d.lock.Close() }
