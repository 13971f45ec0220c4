package agenthost

import (
	"context"
	"sync"
	"time"
)

const (
	// leaveNotice is how long a new run of a thread waits for the run before it to lose
	// its client: the new request of a client that aborts and sends again often arrives
	// before the first connection is closed. Callers get thread_busy after this delay.
	leaveNotice = 100 * time.Millisecond
	// leaveTime is how long it waits for such a run to end.
	leaveTime = 2 * time.Second
)

// threads lets each thread have one run at a time.
type threads struct {
	mu      sync.Mutex
	holders map[Thread]*holder
}

// holder is the run that has a thread. over ends when the run has no client any more or
// the service stops; free is closed when the thread is released.
type holder struct {
	over context.Context
	free chan struct{}
}

// acquire acquires the thread until release is called. It returns false while another run
// has the thread, but waits for a run whose context has ended. ctx ends the wait.
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

// released reports whether the run released its thread before wait ended. It does not
// wait for a run whose client stays.
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

// tryAcquire returns the new holder, or the present one.
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
