package runner

import (
	"context"
	"fmt"
)

// Stop ends the thread's run if it is this process's; it is no error when none is
// going on. The connection to the agent is closed at once. It returns when the run's
// end is in the log, with ErrUnrecorded and the reason when the log does not take it, or
// when ctx ends.
func (r *Runner) Stop(ctx context.Context, threadID string) error {
	r.mu.Lock()
	a := r.active[threadID]
	r.mu.Unlock()
	if a == nil {
		return nil
	}
	a.cancel(errStopped)
	select {
	case <-a.done:
		return nil
	case <-a.refused:
		return fmt.Errorf("%w: %w", ErrUnrecorded, a.why)
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Running counts the runs of this process.
func (r *Runner) Running() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.active)
}

// Drain refuses new runs with ErrClosing and waits until those that go on have ended
// by themselves, or ctx ends.
func (r *Runner) Drain(ctx context.Context) error {
	r.refuse()
	done := make(chan struct{})
	go func() { r.wg.Wait(); close(done) }() // ends with the last run
	select {
	case <-done:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Close ends every run and waits until their ends are in the log or ctx ends.
func (r *Runner) Close(ctx context.Context) error {
	r.refuse() // nothing begins on a context that has ended
	r.cancel(ErrClosing)
	return r.Drain(ctx)
}

func (r *Runner) refuse() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.closed = true
}

// Closing reports whether new runs are refused.
func (r *Runner) Closing() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.closed
}
