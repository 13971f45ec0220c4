package sqlite

import (
	"errors"
	"path/filepath"
	"testing"
	"time"

	"cairn/internal/threadlog"
)

// TestPurgeTakesSmallSteps holds that no transaction of a purge is long, and that
// one that was interrupted is not undone but finished.
func TestPurgeTakesSmallSteps(t *testing.T) {
	ctx := t.Context()
	path := filepath.Join(t.TempDir(), "threads.db")
	written(t, path, "x", 3*batchRows)
	l := open(t, path)
	later := time.Now().Add(time.Minute)
	step := func() (gone bool, left int) {
		t.Helper()
		err := l.submit(ctx, &request{do: func(w *writer) (err error) { gone, err = w.purge(later); return err }})
		if err := errors.Join(err, l.read.QueryRow("SELECT count(*) FROM rows").Scan(&left)); err != nil {
			t.Fatal(err)
		}
		return gone, left
	}
	if err := l.Delete(ctx, "a"); err != nil {
		t.Fatal(err)
	}
	for _, want := range []int{2 * batchRows, batchRows} {
		if gone, left := step(); gone || left != want {
			t.Errorf("after a step %d rows are left, gone %v; want %d", left, gone, want)
		}
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	l = open(t, path)
	defer l.Close()
	if err := l.Restore(ctx, "o", "a"); !errors.Is(err, threadlog.ErrNotFound) {
		t.Errorf("half of a thread was restored: %v", err)
	}
	if n, err := l.Purge(ctx, later); n != 1 || err != nil {
		t.Errorf("Purge = %d, %v", n, err)
	}
	if err := l.Create(ctx, threadlog.Thread{ID: "a", Owner: "o"}); err != nil {
		t.Error(err)
	}
}
