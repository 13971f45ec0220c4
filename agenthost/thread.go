package agenthost

import (
	"context"
	"sync"
	"time"
)

const (
	// leaveNotice is how long a thread's new run waits to learn that the one
	// before has lost its client: a client that aborts and sends again at once is
	// often heard before its first connection is seen to be closed. Whoever is
	// refused is refused after this.
	leaveNotice = 100 * time.Millisecond
	// leaveTime is how long it waits for such a run to put away what it was doing.
	leaveTime = 2 * time.Second
)

// threads gives each thread to one run at a time.
type threads struct {
	mu      sync.Mutex
	holders map[Thread]*holder
}

// holder is the run that has a thread. over ends when it no longer has a client
// or the service stops; free is closed when the thread is given back.
type holder struct {
	over context.Context
	free chan struct{}
}

// hold takes the thread until release is called. It is refused while another run
// is at work, and waits for one whose context is over. ctx ends the wait.
func (t *threads) acquire(ctx context.Context, id Thread) (release func(), ok bool) {
	mine, other := t.tryAcquire(ctx, id)
	if other == nil {
		return func() { t.release(id, mine) }, true
	}
	wait, cancel := context.WithTimeout(ctx, leaveTime)
	defer cancel()
	for ; other != nil; mine, other = t.tryAcquire(ctx, id) {
		if !other.released(wait) {
			return nil, false
		}
	}
	return func() { t.release(id, mine) }, true
}

// leaves reports that the run gave its thread back before wait ended. A run that
// goes on having its client is not waited for.
func (h *holder) released(wait context.Context) bool {
	notice := time.NewTimer(leaveNotice)
	defer notice.Stop()
	select {
	case <-h.free:
		return true
	case <-h.over.Done():
	case <-notice.C:
		return false
	case <-wait.Done():
		return false
	}
	select {
	case <-h.free:
		return true
	case <-wait.Done():
		return false
	}
}

// take gives the new holder, or the one there is.
func (t *threads) tryAcquire(ctx context.Context, id Thread) (mine, other *holder) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if other := t.holders[id]; other != nil {
		return nil, other
	}
	mine = &holder{over: ctx, free: make(chan struct{})}
	t.holders[id] = mine
	return mine, nil
}

func (t *threads) release(id Thread, h *holder) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.holders, id)
	close(h.free)
}
