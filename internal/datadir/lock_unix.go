//go:build unix

package datadir

import (
	"errors"
	"os"
	"syscall"
)

// lock takes the lock or returns ErrLocked.
func lock(f *os.File) error {
	err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return ErrLocked
	}
	return err
}
