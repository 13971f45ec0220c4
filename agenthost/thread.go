package agenthost

import (
	"context"
	"sync"
	"time"
)

const (
	// leaveNotice is how long a thread's new run waits to learn that the one
	// before has lost its client: a client that aborts and sends again at once is
	// often heard before its first connection is seen to be closed. Callers
	// get thread_busy after this delay.
	leaveNotice = 100 * time.Millisecond
	// leaveTime is how long it waits for such a run to end.
	leaveTime = 2 * time.Second
)

// threads lets one run at a time hold a thread.
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
func (t *threads) hold(ctx context.Context, id Thread) (release func(), ok bool) {
	mine, other := t.take(ctx, id)
	if other == nil {
		return func() { t.release(id, mine) }, true
	}
	wait, cancel := context.WithTimeout(ctx, leaveTime)
	defer cancel()
	for ; other != nil; mine, other = t.take(ctx, id) {
		if !other.leaves(wait) {
			return nil, false
		}
	}
	return func() { t.release(id, mine) }, true
}

// leaves reports whether the run released its thread before wait ended. A run that
// goes on having its client is not waited for.
func (h *holder) leaves(wait context.Context) bool {
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

// take returns the new holder, or the one there is.
func (t *threads) take(ctx context.Context, id Thread) (mine, other *holder) {
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
