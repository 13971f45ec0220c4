// Package hub wakes the followers of threads and the watchers of owners in one
// process, for the stores that keep their own account of what was committed. It
// starts no goroutine: the writer pays for a wake, which never blocks.
package hub

import (
	"context"
	"sync"
)

// Hub is ready to use.
type Hub struct {
	mu        sync.Mutex
	closed    bool
	followers topic[int64]
	watchers  topic[struct{}]
}

// topic holds the listeners, by thread or owner.
type topic[T any] map[string]map[*sub[T]]struct{}

// sub is one listener. ch holds at most the newest value not yet seen.
type sub[T any] struct {
	ch   chan T
	last int64
	done bool
}

// Follower is one call of Follow.
type Follower struct {
	C   <-chan int64
	sub *sub[int64]
	hub *Hub
}

// Follow registers a follower of a thread until ctx ends, the thread is dropped
// or the hub closes.
func (h *Hub) Follow(ctx context.Context, thread string) *Follower {
	s := listen(ctx, h, &h.followers, thread)
	return &Follower{C: s.ch, sub: s, hub: h}
}

// Wake wakes one follower, for the number found after it was registered.
func (f *Follower) Wake(seq int64) {
	f.hub.mu.Lock()
	defer f.hub.mu.Unlock()
	advance(f.sub, seq)
}

// Fail closes the follower's channel: nobody knows what to tell it.
func (f *Follower) Fail() {
	f.hub.mu.Lock()
	defer f.hub.mu.Unlock()
	f.sub.close()
}

// Publish wakes all followers of thread with the newest number.
func (h *Hub) Publish(thread string, seq int64) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for f := range h.followers[thread] {
		advance(f, seq)
	}
}

// Drop closes the channels of all followers of thread.
func (h *Hub) Drop(thread string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for f := range h.followers[thread] {
		f.close()
	}
	delete(h.followers, thread)
}

// Watch registers a watcher of an owner until ctx ends or the hub closes. It is
// woken at once for the first time.
func (h *Hub) Watch(ctx context.Context, owner string) <-chan struct{} {
	s := listen(ctx, h, &h.watchers, owner)
	h.mu.Lock()
	defer h.mu.Unlock()
	s.offer(struct{}{})
	return s.ch
}

// Changed wakes all watchers of owner.
func (h *Hub) Changed(owner string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for w := range h.watchers[owner] {
		w.offer(struct{}{})
	}
}

// Close closes every channel; later ones are born closed.
func (h *Hub) Close() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.closed = true
	h.followers.close()
	h.watchers.close()
}

func listen[T any](ctx context.Context, h *Hub, t *topic[T], name string) *sub[T] {
	s := &sub[T]{ch: make(chan T, 1)}
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closed || ctx.Err() != nil {
		s.close()
		return s
	}
	if *t == nil {
		*t = topic[T]{}
	}
	if (*t)[name] == nil {
		(*t)[name] = map[*sub[T]]struct{}{}
	}
	(*t)[name][s] = struct{}{}
	context.AfterFunc(ctx, func() {
		h.mu.Lock()
		defer h.mu.Unlock()
		s.close()
		delete((*t)[name], s)
		if len((*t)[name]) == 0 {
			delete(*t, name)
		}
	})
	return s
}

func (t topic[T]) close() {
	for _, subs := range t {
		for s := range subs {
			s.close()
		}
	}
	clear(t)
}

// advance offers a number that is news to the follower.
func advance(s *sub[int64], seq int64) {
	if seq > s.last {
		s.last = seq
		s.offer(seq)
	}
}

// offer replaces the value waiting in ch; the hub's lock makes the caller the
// only sender, so the send finds room.
func (s *sub[T]) offer(v T) {
	if s.done {
		return
	}
	select {
	case <-s.ch:
	default:
	}
	s.ch <- v
}

func (s *sub[T]) close() {
	if !s.done {
		s.done = true
		close(s.ch)
	}
}
