package sqlite

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"

	sqlite3 "modernc.org/sqlite"
	sqlite3lib "modernc.org/sqlite/lib"

	"cairn/internal/threadlog"
)

// cause names the errors that callers and operators can act on.
func (l *Log) cause(err error) error {
	if sentinel := diskError(err); sentinel != nil {
		return fmt.Errorf("%w: %w", sentinel, err)
	}
	var e *sqlite3.Error
	if !errors.As(err, &e) {
		return err
	}
	switch e.Code() & 0xff {
	case sqlite3lib.SQLITE_FULL:
		return fmt.Errorf("%w: %w", threadlog.ErrFull, err)
	case sqlite3lib.SQLITE_READONLY:
		return fmt.Errorf("%w: %w", threadlog.ErrReadOnly, err)
	case sqlite3lib.SQLITE_CORRUPT, sqlite3lib.SQLITE_NOTADB:
		return fmt.Errorf("%w: %w; put a backup in its place, or move it away to begin with an empty one", threadlog.ErrCorrupt, err)
	case sqlite3lib.SQLITE_IOERR, sqlite3lib.SQLITE_CANTOPEN:
		// SQLite keeps the operating system's reason to itself: of a used up quota, a
		// disk that was remounted read-only and a directory without permission it says
		// only that something could not be written.
		if sentinel := diskError(probe(filepath.Dir(l.path))); sentinel != nil {
			return fmt.Errorf("%w: %w", sentinel, err)
		}
	}
	return err
}

// diskError is the sentinel for an error of the operating system, or nil.
func diskError(err error) error {
	switch {
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT), errors.Is(err, syscall.EFBIG):
		return threadlog.ErrFull
	case errors.Is(err, syscall.EROFS), errors.Is(err, os.ErrPermission):
		return threadlog.ErrReadOnly
	}
	return nil
}

// probe writes as much as SQLite needs to begin and returns what stood in the way.
func probe(dir string) error {
	f, err := os.CreateTemp(dir, "probe-*")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	_, err = f.Write(make([]byte, 64<<10))
	return errors.Join(err, f.Sync(), f.Close())
}
