// Package sqlite keeps threads in one SQLite file: the default store of a single
// node. One goroutine writes, gathering everything that waits into one
// transaction and one fsync; readers never wait for it. An acknowledged append
// survives a killed process and, as far as the disk honours fsync, a power cut.
// What was purged is overwritten in the file, whose room is used again; the file
// does not get smaller.
//
// It refuses to share: followers are woken in this process only, so a second
// process on the same file would go unnoticed. The caller of Open keeps other
// processes out of the data directory.
package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"sync"

	_ "modernc.org/sqlite"

	"cairn/internal/threadlog"
	"cairn/internal/threadlog/hub"
)

// readers bounds the connections that read at the same time.
const readers = 4

// Log is a threadlog.Log in one file.
type Log struct {
	path  string
	write *sql.DB // one connection, used by the writer goroutine alone
	read  *sql.DB
	// queries of read
	oneThread, threadRows *sql.Stmt
	hub                   hub.Hub
	writes                chan *request
	quit                  chan struct{} // closed by Close: take no more writes
	idle                  chan struct{} // closed by the writer goroutine as it returns
	once                  sync.Once
	err                   error // of Close
	// closeErr is the writer's, to be read after idle.
	closeErr error
}

var _ threadlog.Log = (*Log)(nil)

// Open opens or makes the log at path. A missing directory is made with mode
// 0700; the file gets 0600, and SQLite makes its side files alike. Close
// stops the writer goroutine that Open starts. A disk that is full, read-only or
// damaged is ErrFull, ErrReadOnly or ErrCorrupt; a full one lets an old file be
// opened and read. A file of a newer program is refused and left as it is.
func Open(ctx context.Context, path string) (*Log, error) {
	l := &Log{
		path:   path,
		writes: make(chan *request),
		quit:   make(chan struct{}),
		idle:   make(chan struct{}),
	}
	w, err := l.open(ctx)
	if err != nil {
		err = fmt.Errorf("threadlog: open %s: %w", path, l.cause(err))
		return nil, errors.Join(err, l.closeDBs())
	}
	go w.loop()
	return l, nil
}

func (l *Log) open(ctx context.Context) (*writer, error) {
	abs, err := makeFile(l.path)
	if err != nil {
		return nil, err
	}
	l.write, err = connect(abs, 1, "journal_mode(WAL)", "synchronous(FULL)", "wal_autocheckpoint(8000)", "secure_delete(1)")
	if err != nil {
		return nil, err
	}
	if err := migrate(ctx, l.write, schema); err != nil {
		return nil, err
	}
	l.read, err = connect(abs, readers, "query_only(1)")
	if err != nil {
		return nil, err
	}
	if err := l.prepare(ctx); err != nil {
		return nil, err
	}
	return newWriter(ctx, l)
}

// makeFile makes sure that the file exists, is private and is in its directory
// for good, and returns its absolute path.
func makeFile(path string) (string, error) {
	abs, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	dir := filepath.Dir(abs)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", err
	}
	f, err := os.OpenFile(abs, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return "", err
	}
	if err := errors.Join(private(f), f.Close()); err != nil {
		return "", err
	}
	d, err := os.Open(dir)
	if err != nil {
		return "", err
	}
	return abs, errors.Join(d.Sync(), d.Close())
}

// private takes the permissions of others away.
func private(f *os.File) error {
	if info, err := f.Stat(); err != nil || info.Mode().Perm() == 0o600 {
		return err
	}
	return f.Chmod(0o600)
}

// connect opens a pool of at most n connections, each with these pragmas.
func connect(abs string, n int, pragmas ...string) (*sql.DB, error) {
	q := url.Values{"_pragma": append([]string{"busy_timeout(10000)", "foreign_keys(1)"}, pragmas...)}
	u := url.URL{Scheme: "file", Path: filepath.ToSlash(abs), RawQuery: q.Encode()}
	db, err := sql.Open("sqlite", u.String())
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(n)
	db.SetMaxIdleConns(n)
	return db, nil
}

// Close implements threadlog.Log.
func (l *Log) Close() error {
	l.once.Do(func() {
		close(l.quit)
		<-l.idle
		l.hub.Close()
		if err := errors.Join(l.closeErr, l.closeDBs()); err != nil {
			l.err = fmt.Errorf("threadlog: close %s: %w", l.path, err)
		}
	})
	return l.err
}

// closeDBs closes the readers first, so that the writer's connection is the
// last one and folds the write-ahead log into the file.
func (l *Log) closeDBs() error {
	var errs []error
	for _, db := range []*sql.DB{l.read, l.write} {
		if db != nil {
			errs = append(errs, db.Close())
		}
	}
	return errors.Join(errs...)
}

func (l *Log) closed() bool {
	select {
	case <-l.quit:
		return true
	default:
		return false
	}
}
