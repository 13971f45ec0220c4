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

// later is after everything that happened in a test.
func later() time.Time { return time.Now().Add(time.Minute) }

func remove(t *testing.T, l threadlog.Log) {
	ctx := t.Context()
	create(t, l, "a", "b")
	_, err := l.Append(ctx, "a", 0, threadlog.Row{Kind: threadlog.KindRun, Status: "running"}, events(1)[0])
	no(t, err)
	want := must(l.Thread(ctx, "a"))
	rev, err := l.CompareAndSet(ctx, threadlog.Key("a", "lease"), 0, []byte("me"))
	no(t, err)

	no(t, l.Delete(ctx, "a"))
	_, errThread := l.Thread(ctx, "a")
	_, errAppend := l.Append(ctx, "a", 2, events(1)...)
	_, errNothing := l.Append(ctx, "a", 2)
	_, errRead := l.Read(ctx, "a", 1, 0)
	for i, err := range []error{errThread, errAppend, errNothing, errRead, l.Rename(ctx, "a", "x"), l.Delete(ctx, "a"), l.Delete(ctx, "nope")} {
		if !errors.Is(err, threadlog.ErrNotFound) {
			t.Errorf("call %d on a deleted thread: %v", i, err)
		}
	}
	if got := ids(must(l.Threads(ctx, "o", "", 0))); !slices.Equal(got, []string{"b"}) {
		t.Errorf("Threads = %v", got)
	}
	if got := must(l.Open(ctx)); len(got) != 0 {
		t.Errorf("Open = %v", got)
	}
	is(t, l.Create(ctx, threadlog.Thread{ID: "a", Owner: "o"}), threadlog.ErrExists)

	is(t, l.Restore(ctx, "other", "a"), threadlog.ErrNotFound)
	is(t, l.Restore(ctx, "o", "nope"), threadlog.ErrNotFound)
	for range 2 { // the second time there is nothing to undo
		no(t, l.Restore(ctx, "o", "a"))
		if got := must(l.Thread(ctx, "a")); got != want {
			t.Errorf("restored: %+v, want %+v", got, want)
		}
	}
	gapFree(t, read(t, l, "a", 1, 0), 2)
	if got := must(l.Open(ctx)); !slices.Equal(got, []string{"a"}) {
		t.Errorf("Open = %v", got)
	}
	if _, got, err := l.Get(ctx, threadlog.Key("a", "lease")); got != rev || err != nil {
		t.Errorf("the thread's record: revision %d, %v", got, err)
	}
	if last, err := l.Append(ctx, "a", 2, events(1)...); last != 3 || err != nil {
		t.Errorf("Append = %d, %v", last, err)
	}
}

func removeFollowed(t *testing.T, l threadlog.Log) {
	ctx := t.Context()
	create(t, l, "a", "b")
	_, err := l.Append(ctx, "a", 0, events(1)...)
	no(t, err)
	a, b := l.Follow(ctx, "a"), l.Follow(ctx, "b")
	<-a
	no(t, l.Delete(ctx, "a"))
	if got, ok := <-a; ok {
		t.Errorf("woken with %d by Delete", got)
	}
	silent(t, b)
	again := l.Follow(ctx, "a")
	silent(t, again)
	no(t, l.Restore(ctx, "o", "a"))
	if got := <-again; got != 1 {
		t.Errorf("woken with %d by Restore, want 1", got)
	}
	_, err = l.Append(ctx, "a", 1, events(1)...)
	no(t, err)
	if got := <-again; got != 2 {
		t.Errorf("woken with %d, want 2", got)
	}
}

// removeRace deletes threads while they are written: what was acknowledged came
// before, and nothing comes after.
func removeRace(t *testing.T, l threadlog.Log) {
	ctx := t.Context()
	var wg sync.WaitGroup
	for i := range 10 {
		id := fmt.Sprint("t", i)
		create(t, l, id)
		stored := make(chan int64, 1000)
		wg.Go(func() {
			defer close(stored)
			for last := int64(0); ; {
				next, err := l.Append(ctx, id, last, events(2)...)
				if err != nil {
					is(t, err, threadlog.ErrNotFound)
					return
				}
				last = next
				stored <- last
			}
		})
		wg.Go(func() {
			<-stored
			is(t, l.Delete(ctx, id), nil)
			last := int64(2)
			for n := range stored {
				last = n
			}
			is(t, l.Restore(ctx, "o", id), nil)
			if rows := read(t, l, id, 1, 0); int64(len(rows)) != last {
				t.Errorf("%s has %d rows, acknowledged were %d", id, len(rows), last)
			}
		})
	}
	wg.Wait()
}

func purge(t *testing.T, l threadlog.Log) {
	ctx := t.Context()
	create(t, l, "a", "a/b", "a0", "big", "kept")
	for id, n := range map[string]int{"a": 3, "a/b": 3, "a0": 3, "big": 3000, "kept": 3} {
		_, err := l.Append(ctx, id, 0, events(n)...)
		no(t, err)
		_, err = l.CompareAndSet(ctx, threadlog.Key(id, "lease"), 0, nil)
		no(t, err)
	}
	_, err := l.CompareAndSet(ctx, "other", 0, nil)
	no(t, err)
	no(t, l.Delete(ctx, "a"))
	no(t, l.Delete(ctx, "big"))
	if n, err := l.Purge(ctx, time.Now().Add(-time.Minute)); n != 0 || err != nil {
		t.Errorf("too early: Purge = %d, %v", n, err)
	}
	no(t, l.Restore(ctx, "o", "a"))
	gapFree(t, read(t, l, "a", 1, 0), 3)
	no(t, l.Delete(ctx, "a"))
	if n, err := l.Purge(ctx, later()); n != 2 || err != nil {
		t.Errorf("Purge = %d, %v; want 2", n, err)
	}
	if n, err := l.Purge(ctx, later()); n != 0 || err != nil {
		t.Errorf("again: Purge = %d, %v", n, err)
	}
	for _, id := range []string{"a", "big"} {
		is(t, l.Restore(ctx, "o", id), threadlog.ErrNotFound)
		_, _, err := l.Get(ctx, threadlog.Key(id, "lease"))
		is(t, err, threadlog.ErrNotFound)
	}
	for _, id := range []string{"a/b", "a0", "kept"} {
		gapFree(t, read(t, l, id, 1, 0), 3)
		_, _, err := l.Get(ctx, threadlog.Key(id, "lease"))
		no(t, err)
	}
	_, _, err = l.Get(ctx, "other")
	no(t, err)

	create(t, l, "a") // a new one that has nothing of the old one
	if got := must(l.Thread(ctx, "a")); got.LastSeq != 0 || len(read(t, l, "a", 1, 0)) != 0 {
		t.Errorf("created again: %+v", got)
	}

	gone, cancel := context.WithCancel(ctx)
	cancel()
	no(t, l.Delete(ctx, "a"))
	_, err = l.Purge(gone, later())
	is(t, err, context.Canceled)
	no(t, l.Restore(ctx, "o", "a"))
}
