package conversation

import "cairn/agui"

// This file begins and ends runs: what is open when a run ends. What a run delivered
// stays, also its state, however it ended.

// BeginRun announces a run of ours that is about to be requested.
func (c *Conversation) BeginRun(runID string) Changes {
	c.begin()
	c.displace()
	c.verifier.Reset()
	c.retold = false
	if !c.resumes {
		c.turn++
	}
	c.startRun(runID)
	return c.changes
}

// EndRun ends the run that brought no terminal event, as stopped, truncated or failed:
// open messages and subagents are closed, and calls without a result are incomplete. It
// does nothing when no run is going.
func (c *Conversation) EndRun(status RunStatus) Changes {
	c.begin()
	if c.run.Status != RunRunning {
		return c.changes
	}
	c.verifier.End()
	messages := StatusError
	if status == RunStopped {
		messages = StatusStopped
	}
	c.resumes = c.live.resumed // what it went on with may be tried again
	c.closeAll(messages, SubagentError, nil)
	c.setRun(status)
	return c.changes
}

// Retells reports whether ev belongs to a run that the conversation has already, told
// again before the one that was asked for (a response may do that, protocol 1.0, lifecycle).
// Nothing of it is folded. It is asked before Apply.
func (c *Conversation) Retells(ev agui.Event) bool {
	if e, ok := ev.(*agui.RunStarted); ok {
		return c.run.Status == RunRunning && !c.live.started && e.RunID != c.run.ID && c.past[e.RunID]
	}
	return c.retold
}

// retells is Retells, and follows such runs.
func (c *Conversation) retells(ev agui.Event) bool {
	told := c.Retells(ev)
	switch ev.(type) {
	case *agui.RunStarted:
		c.retold = told
	case *agui.RunFinished, *agui.RunError:
		c.retold = false
	}
	return told
}

// leavePause makes the next run a new one, not one that continues the pause: nothing
// waits any more.
func (c *Conversation) leavePause() {
	if !c.resumes {
		return
	}
	c.resumes = false
	for _, t := range c.live.calls {
		if t.shown.Status == ToolRunning {
			t.shown.Status = ToolIncomplete
			c.touch(t.entry)
		}
	}
	c.live.calls = nil
}

// displace closes a run that never ended because another begins.
func (c *Conversation) displace() {
	if c.run.Status == RunRunning {
		c.closeAll(StatusInterrupted, SubagentError, nil)
	}
}

func (c *Conversation) startRun(id string) {
	if !c.resumes {
		c.stage++
	}
	c.run = Run{ID: id, Status: RunRunning}
	c.live = runScope{number: c.live.number + 1, resumed: c.resumes, calls: c.live.calls}
	c.resumes = false
	c.changes.Run = true
}

func (c *Conversation) setRun(s RunStatus) {
	c.run.Status = s
	c.changes.Run = true
}

// runStarted starts the run that BeginRun announced, whatever id the agent sends
// (the ids need not agree), or one of the agent's own.
func (c *Conversation) runStarted(e *agui.RunStarted) {
	requested := c.run.Status == RunRunning && !c.live.started
	if !requested {
		c.displace()
		c.startRun(e.RunID)
	} else if c.run.ID == "" { // events came before it, and nobody asked for the run by id
		c.run.ID = e.RunID
		c.changes.Run = true
	} else if c.run.ID != e.RunID {
		c.note("1.3", "RUN_STARTED is for run %s, not %s", short(e.RunID), short(c.run.ID))
	}
	if requested && c.run.ID == e.RunID && e.RunID != "" {
		c.past[e.RunID] = true
	}
	c.live.started, c.live.runID, c.live.threadID = true, e.RunID, e.ThreadID
	c.noteVersion(e.ProtocolVersion)
	if e.Input != nil {
		for _, m := range c.withoutOurs("1.3", e.Input.Messages) {
			c.importMessage(m)
		}
	}
}

// custom remembers the older way to pause (section 8.2). The interrupt itself is
// not this package's business.
func (c *Conversation) custom(e *agui.Custom) {
	notice, ok := e.Notice()
	if !ok {
		return
	}
	c.live.paused = true
	if id := notice.ToolCallID; id != "" {
		if c.live.pausedCalls == nil {
			c.live.pausedCalls = map[string]bool{}
		}
		c.live.pausedCalls[id] = true
	}
}

func (c *Conversation) runFinished(e *agui.RunFinished) {
	c.noteEnd(e)
	c.run.Usage = e.Usage
	messages, status := StatusComplete, RunFinished
	subagents := SubagentComplete
	var waiting map[string]bool
	switch {
	case e.Outcome == nil:
		if c.live.paused {
			status, subagents, waiting = RunInterrupted, SubagentPending, c.live.pausedCalls
		}
	case e.Outcome.Type == agui.OutcomeSuccess:
	case e.Outcome.Type == agui.OutcomeCancelled:
		messages, status, subagents = StatusStopped, RunCancelled, SubagentError
	case e.Outcome.Type == agui.OutcomeInterrupt && len(e.Outcome.Interrupts) > 0:
		status, subagents = RunInterrupted, SubagentPending
		waiting = make(map[string]bool, len(e.Outcome.Interrupts))
		for _, i := range e.Outcome.Interrupts {
			waiting[i.ToolCallID] = true
		}
	case e.Outcome.Type == agui.OutcomeInterrupt:
		c.note("3.1", "outcome interrupt without an interrupt")
		messages, status, subagents = StatusError, RunFailed, SubagentError
		c.run.Error = RunError{Message: "the agent paused without saying what it waits for"}
	default:
		c.note("3.1", "unknown outcome %s; read as success", short(string(e.Outcome.Type)))
	}
	c.closeAll(messages, subagents, waiting)
	c.resumes = status == RunInterrupted
	c.setRun(status)
}

func (c *Conversation) runError(e *agui.RunError) {
	if e.Usage != nil { // what the run said when it finished stays
		c.run.Usage = e.Usage
	}
	c.run.Error = RunError{Message: e.Message, Code: e.Code}
	// A pause that came before the run failed can still be answered.
	var waiting map[string]bool
	if c.run.Status == RunInterrupted && c.resumes {
		waiting = make(map[string]bool, len(c.live.calls))
		for _, t := range c.live.calls {
			waiting[t.shown.ID] = true
		}
	}
	c.resumes = c.live.resumed || waiting != nil
	c.closeAll(StatusError, SubagentError, waiting)
	c.setRun(RunFailed)
}

// closeAll closes what the run left open. Calls in waiting stay running.
func (c *Conversation) closeAll(messages Status, subagents SubagentStatus, waiting map[string]bool) {
	for _, r := range c.live.messages {
		if r.shown.Status == StatusStreaming {
			r.shown.text.end()
			r.shown.Status = messages
			c.touch(r.entry)
		}
	}
	var still []*call
	for _, t := range c.live.calls {
		c.settleArgs(t, true)
		switch {
		case t.shown.HasResult:
		case waiting[t.shown.ID]:
			still = append(still, t)
		case t.shown.Status == ToolRunning:
			t.shown.Status = ToolIncomplete
			c.touch(t.entry)
		}
	}
	for _, s := range c.live.subs {
		c.closeSubagent(s, subagents, "")
	}
	c.live = runScope{number: c.live.number, calls: still}
}
