package runner

import (
	"context"
	"errors"
	"fmt"
	"time"

	"cairn/agentclient"
	"cairn/internal/crash"
	"cairn/internal/thread"
	"cairn/internal/threadlog"
)

// Recover records the end of the runs that nobody drives: those a dead process left
// open, whose lease is given up or has run out. A run that carried a decision is in
// doubt then, and nothing is sent again.
func (r *Runner) Recover(ctx context.Context) error {
	ids, err := r.log.Open(ctx)
	if err != nil {
		return fmt.Errorf("find open runs: %w", err)
	}
	for _, id := range ids {
		if err := r.closeOrphan(ctx, id); err != nil { // one thread must not keep the others from starting
			r.logger.Error("end the run of a thread", "thread", id, "err", err)
		}
	}
	return nil
}

// foldOrphan folds a thread with an open run. Of one that cannot be folded for a panic,
// it returns what the log knows, so that its run is closed once and not tried again.
func (r *Runner) foldOrphan(ctx context.Context, threadID string) (t *orphan, err error) {
	err = crash.Run(r.logger, "a thread could not be folded", func() error {
		folded, err := r.threads.Use(ctx, threadID)
		if err != nil {
			return err
		}
		defer folded.Release()
		return folded.Do(ctx, func(s *agentclient.Session) error {
			if s.Run.Open {
				t = &orphan{s.Run.ID, s.Records, s.StatusAfter(orphaned, time.Now())}
			}
			return nil
		})
	}, "thread", threadID)
	if crashed := new(crash.Error); errors.As(err, &crashed) {
		var info threadlog.Thread
		if info, err = r.log.Thread(ctx, threadID); err == nil && info.Running {
			t = &orphan{"", info.LastSeq, agentclient.StatusFailed}
		}
	}
	return t, err
}

// orphan is an open run that nobody drives.
type orphan struct {
	run    string
	seq    int64  // of the thread's last row
	status string // of the thread once the run is closed
}

// orphaned is how a run without an owner ends.
var orphaned = agentclient.EndData{Outcome: agentclient.OutcomeShutdown}

// RecoverLoop calls Recover at every lease time until ctx ends, so that the runs of a
// process that died are closed by the others.
func (r *Runner) RecoverLoop(ctx context.Context) {
	tick := time.NewTicker(r.leaseTime)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
		if err := r.Recover(ctx); err != nil && ctx.Err() == nil {
			r.logger.Error("look for runs without an owner", "err", err)
		}
	}
}

// closeOrphan ends the thread's open run if nobody drives it. Several processes may
// try: the first append counts.
func (r *Runner) closeOrphan(ctx context.Context, threadID string) error {
	if r.drives(threadID) {
		return nil
	}
	run := &run{threadID: threadID, ctx: ctx}
	if !r.alone {
		l, rev, err := r.lease(ctx, threadID)
		if err != nil || r.foreign(l, time.Now()) {
			return err
		}
		run.rev = rev
	}
	o, err := r.foldOrphan(ctx, threadID)
	if err != nil || o == nil {
		return err
	}
	if r.drives(threadID) { // it was started meanwhile
		return nil
	}
	err = r.takeOverLease(ctx, run, o)
	if err == nil {
		rows := thread.Rows([]agentclient.Record{agentclient.NewRecord(agentclient.RecordEnd, o.run, orphaned)}, o.status)
		_, err = r.log.Append(ctx, threadID, o.seq, rows...)
		r.releaseLease(run)
	}
	if errors.Is(err, threadlog.ErrConflict) || errors.Is(err, threadlog.ErrNotFound) {
		return nil // someone else was faster, or the thread was deleted
	}
	if err == nil {
		r.logger.Warn("closed a run that nobody drove", "thread", threadID, "run", o.run)
	}
	return err
}

// drives reports whether this process has a run in the thread. It is asked rather than
// the clock: the lease of a run of ours may have run out while the machine slept.
func (r *Runner) drives(threadID string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.active[threadID] != nil
}
