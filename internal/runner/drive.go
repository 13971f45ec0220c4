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

	// lease and its revision are the goroutine's that keeps it, while there is one.
	lease lease
	rev   int64
}

// input is the request of the thread's open run: the full history and the last
// committed state. With a decision goes the attempt as it was claimed, and with anything
// else the cancelling of what was left without an answer.
func input(t *thread.Thread, threadID string) agui.RunAgentInput {
	in := agui.RunAgentInput{
		ThreadID:        threadID,
		RunID:           t.Run.ID,
		ProtocolVersion: agui.ProtocolVersion,
		State:           t.Conversation.Committed(),
		Messages:        t.History(),
	}
	if a := t.Open(); t.Run.Decision && a != nil && a.Decision != nil {
		in.ForwardedProps = a.Decision.Wire.ForwardedProps
		in.Resume = a.Decision.Wire.Resume
	} else if !t.Run.Decision {
		in.Resume = t.Interrupts.Owed()
	}
	return in
}

// drive reads the run's events and appends them until the run ends, then records how
// it ended. A panic on the way ends this run alone.
func (r *Runner) drive(run *run, agent Agent, t *thread.Thread, seq int64) {
	defer r.release(run)
	defer r.keep(run)()
	d := &drive{runner: r, run: run, seq: seq}
	err := crash.Run(r.logger, "a run was ended by a panic", func() error {
		in := input(t, run.threadID)
		d.tally = t.Tally()
		d.events(agent, in)
		return nil
	}, "thread", run.threadID, "run", run.runID)
	switch {
	case errors.Is(context.Cause(run.ctx), errLost):
		r.logger.Warn("another process has closed the run", "thread", run.threadID, "run", run.runID)
		return
	case err != nil:
		d.end = endOf(run.ctx, err)
	case d.finished:
		d.end = thread.EndData{How: thread.EndClean}
	case d.end.How == "":
		d.end = endOf(run.ctx, context.Cause(run.ctx))
	}
	r.recordEnd(run, d.seq, d.end, d.status)
}

// recordEnd appends the end row, again and again while the log refuses it, until
// it is stored, someone else has written to the thread, the thread is deleted, or the
// runner closes.
func (r *Runner) recordEnd(run *run, seq int64, end thread.EndData, status func(thread.EndData) string) {
	if end.How != thread.EndClean && end.How != thread.EndStopped {
		r.logger.Warn("run did not finish", "thread", run.threadID, "run", run.runID, "how", end.How, "status", end.Status, "detail", end.Detail)
	}
	r.mu.Lock()
	run.ending = true
	r.mu.Unlock()
	row := thread.NewRow(threadlog.KindEnd, run.runID, end)
	row.Status = status(end)
	for {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(run.ctx), 10*time.Second)
		_, err := r.log.Append(ctx, run.threadID, seq, row)
		cancel()
		if err == nil || errors.Is(err, threadlog.ErrConflict) || errors.Is(err, threadlog.ErrNotFound) {
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

// endOf says how a run ended from the client's error and the reason the run's
// context ended with.
func endOf(ctx context.Context, err error) thread.EndData {
	switch {
	case errors.Is(context.Cause(ctx), errStopped):
		return thread.EndData{How: thread.EndStopped}
	case errors.Is(context.Cause(ctx), ErrClosing):
		return thread.EndData{How: thread.EndShutdown}
	}
	end := thread.EndData{How: thread.EndTruncated}
	if err != nil {
		end.Detail = err.Error()
	}
	if crashed := new(crash.Error); errors.As(err, &crashed) {
		end.How = thread.EndCrash
		return end
	}
	var e *agentclient.Error
	if !errors.As(err, &e) {
		return end
	}
	end.Status = e.Status
	if !e.Dispatched() {
		end.How = thread.EndNotSent
		return end
	}
	switch e.Kind {
	case agentclient.KindConnect:
		end.How = thread.EndNoAnswer
	case agentclient.KindStatus:
		end.How = thread.EndRefused
	case agentclient.KindNotSSE:
		end.How = thread.EndNotStream
	case agentclient.KindMalformed:
		end.How = thread.EndMalformed
	case agentclient.KindStalled:
		end.How = thread.EndStalled
	case agentclient.KindTooLarge:
		end.How = thread.EndTooLarge
	}
	return end
}
