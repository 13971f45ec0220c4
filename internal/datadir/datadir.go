// Package datadir makes and locks a role's folder in the data directory, so that
// two processes of one role never write to the same files. The lock is the
// operating system's: it goes with the process, however that ends, so a lock file
// left behind blocks nobody.
package datadir

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// ErrLocked means that another process of the same role uses the directory.
var ErrLocked = errors.New("in use by another process")

// Dir is a locked folder.
type Dir struct {
	Path string
	lock *os.File
}

// Open makes data/role (mode 0700) and locks it. Close releases the lock; so does
// the end of the process. An error names the directory and what can be done.
func Open(data, role string) (*Dir, error) {
	path := filepath.Join(data, role)
	if err := os.MkdirAll(path, 0o700); err != nil {
		return nil, fmt.Errorf("make the data directory %s: %w; %s", path, err, remedy)
	}
	f, err := os.OpenFile(filepath.Join(path, "lock"), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, fmt.Errorf("the data directory %s cannot be written to: %w; %s", path, err, remedy)
	}
	switch err := lock(f); {
	case errors.Is(err, ErrLocked):
		err = fmt.Errorf("the data directory %s is %w%s; stop that one or choose another directory with CAIRN_DATA", path, ErrLocked, holder(f))
		return nil, errors.Join(err, f.Close())
	case err != nil:
		err = fmt.Errorf("lock the data directory %s: %w; %s", path, err, remedy)
		return nil, errors.Join(err, f.Close())
	}
	sign(f)
	return &Dir{Path: path, lock: f}, nil
}

const remedy = "free it or choose another directory with CAIRN_DATA"

// sign leaves the number of this process for the message to a second one. It is
// not the lock: when the disk is full nobody is named, and that is all.
func sign(f *os.File) {
	if f.Truncate(0) == nil {
		_, _ = f.WriteAt(fmt.Appendf(nil, "%d\n", os.Getpid()), 0)
	}
}

// holder names the process that signed, if one did.
func holder(f *os.File) string {
	b := make([]byte, 20)
	n, _ := f.ReadAt(b, 0) // a short file ends in EOF
	if pid := strings.TrimSpace(string(b[:n])); pid != "" {
		return " (process " + pid + ")"
	}
	return ""
}

// File is a path inside the folder.
func (d *Dir) File(name string) string { return filepath.Join(d.Path, name) }

// Close releases the lock.
func (d *Dir) Close() error { return d.lock.Close() }
