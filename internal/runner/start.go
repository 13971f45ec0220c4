package runner

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"

	"cairn/agentclient/interrupt"
	"cairn/internal/crash"
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
		if row.Kind == threadlog.KindRun {
			row.Status = thread.StatusRunning
		}
		switch _, err := t.Apply(*row); {
		case errors.Is(err, interrupt.ErrExpired), errors.Is(err, interrupt.ErrNotAddressable):
			return fmt.Errorf("%w: %v", ErrUnanswerable, err)
		case err != nil:
			return err
		}
	}
	return nil
}

// start folds the thread, asks decide what to append, takes the lease, appends and
// starts the run. When another writer was faster it looks again. A panic on the way is
// the caller's error, and the thread is free again.
func (r *Runner) start(ctx context.Context, threadID string, decide func(*thread.Thread) (*plan, error)) error {
	return crash.Run(r.logger, "a run could not be started", func() error {
		for {
			if again, err := r.tryStart(ctx, threadID, decide); !again {
				return err
			}
		}
	}, "thread", threadID)
}

// tryStart is start once; again is true when the thread has changed meanwhile.
func (r *Runner) tryStart(ctx context.Context, threadID string, decide func(*thread.Thread) (*plan, error)) (again bool, err error) {
	if r.Closing() {
		return false, ErrClosing
	}
	t, info, err := r.fold(ctx, threadID)
	if err != nil {
		return false, err
	}
	up, ok := r.upstreams[info.Demo]
	if !ok {
		return false, fmt.Errorf("no upstream for demo %q", info.Demo)
	}
	p, err := decide(t)
	if err != nil || p == nil {
		return false, err
	}
	run, busy, err := r.claim(threadID, p.runID)
	if err != nil {
		return false, err
	}
	if busy != nil {
		select {
		case <-busy:
			return true, nil
		case <-ctx.Done():
			return false, ctx.Err()
		}
	}
	last, err := r.begin(ctx, run, t, p)
	if errors.Is(err, threadlog.ErrConflict) && ctx.Err() == nil {
		return true, nil
	}
	if err != nil {
		return false, err
	}
	go r.drive(run, up.Agent, t, last) // stopped by Stop or Close
	return false, nil
}

// begin stores what a run begins with. If that fails, nothing has changed and the run
// is released.
func (r *Runner) begin(ctx context.Context, run *run, t *thread.Thread, p *plan) (last int64, err error) {
	letGo, begun := func() {}, false
	defer func() {
		if !begun { // also when a row could not be folded for a panic
			letGo()
			r.release(run)
		}
	}()
	seq := t.Seq
	if err := r.take(ctx, run, t); err != nil {
		return 0, err
	}
	letGo = func() { r.giveUp(run) }
	if err := p.apply(t); err != nil { // what would not fold is never stored or sent
		return 0, err
	}
	last, err = r.log.Append(ctx, run.threadID, seq, p.rows...)
	if err != nil {
		return 0, fmt.Errorf("store the request: %w", err)
	}
	begun = true
	close(run.begun)
	return last, nil
}

// claim reserves the thread's one run in this process. While another is just starting
// or ending it gives what to wait for before looking again: who saw the end in the log
// may be here before that run has let go.
func (r *Runner) claim(threadID, runID string) (claimed *run, busy <-chan struct{}, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return nil, nil, ErrClosing
	}
	if a := r.active[threadID]; a != nil {
		if a.ending {
			return nil, a.done, nil
		}
		select {
		case <-a.begun:
			return nil, nil, ErrRunning
		default:
			return nil, a.begun, nil
		}
	}
	ctx, cancel := context.WithCancelCause(r.ctx)
	a := &active{runID: runID, cancel: cancel, begun: make(chan struct{}), done: make(chan struct{}), refused: make(chan struct{})}
	r.active[threadID] = a
	r.wg.Add(1)
	return &run{active: a, ctx: ctx, threadID: threadID}, nil, nil
}

// release ends the run for this process.
func (r *Runner) release(run *run) {
	r.mu.Lock()
	delete(r.active, run.threadID)
	r.mu.Unlock()
	run.cancel(nil)
	select {
	case <-run.begun:
	default:
		close(run.begun) // it never did; who waits looks again
	}
	close(run.done)
	r.wg.Done()
}

// fold reads the whole thread. A demo that has no agent any more is read as one that
// asks in the usual way.
func (r *Runner) fold(ctx context.Context, threadID string) (*thread.Thread, threadlog.Thread, error) {
	info, err := r.log.Thread(ctx, threadID)
	if err != nil {
		return nil, info, fmt.Errorf("find the thread: %w", err)
	}
	up := r.upstreams[info.Demo]
	t := thread.New(up.Transport, up.Profile)
	if err := t.CatchUp(ctx, r.log, threadID); err != nil {
		return nil, info, err
	}
	if len(t.Skipped) > 0 {
		r.logger.Warn("rows that do not fold were skipped", "thread", threadID, "rows", len(t.Skipped), "first", t.Skipped[0])
	}
	return t, info, nil
}
