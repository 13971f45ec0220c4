package sqlite

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"cairn/internal/threadlog"
	"cairn/internal/threadlog/logtest"
)

func TestContract(t *testing.T) {
	logtest.Run(t, func(t *testing.T, dir string) threadlog.Log {
		return open(t, filepath.Join(dir, "new dir?%", "threads.db"))
	})
}

func open(t testing.TB, path string) *Log {
	t.Helper()
	l, err := Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func TestFilesArePrivate(t *testing.T) {
	path := filepath.Join(t.TempDir(), "data", "web", "threads.db")
	l := open(t, path)
	defer l.Close()
	if err := l.Create(t.Context(), threadlog.Thread{ID: "a", Owner: "o"}); err != nil {
		t.Fatal(err)
	}
	for file, want := range map[string]os.FileMode{filepath.Dir(path): 0o700, path: 0o600, path + "-wal": 0o600, path + "-shm": 0o600} {
		info, err := os.Stat(file)
		if err != nil {
			t.Error(err)
		} else if got := info.Mode().Perm(); got != want {
			t.Errorf("%s has mode %o, want %o", filepath.Base(file), got, want)
		}
	}
}

func TestDurabilitySettings(t *testing.T) {
	l := open(t, filepath.Join(t.TempDir(), "threads.db"))
	defer l.Close()
	writerConn(t, l, func(w *writer) {
		for pragma, want := range map[string]string{"journal_mode": "wal", "synchronous": "2", "wal_autocheckpoint": "8000", "foreign_keys": "1"} {
			var got string
			if err := w.conn.QueryRowContext(t.Context(), "PRAGMA "+pragma).Scan(&got); err != nil || got != want {
				t.Errorf("%s = %s, %v; want %s", pragma, got, err, want)
			}
		}
	})
}

func TestOpenRefuses(t *testing.T) {
	dir := t.TempDir()
	garbage := filepath.Join(dir, "garbage.db")
	if err := os.WriteFile(garbage, []byte(strings.Repeat("not a database ", 100)), 0o600); err != nil {
		t.Fatal(err)
	}
	newer := filepath.Join(dir, "newer.db")
	l := open(t, newer)
	if _, err := l.read.Exec("PRAGMA query_only = 0; PRAGMA user_version = 99"); err != nil {
		t.Fatal(err)
	}
	l.Close()
	for _, path := range []string{garbage, newer, dir, filepath.Join(garbage, "below-a-file.db")} {
		if l, err := Open(t.Context(), path); err == nil {
			l.Close()
			t.Errorf("Open(%s) succeeded", path)
		} else if !strings.Contains(err.Error(), path) {
			t.Errorf("Open(%s) = %v: does not name the file", path, err)
		}
	}
}

// writerConn runs f on the writer's connection, outside of any transaction of
// the tests' own.
func writerConn(t *testing.T, l *Log, f func(w *writer)) {
	t.Helper()
	if err := l.submit(t.Context(), &request{do: func(w *writer) error { f(w); return nil }}); err != nil {
		t.Fatal(err)
	}
}

func TestFullDisk(t *testing.T) {
	ctx := t.Context()
	l := open(t, filepath.Join(t.TempDir(), "threads.db"))
	defer l.Close()
	for i := range 10 {
		if err := l.Create(ctx, threadlog.Thread{ID: fmt.Sprint(i), Owner: "o"}); err != nil {
			t.Fatal(err)
		}
	}
	pages := func(n int) {
		writerConn(t, l, func(w *writer) {
			if _, err := w.conn.ExecContext(ctx, fmt.Sprintf("PRAGMA max_page_count = %d", n)); err != nil {
				t.Error(err)
			}
		})
	}
	pages(60)
	big := make([]threadlog.Row, 3)
	for i := range big {
		big[i] = threadlog.Row{Kind: threadlog.KindEvent, Data: []byte(`"` + strings.Repeat("x", 20_000) + `"`)}
	}
	var wg sync.WaitGroup
	stored := make([]int64, 10)
	for i := range stored {
		follow := l.Follow(ctx, fmt.Sprint(i))
		wg.Go(func() {
			for {
				last, err := l.Append(ctx, fmt.Sprint(i), stored[i], big...)
				if err == nil {
					stored[i] = last
					if woken := <-follow; woken != last {
						t.Errorf("woken with %d, want %d", woken, last)
					}
					continue
				}
				if !errors.Is(err, threadlog.ErrFull) {
					t.Errorf("Append = %v, want ErrFull", err)
				}
				return
			}
		})
	}
	wg.Wait()
	check := func() {
		t.Helper()
		for i, want := range stored {
			rows, err := l.Read(ctx, fmt.Sprint(i), 1, 0)
			if err != nil || int64(len(rows)) != want {
				t.Errorf("thread %d has %d rows, %v; acknowledged were %d", i, len(rows), err, want)
			}
		}
	}
	check()
	pages(1 << 20)
	for i := range stored {
		last, err := l.Append(ctx, fmt.Sprint(i), stored[i], big...)
		if err != nil {
			t.Errorf("with room again: %v", err)
		}
		stored[i] = last
	}
	check()
}

// TestGroupCommit holds that one bad neighbour does not spoil a shared
// transaction, and that nothing of a failed transaction stays.
func TestGroupCommit(t *testing.T) {
	ctx := t.Context()
	path := filepath.Join(t.TempDir(), "threads.db")
	l := open(t, path)
	if err := l.Create(ctx, threadlog.Thread{ID: "a", Owner: "o"}); err != nil {
		t.Fatal(err)
	}
	l.Close()
	l = &Log{path: path}
	w, err := l.open(ctx) // without its goroutine, so that the batch is ours to choose
	if err != nil {
		t.Fatal(err)
	}
	defer func() { w.close(); l.closeDBs() }()
	boom := errors.New("boom")
	appendAfter := func(expected int64, then error) *request {
		return &request{done: make(chan struct{}), do: func(w *writer) error {
			_, err := w.append("a", expected, testTime, []threadlog.Row{{Kind: threadlog.KindEvent}})
			return errors.Join(err, then)
		}}
	}
	batch := []*request{appendAfter(0, nil), appendAfter(1, boom), appendAfter(1, nil), appendAfter(1, nil), appendAfter(2, nil)}
	w.commit(batch)
	for i, want := range []error{nil, boom, nil, threadlog.ErrConflict, nil} {
		if !errors.Is(batch[i].err, want) {
			t.Errorf("request %d: %v, want %v", i, batch[i].err, want)
		}
	}
	rows, err := l.Read(ctx, "a", 1, 0)
	if err == nil && len(rows) != 3 {
		err = fmt.Errorf("%d rows, want 3", len(rows))
	}
	if err != nil {
		t.Error(err)
	}
}
