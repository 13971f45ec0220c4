package sqlite

import (
	"context"
	"sync"
)

// hub tells followers about committed appends. It starts no goroutine: an
// append pays for the wake, which never blocks.
type hub struct {
	mu     sync.Mutex
	closed bool
	subs   map[string]map[*follower]struct{}
}

// follower is one Follow call. ch holds at most the newest number not yet seen.
type follower struct {
	ch   chan int64
	last int64
	done bool
}

// follow registers a follower until ctx ends or the hub closes.
func (h *hub) follow(ctx context.Context, thread string) *follower {
	f := &follower{ch: make(chan int64, 1)}
	h.mu.Lock()
	if h.closed || ctx.Err() != nil {
		f.close()
		h.mu.Unlock()
		return f
	}
	if h.subs == nil {
		h.subs = map[string]map[*follower]struct{}{}
	}
	if h.subs[thread] == nil {
		h.subs[thread] = map[*follower]struct{}{}
	}
	h.subs[thread][f] = struct{}{}
	h.mu.Unlock()
	context.AfterFunc(ctx, func() { h.leave(thread, f) })
	return f
}

// leave closes the follower's channel and forgets it.
func (h *hub) leave(thread string, f *follower) {
	h.mu.Lock()
	defer h.mu.Unlock()
	f.close()
	delete(h.subs[thread], f)
	if len(h.subs[thread]) == 0 {
		delete(h.subs, thread)
	}
}

// publish wakes everybody who follows thread.
func (h *hub) publish(thread string, seq int64) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for f := range h.subs[thread] {
		f.offer(seq)
	}
}

// wake tells one follower, for the number found when it subscribed.
func (h *hub) wake(f *follower, seq int64) {
	h.mu.Lock()
	defer h.mu.Unlock()
	f.offer(seq)
}

func (h *hub) close() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.closed = true
	for _, fs := range h.subs {
		for f := range fs {
			f.close()
		}
	}
	h.subs = nil
}

// offer replaces the number waiting in ch; the hub's lock makes the caller the
// only sender, so the send finds room.
func (f *follower) offer(seq int64) {
	if f.done || seq <= f.last {
		return
	}
	f.last = seq
	select {
	case <-f.ch:
	default:
	}
	f.ch <- seq
}

func (f *follower) close() {
	if !f.done {
		f.done = true
		close(f.ch)
	}
}
