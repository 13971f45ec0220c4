package runner

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"

	"cairn/agentclient"
	"cairn/internal/crash"
	"cairn/internal/thread"
	"cairn/internal/threadlog"
)

// step checks what a person asks for, and returns what to append for it.
type step func(s *agentclient.Session, runID string, now time.Time) (agentclient.Turn, error)

// start asks step what to append, takes the lease, appends and starts the run. When
// another writer was faster it looks again. A panic on the way is the caller's error, and
// the thread is free again.
func (r *Runner) start(ctx context.Context, threadID string, step step) error {
	return crash.Run(r.logger, "a run could not be started", func() error {
		for {
			again, err := r.tryStart(ctx, threadID, step)
			if !again {
				return err
			}
		}
	}, "thread", threadID)
}

// tryStart is start once; again is true when the thread has changed meanwhile.
func (r *Runner) tryStart(ctx context.Context, threadID string, step step) (again bool, err error) {
	if r.Closing() {
		return false, ErrClosing
	}
	t, err := r.threads.Use(ctx, threadID)
	if err != nil {
		return false, err
	}
	used := false // by a run that has begun
	defer func() {
		if !used {
			t.Release()
		}
	}()
	up, ok := r.upstreams[t.Demo]
	if !ok {
		return false, fmt.Errorf("no upstream for demo %q", t.Demo)
	}
	var turn agentclient.Turn
	var seq int64
	err = t.Do(ctx, func(s *agentclient.Session) (err error) {
		seq = s.Records
		turn, err = step(s, uuid.NewString(), time.Now())
		return err
	})
	if err != nil || len(turn.Records) == 0 {
		return false, err
	}
	run, busy, err := r.claim(threadID, turn.RunID)
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
	run.thread = t
	rows := thread.Rows(turn.Records, agentclient.StatusRunning)
	err = r.begin(ctx, run, seq, rows)
	if errors.Is(err, threadlog.ErrConflict) && ctx.Err() == nil {
		return true, nil
	}
	if err != nil {
		return false, err
	}
	used = true
	go r.drive(run, up.Agent, rows) // stopped by Stop or Close
	return false, nil
}

// begin stores what a run begins with. If that fails, nothing has changed and the run is
// released.
func (r *Runner) begin(ctx context.Context, run *run, seq int64, rows []threadlog.Row) (err error) {
	release, begun := func() {}, false
	defer func() {
		if !begun {
			release()
			r.release(run)
		}
	}()
	if err := r.acquireLease(ctx, run, seq); err != nil {
		return err
	}
	release = func() { r.releaseLease(run) }
	run.seq, err = r.log.Append(ctx, run.threadID, seq, rows...)
	if err != nil {
		return fmt.Errorf("store the request: %w", err)
	}
	begun = true
	close(run.begun)
	return nil
}

// claim reserves the thread's one run in this process. While another is just starting
// or ending it returns what to wait for before looking again: a caller that saw the end in the log
// may be here before that run has released the thread.
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
		close(run.begun) // it never did; callers that wait look again
	}
	close(run.done)
	r.wg.Done()
}
