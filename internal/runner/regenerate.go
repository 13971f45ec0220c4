package runner

import (
	"context"

	"cairn/internal/thread"
	"cairn/internal/threadlog"
)

// Regenerate asks for another answer in the place of the one that run gave, which must
// be the thread's last; "" is whichever is the last. The old answer stays in the log, is
// neither sent nor shown, and comes back when the new one fails.
//
// ErrRunning; ErrPending; ErrHadEffect: the run carried a decision, called a tool or
// changed the shared state; ErrNoAnswer: there is none, or another is the last.
func (r *Runner) Regenerate(ctx context.Context, threadID, run string) error {
	return r.start(ctx, threadID, func(t *thread.Thread) (*plan, error) {
		if t.Run.Open {
			return nil, ErrRunning
		}
		if t.Open() != nil {
			return nil, ErrPending
		}
		if t.Bytes > maxThread {
			return nil, ErrTooLong
		}
		last, err := t.Again()
		if err != nil {
			return nil, err
		}
		if run != "" && run != last {
			return nil, ErrNoAnswer
		}
		p := newPlan()
		p.add(threadlog.KindRun, thread.RunData{Reason: thread.ReasonAgain, Replaces: last})
		return p, nil
	})
}
