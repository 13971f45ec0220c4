package runner

import (
	"context"

	"cairn/agentclient"
	"cairn/agui"
	"cairn/internal/crash"
	"cairn/internal/threadlog"
)

// drive is the reading of one run.
type drive struct {
	runner   *Runner
	run      *run
	end      agentclient.EndData
	finished bool // the terminal event is here
}

// read puts the run's events into the backlog until the stream or ctx ends.
func (d *drive) read(ctx context.Context, agent Agent, in agui.RunAgentInput, to *backlog) {
	r, run := d.runner, d.run
	defer to.end()
	raws := new(rawBudget)
	err := crash.Run(r.logger, "an agent's answer could not be read", func() error {
		for ev, err := range agent.Run(ctx, in) {
			it := item{err: err}
			if err == nil {
				if e, ok := ev.Event.(*agui.RunError); ok {
					r.logger.Warn("agent reported an error", "thread", run.threadID, "run", run.runID, "code", e.Code, "message", e.Message)
				}
				it.ev = ev.Event
				it.row = threadlog.Row{At: ev.At, Kind: threadlog.KindEvent, RunID: run.runID, Data: raws.stored(ev)}
			}
			if !to.put(ctx, it) {
				break
			}
		}
		return nil
	}, "thread", run.threadID, "run", run.runID)
	if err != nil {
		to.put(ctx, item{err: err})
	}
}

// events stores the run's events as they come, all that have arrived in one append.
func (d *drive) events(agent Agent, in agui.RunAgentInput) {
	r, run := d.runner, d.run
	ctx, stopReading := context.WithCancel(run.ctx)
	defer stopReading() // also when the log refused a row, before its end is tried for long
	from := newBacklog()
	go d.read(ctx, agent, in, from) // ends when the stream does, or with stopReading
	var items []item
	var rows []threadlog.Row
	var events []agui.Event
	for {
		if items = from.take(items); len(items) == 0 {
			return
		}
		rows, events = rows[:0], events[:0]
		for _, it := range items {
			if it.err != nil {
				d.end = endOf(run.ctx, it.err)
				continue
			}
			d.finished = ends(it.ev, d.finished)
			rows, events = append(rows, it.row), append(events, it.ev)
		}
		if len(rows) == 0 {
			continue
		}
		last, err := r.log.Append(context.WithoutCancel(run.ctx), run.threadID, run.seq, rows...)
		if err != nil {
			r.logger.Error("append events; the run is ended", "thread", run.threadID, "run", run.runID, "err", err)
			d.end, d.finished = agentclient.EndData{Outcome: agentclient.OutcomeNotStored, Detail: err.Error()}, false
			return
		}
		run.seq = last
		if err := run.thread.Fold(last, rows, events); err != nil {
			d.end, d.finished = endOf(run.ctx, err), false
			return
		}
		clear(rows)
		clear(events)
	}
}

// ends reports whether the run is over with an event, and was before it.
func ends(ev agui.Event, was bool) bool {
	switch ev.(type) {
	case *agui.RunFinished, *agui.RunError:
		return true
	case *agui.RunStarted:
		return false
	}
	return was
}
