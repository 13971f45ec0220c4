package runner

import (
	"context"
	"sync"

	"cairn/agui"
	"cairn/internal/threadlog"
)

const (
	// maxBatch bounds how many events one append takes, so that a burst is stored in
	// steps a reader can follow.
	maxBatch = 256
	// maxBacklog bounds the bytes of events that have been read from the agent and are
	// not stored yet; one event may exceed it alone.
	maxBacklog = 4 << 20
)

// item is an event on its way to the log, or why there are no more.
type item struct {
	row threadlog.Row
	ev  agui.Event
	err error
}

// backlog is the queue between the reader of an agent's answer and the log. It has one
// producer and one consumer.
type backlog struct {
	mu     sync.Mutex
	items  []item
	bytes  int
	closed bool
	more   chan struct{} // has one element after items were added, or at the end
	room   chan struct{} // has one element after items were taken
}

func newBacklog() *backlog {
	return &backlog{more: make(chan struct{}, 1), room: make(chan struct{}, 1)}
}

// put adds an item, once there is room for it. It reports false when ctx ends first.
func (b *backlog) put(ctx context.Context, it item) bool {
	for {
		b.mu.Lock()
		if len(b.items) == 0 || len(b.items) < maxBatch && b.bytes+len(it.row.Data) <= maxBacklog {
			b.items = append(b.items, it)
			b.bytes += len(it.row.Data)
			b.mu.Unlock()
			signal(b.more)
			return true
		}
		b.mu.Unlock()
		select {
		case <-b.room:
		case <-ctx.Done():
			return false
		}
	}
}

// end makes take return nothing once the backlog is empty.
func (b *backlog) end() {
	b.mu.Lock()
	b.closed = true
	b.mu.Unlock()
	signal(b.more)
}

// take waits for items and returns all there are, in place of into. None means that
// the producer has ended.
func (b *backlog) take(into []item) []item {
	for {
		b.mu.Lock()
		taken, closed := b.items, b.closed
		if len(taken) > 0 {
			clear(into)
			b.items, b.bytes = into[:0], 0
		}
		b.mu.Unlock()
		switch {
		case len(taken) > 0:
			signal(b.room)
			return taken
		case closed:
			return nil
		}
		<-b.more
	}
}

func signal(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}
