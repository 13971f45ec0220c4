package runner

import (
	"context"
	"errors"
	"time"

	"cairn/agentclient"
	"cairn/agui"
	"cairn/internal/crash"
	"cairn/internal/thread"
	"cairn/internal/threadlog"
)

// endRetry is the pause between tries to record a run's end on a log that does
// not take it (a full disk), so the run does not look alive for ever.
const endRetry = 2 * time.Second

// run is one run being driven.
type run struct {
	*active
	ctx      context.Context
	threadID string
	thread   *thread.Thread
	seq      int64 // of the last row stored

	// lease and its revision are the goroutine's that keeps it, while there is one.
	lease lease
	rev   int64
}

// drive folds the rows that the run began with, asks the agent and appends its events
// until the run ends, then records how it ended. A panic on the way ends this run alone.
func (r *Runner) drive(run *run, agent Agent, begun []threadlog.Row) {
	defer run.thread.Release()
	defer r.release(run)
	defer r.renewLoop(run)()
	d := &drive{runner: r, run: run}
	err := crash.Run(r.logger, "a run was ended by a panic", func() error {
		if err := run.thread.Drive(run.seq, begun); err != nil {
			return err
		}
		var in agui.RunAgentInput
		if err := run.thread.Do(run.ctx, func(s *agentclient.Session) error { in = s.Input(); return nil }); err != nil {
			return err
		}
		d.events(agent, in)
		return nil
	}, "thread", run.threadID, "run", run.runID)
	run.thread.Rest() // before its end is in the log: a caller that sees it there may go on at once
	switch {
	case errors.Is(context.Cause(run.ctx), errLost):
		r.logger.Warn("another process has closed the run", "thread", run.threadID, "run", run.runID)
		return
	case err != nil:
		d.end = endOf(run.ctx, err)
	case d.finished:
		d.end = agentclient.EndData{Outcome: agentclient.OutcomeFinished}
	case d.end.Outcome == "":
		d.end = endOf(run.ctx, context.Cause(run.ctx))
	}
	r.recordEnd(run, d.end)
}

// statusAfter returns the thread's word once the run has ended so. A thread that cannot be
// folded has failed.
func (r *Runner) statusAfter(run *run, end agentclient.EndData) (word string) {
	word = agentclient.StatusFailed
	_ = crash.Run(r.logger, "a run's end could not be counted", func() error {
		return run.thread.Do(context.WithoutCancel(run.ctx), func(s *agentclient.Session) error {
			word = s.StatusAfter(end, time.Now())
			return nil
		})
	}, "thread", run.threadID, "run", run.runID)
	return word
}

// recordEnd appends the end row, again and again while the log refuses it, until
// it is stored, someone else has written to the thread, the thread is deleted, or the
// runner closes.
func (r *Runner) recordEnd(run *run, end agentclient.EndData) {
	if end.Outcome != agentclient.OutcomeFinished && end.Outcome != agentclient.OutcomeStopped {
		r.logger.Warn("run did not finish", "thread", run.threadID, "run", run.runID, "how", end.Outcome, "status", end.Status, "detail", end.Detail)
	}
	r.mu.Lock()
	run.ending = true
	r.mu.Unlock()
	rows := thread.Rows([]agentclient.Record{agentclient.NewRecord(agentclient.RecordEnd, run.runID, end)}, r.statusAfter(run, end))
	for {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(run.ctx), 10*time.Second)
		last, err := r.log.Append(ctx, run.threadID, run.seq, rows...)
		cancel()
		if err == nil {
			r.fold(run, last, rows, nil)
			return
		}
		if errors.Is(err, threadlog.ErrConflict) || errors.Is(err, threadlog.ErrNotFound) {
			return
		}
		r.logger.Error("record the run's end", "thread", run.threadID, "run", run.runID, "err", err)
		if run.why == nil {
			run.why = err
			close(run.refused)
		}
		select {
		case <-time.After(r.endRetry):
		case <-r.ctx.Done():
			return // Recover does it at the next start
		}
	}
}

// fold folds rows that were appended. A panic is the thread's: it is read anew when it is
// next used.
func (r *Runner) fold(run *run, last int64, rows []threadlog.Row, events []agui.Event) {
	err := crash.Run(r.logger, "a thread could not be folded", func() error {
		return run.thread.Fold(last, rows, events)
	}, "thread", run.threadID, "run", run.runID)
	if err != nil {
		r.logger.Warn("fold a run", "thread", run.threadID, "run", run.runID, "err", err)
	}
}

// endOf returns how a run ended from the client's error and the reason the run's
// context ended with.
func endOf(ctx context.Context, err error) agentclient.EndData {
	switch {
	case errors.Is(context.Cause(ctx), errStopped):
		return agentclient.EndData{Outcome: agentclient.OutcomeStopped}
	case errors.Is(context.Cause(ctx), ErrClosing):
		return agentclient.EndData{Outcome: agentclient.OutcomeShutdown}
	}
	if crashed := new(crash.Error); errors.As(err, &crashed) {
		return agentclient.EndData{Outcome: agentclient.OutcomeCrashed, Detail: err.Error()}
	}
	if err == nil {
		return agentclient.EndData{Outcome: agentclient.OutcomeTruncated}
	}
	return agentclient.EndOf(err)
}
