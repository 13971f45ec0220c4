// Package logtest is the contract of threadlog.Log as a test suite. An
// implementation passes it under the race detector or it is not one.
package logtest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"cairn/internal/threadlog"
)

// New opens the log kept in dir; the same dir again is the same log, reopened
// after Close. The suite closes what it opens.
type New func(t *testing.T, dir string) threadlog.Log

// test is one promise.
type test struct {
	name string
	run  func(t *testing.T, l threadlog.Log)
}

// Run checks every promise of threadlog.Log.
func Run(t *testing.T, open New) {
	t.Run("rows", func(t *testing.T) { Rows(t, open) })
	t.Run("threads", func(t *testing.T) { Threads(t, open) })
	t.Run("records", func(t *testing.T) { Records(t, open) })
	each(t, open, []test{
		{"cancelled context", cancelled},
		{"closed log", closedLog},
	})
	t.Run("restart keeps everything", func(t *testing.T) { restart(t, open) })
}

// Rows checks the promises of threadlog.Rows.
func Rows(t *testing.T, open New) {
	each(t, open, []test{
		{"come back as they went in", roundTrip},
		{"read from and limit", readRange},
		{"read in batches of bytes", readBytes},
		{"append refuses", refusals},
		{"append is all or nothing", allOrNothing},
		{"concurrent appenders leave no gap", gapless},
		{"one winner per append", appendRace},
		{"open runs", openRuns},
		{"follow wakes", followWakes},
		{"follow coalesces", followCoalesces},
		{"follow never misses the latest", followLatest},
		{"follow ends", followEnds},
	})
}

// Threads checks the promises of threadlog.Threads.
func Threads(t *testing.T, open New) {
	each(t, open, []test{
		{"made and found", threads},
		{"owners are isolated", owners},
		{"status", status},
		{"search", search},
		{"rename", rename},
		{"watch", watch},
		{"delete and restore", remove},
		{"delete what is followed", removeFollowed},
		{"delete what is written", removeRace},
		{"purge", purge},
	})
}

// Records checks the promises of threadlog.Records.
func Records(t *testing.T, open New) {
	each(t, open, []test{
		{"compare and set", records},
		{"one winner", recordRace},
	})
}

func each(t *testing.T, open New, tests []test) {
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			l := open(t, t.TempDir())
			defer closeLog(t, l)
			tt.run(t, l)
		})
	}
}

func restart(t *testing.T, open New) {
	ctx, dir := t.Context(), t.TempDir()
	l := open(t, dir)
	create(t, l, "a", "b")
	_, err := l.Append(ctx, "a", 0, events(50)...)
	no(t, err)
	_, err = l.Append(ctx, "b", 0, threadlog.Row{Kind: threadlog.KindRun, RunID: "r"})
	no(t, err)
	rev, err := l.CompareAndSet(ctx, "k", 0, []byte("v"))
	no(t, err)
	create(t, l, "c")
	no(t, l.Delete(ctx, "c"))
	rows, thread := read(t, l, "a", 1, 0), must(l.Thread(ctx, "a"))
	closeLog(t, l)

	l = open(t, dir)
	defer closeLog(t, l)
	again := read(t, l, "a", 1, 0)
	if !slices.EqualFunc(rows, again, func(a, b threadlog.Row) bool { return fmt.Sprint(a) == fmt.Sprint(b) }) {
		t.Error("rows changed over a restart")
	}
	if got := must(l.Thread(ctx, "a")); got != thread {
		t.Errorf("thread = %+v, want %+v", got, thread)
	}
	if got := must(l.Open(ctx)); !slices.Equal(got, []string{"b"}) {
		t.Errorf("Open = %v", got)
	}
	if v, r, err := l.Get(ctx, "k"); string(v) != "v" || r != rev || err != nil {
		t.Errorf("Get = %q, %d, %v", v, r, err)
	}
	_, err = l.Thread(ctx, "c")
	is(t, err, threadlog.ErrNotFound)
	no(t, l.Restore(ctx, "o", "c"))
	if last, err := l.Append(ctx, "a", 50, events(1)...); last != 51 || err != nil {
		t.Errorf("Append = %d, %v", last, err)
	}
}

func cancelled(t *testing.T, l threadlog.Log) {
	create(t, l, "a")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, errAppend := l.Append(ctx, "a", 0, events(3)...)
	_, errSet := l.CompareAndSet(ctx, "k", 0, nil)
	_, errRead := l.Read(ctx, "a", 1, 0)
	_, errThreads := l.Threads(ctx, "o", "", 0)
	for _, err := range []error{errAppend, errSet, errRead, errThreads, l.Create(ctx, threadlog.Thread{ID: "x", Owner: "o"}),
		l.Rename(ctx, "a", "x"), l.Delete(ctx, "a"), l.Restore(ctx, "o", "a")} {
		is(t, err, context.Canceled)
	}
	if rows := read(t, l, "a", 1, 0); len(rows) != 0 {
		t.Errorf("a cancelled append left %d rows", len(rows))
	}

	// Whenever the context ends, an append reports what it did.
	var wg sync.WaitGroup
	for i := range 20 {
		id := fmt.Sprint("t", i)
		create(t, l, id)
		wg.Go(func() {
			ctx, cancel := context.WithCancel(context.Background())
			go cancel()
			_, err := l.Append(ctx, id, 0, events(3)...)
			want := 3
			if err != nil {
				is(t, err, context.Canceled)
				want = 0
			}
			if rows := read(t, l, id, 1, 0); len(rows) != want {
				t.Errorf("Append said %v and left %d rows", err, len(rows))
			}
		})
	}
	wg.Wait()
}

func closedLog(t *testing.T, l threadlog.Log) {
	create(t, l, "a")
	no(t, l.Close())
	no(t, l.Close())
	ctx := t.Context()
	_, errAppend := l.Append(ctx, "a", 0, events(1)...)
	_, errSet := l.CompareAndSet(ctx, "k", 0, nil)
	_, errRead := l.Read(ctx, "a", 1, 0)
	_, errThread := l.Thread(ctx, "a")
	_, errThreads := l.Threads(ctx, "o", "", 0)
	_, errOpen := l.Open(ctx)
	_, _, errGet := l.Get(ctx, "k")
	_, errPurge := l.Purge(ctx, time.Now())
	for i, err := range []error{errAppend, errSet, errRead, errThread, errThreads, errOpen, errGet, errPurge, l.Create(ctx, threadlog.Thread{ID: "x", Owner: "o"}),
		l.Rename(ctx, "a", "x"), l.Delete(ctx, "a"), l.Restore(ctx, "o", "a")} {
		if !errors.Is(err, threadlog.ErrClosed) {
			t.Errorf("call %d on a closed log: %v", i, err)
		}
	}
	if _, ok := <-l.Follow(ctx, "a"); ok {
		t.Error("Follow on a closed log delivers")
	}
}
