package logtest

import (
	"context"
	"testing"
	"time"

	"cairn/internal/threadlog"
)

func followWakes(t *testing.T, l threadlog.Log) {
	create(t, l, "a", "b")
	early := l.Follow(t.Context(), "later")
	a := l.Follow(t.Context(), "a")
	for i := range int64(3) {
		_, err := l.Append(t.Context(), "b", i, events(1)...)
		no(t, err)
		_, err = l.Append(t.Context(), "a", i, events(1)...)
		no(t, err)
		if got := <-a; got != i+1 {
			t.Errorf("woken with %d, want %d", got, i+1)
		}
	}
	if got := <-l.Follow(t.Context(), "a"); got != 3 {
		t.Errorf("a new follower begins with %d, want 3", got)
	}
	silent(t, a)
	_, err := l.Append(t.Context(), "a", 0, events(1)...)
	is(t, err, threadlog.ErrConflict)
	silent(t, a)
	silent(t, l.Follow(t.Context(), "nope"))
	create(t, l, "later")
	_, err = l.Append(t.Context(), "later", 0, events(2)...)
	no(t, err)
	if got := <-early; got != 2 {
		t.Errorf("followed before it existed: %d, want 2", got)
	}
}

func followCoalesces(t *testing.T, l threadlog.Log) {
	create(t, l, "a")
	slow := l.Follow(t.Context(), "a")
	for i := range int64(100) {
		_, err := l.Append(t.Context(), "a", i, events(1)...)
		no(t, err)
	}
	last, wakes := int64(0), 0
	for got := range slow {
		if got <= last {
			t.Errorf("%d after %d", got, last)
		}
		if last, wakes = got, wakes+1; got == 100 {
			break
		}
	}
	if last != 100 || wakes > 3 {
		t.Errorf("a slow follower ends with %d after %d wakes", last, wakes)
	}
	silent(t, slow)
}

// followLatest reads as a view does, from many followers that join at any
// moment: each must end with the last row and never see a number twice.
func followLatest(t *testing.T, l threadlog.Log) {
	create(t, l, "a")
	const rows, followers = 200, 10
	done := make(chan int64, followers)
	for range followers {
		go func() {
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			var seen int64
			for newest := range l.Follow(ctx, "a") {
				if newest <= seen {
					t.Errorf("woken with %d after %d", newest, seen)
				}
				got, err := l.Read(ctx, "a", seen+1, 0)
				if err != nil || len(got) < int(newest-seen) {
					t.Errorf("woken with %d after %d, but read %d rows, %v", newest, seen, len(got), err)
				}
				if seen = newest; seen == rows {
					break
				}
			}
			done <- seen
		}()
	}
	for i := range int64(rows) {
		_, err := l.Append(t.Context(), "a", i, events(1)...)
		no(t, err)
	}
	for range followers {
		if seen := <-done; seen != rows {
			t.Errorf("a follower ended at %d, want %d", seen, rows)
		}
	}
}

func followEnds(t *testing.T, l threadlog.Log) {
	create(t, l, "a")
	ctx, cancel := context.WithCancel(t.Context())
	ends, stays := l.Follow(ctx, "a"), l.Follow(t.Context(), "a")
	cancel()
	for range ends {
		t.Error("a number after the context ended")
	}
	if _, ok := <-l.Follow(ctx, "a"); ok {
		t.Error("Follow with an ended context delivers")
	}
	_, err := l.Append(t.Context(), "a", 0, events(1)...)
	no(t, err)
	if got := <-stays; got != 1 {
		t.Errorf("the other follower gets %d, want 1", got)
	}
	no(t, l.Close())
	if _, ok := <-stays; ok {
		t.Error("a number after Close")
	}
}

// patience bounds the wait for a wake that has to come.
const patience = 10 * time.Second

// silent checks that nothing waits in a channel. A store that wakes before its writes
// return was not going to send what it has not sent by now; of one that wakes later this
// says less.
func silent[T any](t *testing.T, ch <-chan T) {
	t.Helper()
	select {
	case got, ok := <-ch:
		t.Errorf("unexpected wake: %v, open %v", got, ok)
	default:
	}
}
