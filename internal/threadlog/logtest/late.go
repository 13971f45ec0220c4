package logtest

import (
	"context"
	"time"

	"cairn/internal/threadlog"
)

// lateness is how long wakes take.
const lateness = 5 * time.Millisecond

// Late returns the log with wakes that come after the writes have returned, as over a
// network. Code that waits for one must be right with it.
func Late(l threadlog.Log) threadlog.Log { return late{l} }

type late struct{ threadlog.Log }

func (l late) Follow(ctx context.Context, thread string) <-chan int64 {
	return delayed(ctx, l.Log.Follow(ctx, thread))
}

func (l late) Watch(ctx context.Context, owner string) <-chan struct{} {
	return delayed(ctx, l.Log.Watch(ctx, owner))
}

// delayed hands on what comes, the newest of what came meanwhile.
func delayed[T any](ctx context.Context, from <-chan T) <-chan T {
	to := make(chan T)
	go func() { // ends with from, or with ctx
		defer close(to)
		for v := range from {
			select {
			case <-time.After(lateness):
			case <-ctx.Done():
				return
			}
			for sent := false; !sent; {
				select {
				case to <- v:
					sent = true
				case newer, open := <-from:
					if !open {
						return
					}
					v = newer
				}
			}
		}
	}()
	return to
}
