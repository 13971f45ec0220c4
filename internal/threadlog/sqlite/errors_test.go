package sqlite

import (
	"errors"
	"fmt"
	"io/fs"
	"syscall"
	"testing"

	"cairn/internal/threadlog"
)

func TestDiskErrors(t *testing.T) {
	for errno, want := range map[syscall.Errno]error{
		syscall.ENOSPC: threadlog.ErrFull,
		syscall.EDQUOT: threadlog.ErrFull,
		syscall.EFBIG:  threadlog.ErrFull,
		syscall.EROFS:  threadlog.ErrReadOnly,
		syscall.EACCES: threadlog.ErrReadOnly,
		syscall.EPERM:  threadlog.ErrReadOnly,
		syscall.EIO:    nil,
	} {
		path := &fs.PathError{Op: "open", Path: "threads.db", Err: errno}
		if got := diskError(fmt.Errorf("open: %w", errors.Join(nil, path))); got != want {
			t.Errorf("%v: %v, want %v", errno, got, want)
		}
	}
}
