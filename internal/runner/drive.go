package runner

import (
	"context"
	"errors"
	"time"

	"cairn/agentclient"
	"cairn/agui"
	"cairn/internal/thread"
	"cairn/internal/threadlog"
)

// maxBatch bounds how many events one append takes, so a burst is stored in
// steps a reader can follow.
const maxBatch = 256

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
// committed state (what is sent with a decision is the attempt as it was claimed).
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
	}
	return in
}

// drive reads the run's events and appends them until the run ends, then records
// how it ended.
func (r *Runner) drive(run *run, agent Agent, in agui.RunAgentInput, tally *thread.Tally, seq int64) {
	defer r.release(run)
	defer r.keep(run)()
	type item struct {
		row threadlog.Row
		ev  agui.Event
		err error
	}
	items := make(chan item, maxBatch)
	readCtx, stopReading := context.WithCancel(run.ctx)
	defer stopReading()
	go func() { // ends when the stream does, or with stopReading
		defer close(items)
		for ev, err := range agent.Run(readCtx, in) {
			it := item{err: err}
			if err == nil {
				if e, ok := ev.Event.(*agui.RunError); ok {
					r.logger.Warn("agent reported an error", "thread", run.threadID, "run", run.runID, "code", e.Code, "message", e.Message)
				}
				it.ev = ev.Event
				it.row = threadlog.Row{At: ev.At, Kind: threadlog.KindEvent, RunID: run.runID, Data: ev.Raw}
			}
			select {
			case items <- it:
			case <-readCtx.Done():
				return
			}
		}
	}()

	var end thread.EndData
	finished := false // the terminal event is here, so nothing after it counts
	batch := make([]threadlog.Row, 0, maxBatch)
	events := make([]agui.Event, 0, maxBatch)
	take := func(it item) {
		if it.err != nil {
			end = endOf(run.ctx, it.err)
			return
		}
		finished = finished || terminal(it.ev)
		batch = append(batch, it.row)
		events = append(events, it.ev)
	}
	for open := true; open; {
		batch, events = batch[:0], events[:0]
		it, ok := <-items
		if !ok {
			break
		}
		take(it)
	more: // what has arrived meanwhile goes into the same append
		for len(batch) < maxBatch {
			select {
			case it, ok := <-items:
				if !ok {
					open = false
					break more
				}
				take(it)
			default:
				break more
			}
		}
		if len(batch) == 0 {
			continue
		}
		last, err := r.log.Append(context.WithoutCancel(run.ctx), run.threadID, seq, batch...)
		if err != nil {
			r.logger.Error("append events; the run is ended", "thread", run.threadID, "run", run.runID, "err", err)
			end, finished = thread.EndData{How: thread.EndLog, Detail: err.Error()}, false
			break
		}
		seq = last
		for _, ev := range events {
			tally.Event(ev)
		}
	}
	stopReading() // also when the log refused a row, before its end is tried for long
	switch {
	case errors.Is(context.Cause(run.ctx), errLost):
		r.logger.Warn("another process has closed the run", "thread", run.threadID, "run", run.runID)
		return
	case finished:
		end = thread.EndData{How: thread.EndClean}
	case end.How == "":
		end = endOf(run.ctx, context.Cause(run.ctx))
	}
	r.recordEnd(run, seq, end, tally)
}

func terminal(ev agui.Event) bool {
	switch ev.(type) {
	case *agui.RunFinished, *agui.RunError:
		return true
	}
	return false
}

// recordEnd appends the end row, again and again while the log refuses it, until
// it is stored, someone else has written to the thread, the thread is deleted, or the
// runner closes.
func (r *Runner) recordEnd(run *run, seq int64, end thread.EndData, tally *thread.Tally) {
	if end.How != thread.EndClean && end.How != thread.EndStopped {
		r.logger.Warn("run did not finish", "thread", run.threadID, "run", run.runID, "how", end.How, "status", end.Status, "detail", end.Detail)
	}
	r.mu.Lock()
	run.ending = true
	r.mu.Unlock()
	row := thread.NewRow(threadlog.KindEnd, run.runID, end)
	row.Status = tally.End(end, time.Now())
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
