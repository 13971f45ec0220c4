package runner

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"

	"cairn/agentclient/interrupt"
	"cairn/internal/thread"
	"cairn/internal/threadlog"
)

// plan is what starting a run will append.
type plan struct {
	runID string
	rows  []threadlog.Row
}

func newPlan() *plan { return &plan{runID: uuid.NewString()} }

func (p *plan) add(kind threadlog.Kind, body any) {
	p.rows = append(p.rows, thread.NewRow(kind, p.runID, body))
}

// apply folds the rows into t as they will be stored. An unfit decision is refused
// here.
func (p *plan) apply(t *thread.Thread) error {
	now := time.Now()
	for i := range p.rows {
		row := &p.rows[i]
		row.Seq, row.At = t.Seq+1, now
		switch _, err := t.Apply(*row); {
		case errors.Is(err, interrupt.ErrExpired), errors.Is(err, interrupt.ErrNotAddressable):
			return fmt.Errorf("%w: %v", ErrUnanswerable, err)
		case err != nil:
			return err
		}
	}
	return nil
}

// start folds the thread, asks decide what to append, appends it and starts the
// run. When another writer was faster it looks again.
func (r *Runner) start(ctx context.Context, threadID string, decide func(*thread.Thread) (*plan, error)) error {
	for {
		t, info, err := r.fold(ctx, threadID)
		if err != nil {
			return err
		}
		p, err := decide(t)
		if err != nil || p == nil {
			return err
		}
		seq := t.Seq
		if err := p.apply(t); err != nil { // what would not fold is never stored or sent
			return err
		}
		run, ending, err := r.claim(threadID, p.runID)
		if err != nil {
			return err
		}
		if ending != nil { // who saw its end in the log may be here before it has let go
			select {
			case <-ending.done:
				continue
			case <-ctx.Done():
				return ctx.Err()
			}
		}
		last, err := r.log.Append(ctx, threadID, seq, p.rows...)
		if err != nil {
			r.release(threadID, run.active)
			if errors.Is(err, threadlog.ErrConflict) && ctx.Err() == nil {
				continue
			}
			return fmt.Errorf("store the request: %w", err)
		}
		go r.drive(run, r.upstreams[info.Demo].Agent, input(t, threadID), last) // stopped by Stop or Close
		return nil
	}
}

// claim reserves the thread's one run in this process, or gives the one that is
// just ending.
func (r *Runner) claim(threadID, runID string) (claimed *run, ending *active, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return nil, nil, ErrClosing
	}
	switch a := r.active[threadID]; {
	case a != nil && a.ending:
		return nil, a, nil
	case a != nil:
		return nil, nil, ErrRunning
	}
	ctx, cancel := context.WithCancelCause(r.ctx)
	a := &active{runID: runID, cancel: cancel, done: make(chan struct{})}
	r.active[threadID] = a
	r.wg.Add(1)
	return &run{active: a, ctx: ctx, threadID: threadID}, nil, nil
}

func (r *Runner) release(threadID string, a *active) {
	r.mu.Lock()
	delete(r.active, threadID)
	r.mu.Unlock()
	a.cancel(nil)
	close(a.done)
	r.wg.Done()
}

// fold reads the whole thread.
func (r *Runner) fold(ctx context.Context, threadID string) (*thread.Thread, threadlog.Thread, error) {
	info, err := r.log.Thread(ctx, threadID)
	if err != nil {
		return nil, info, fmt.Errorf("find the thread: %w", err)
	}
	up, ok := r.upstreams[info.Demo]
	if !ok {
		return nil, info, fmt.Errorf("no upstream for demo %q", info.Demo)
	}
	t := thread.New(up.Transport, up.Profile)
	if err := t.CatchUp(ctx, r.log, threadID); err != nil {
		return nil, info, err
	}
	if len(t.Skipped) > 0 {
		r.logger.Warn("rows that do not fold were skipped", "thread", threadID, "rows", len(t.Skipped), "first", t.Skipped[0])
	}
	return t, info, nil
}
