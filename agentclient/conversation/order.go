package conversation

import "cairn/agui"

// This file checks the order of expanded events (protocol section 5). It only
// takes notes and says which events come after a run's end; what can be kept of
// an event out of order is the reducer's decision.

type phase int

const (
	phaseBefore   phase = iota // no RUN_STARTED yet
	phaseActive                // between RUN_STARTED and the terminal event
	phaseFinished              // after RUN_FINISHED
	phaseEnded                 // after RUN_ERROR, or the run was given up
)

// entity is the kind an id belongs to; ids are unique per kind only.
type entity int

const (
	anyMessage entity = iota + 1 // text messages, and results by their message id
	toolCall
	activity
	reasoning
	reasoningSpan
)

type entityID struct {
	kind entity
	id   string
}

type stepID struct{ owner, name string }

// order is the verifier's memory of one run.
type order struct {
	phase  phase
	open   map[entityID]bool
	steps  map[stepID]bool
	owners map[entityID]string // who created it; "" is the parent agent
	// subagents announced in this run: true while active, false once closed.
	subagents map[string]bool
	counts    map[entity]int // open entities by kind
}

func (o *order) reset() {
	*o = order{
		open:      map[entityID]bool{},
		steps:     map[stepID]bool{},
		owners:    map[entityID]string{},
		subagents: map[string]bool{},
		counts:    map[entity]int{},
	}
}

// check notes what is out of order and reports whether ev may be applied: after
// the end of a run nothing may, until the next begins.
func (o *order) check(ev agui.Event, c *Conversation) bool {
	head := ev.Head()
	switch e := ev.(type) {
	case *agui.Unknown:
		c.note("8.4", "unknown event type %s; ignored", short(string(e.Type)))
		return false
	case *agui.RunStarted:
		if o.phase == phaseActive {
			c.note("R4", "RUN_STARTED while a run is active")
		}
		o.reset()
		o.phase = phaseActive
		return true
	case *agui.RunError:
		if o.phase == phaseEnded {
			c.note("R1", "RUN_ERROR after the run had ended; ignored")
			return false
		}
		o.phase = phaseEnded
		return true
	}
	switch o.phase {
	case phaseBefore:
		c.note("R3", "%s before RUN_STARTED", head.Type)
		o.phase = phaseActive
	case phaseFinished:
		c.note("R2", "%s after RUN_FINISHED; ignored", head.Type)
		return false
	case phaseEnded:
		c.note("R1", "%s after the run had ended; ignored", head.Type)
		return false
	}
	o.checkInRun(ev, head.SubagentRunID, c)
	return true
}

func (o *order) checkInRun(ev agui.Event, tag string, c *Conversation) {
	switch e := ev.(type) {
	case *agui.RunFinished:
		o.checkFinish(c)
		o.phase = phaseFinished

	case *agui.TextMessageStart:
		o.start("R9", entityID{anyMessage, e.MessageID}, tag, c)
	case *agui.TextMessageContent:
		o.within("R10", entityID{anyMessage, e.MessageID}, tag, c)
	case *agui.TextMessageEnd:
		o.end("R10", entityID{anyMessage, e.MessageID}, tag, c)

	case *agui.ToolCallStart:
		if owner, known := o.owners[entityID{anyMessage, e.ParentMessageID}]; known && e.ParentMessageID != "" {
			if tag == "" {
				tag = owner
			} else if tag != owner {
				c.note("R13", "tool call %s is tagged %s but its message belongs to %s", short(e.ToolCallID), short(tag), short(owner))
			}
		}
		o.start("R11", entityID{toolCall, e.ToolCallID}, tag, c)
	case *agui.ToolCallArgs:
		o.within("R12", entityID{toolCall, e.ToolCallID}, tag, c)
	case *agui.ToolCallEnd:
		o.end("R12", entityID{toolCall, e.ToolCallID}, tag, c)
	case *agui.ToolCallResult:
		o.owners[entityID{anyMessage, e.MessageID}] = tag

	case *agui.ReasoningStart:
		o.start("R16", entityID{reasoningSpan, e.MessageID}, tag, c)
	case *agui.ReasoningEnd:
		o.end("R17", entityID{reasoningSpan, e.MessageID}, tag, c)
	case *agui.ReasoningMessageStart:
		o.start("R16", entityID{reasoning, e.MessageID}, tag, c)
	case *agui.ReasoningMessageContent:
		o.within("R17", entityID{reasoning, e.MessageID}, tag, c)
	case *agui.ReasoningMessageEnd:
		o.end("R17", entityID{reasoning, e.MessageID}, tag, c)
	case *agui.ReasoningEncryptedValue:
		kind := anyMessage
		if e.Subtype == "tool-call" {
			kind = toolCall
		} else if _, known := o.owners[entityID{anyMessage, e.EntityID}]; !known {
			kind = reasoning
		}
		o.attributed(entityID{kind, e.EntityID}, tag, c)

	case *agui.ActivitySnapshot:
		id := entityID{activity, e.MessageID}
		if _, known := o.owners[id]; !known || e.Replace == nil || *e.Replace {
			o.owners[id] = tag
		}
	case *agui.ActivityDelta:
		o.attributed(entityID{activity, e.MessageID}, tag, c)
	case *agui.MessagesSnapshot:
		o.own(e.Messages)

	case *agui.StepStarted:
		id := stepID{tag, e.StepName}
		if o.steps[id] {
			c.note("R19", "step %s is already in progress", short(e.StepName))
		}
		o.steps[id] = true
	case *agui.StepFinished:
		id := stepID{tag, e.StepName}
		if !o.steps[id] {
			c.note("R20", "step %s is not in progress", short(e.StepName))
		}
		delete(o.steps, id)

	case *agui.SubagentStarted:
		o.subagentStarted(e, c)
	case *agui.SubagentFinished:
		o.subagentEnded(tag, c)
	case *agui.SubagentError:
		o.subagentEnded(tag, c)
	}
}

func (o *order) start(rule string, id entityID, tag string, c *Conversation) {
	if o.open[id] {
		c.note(rule, "%s is already in progress", short(id.id))
	} else {
		o.open[id] = true
		o.counts[id.kind]++
	}
	if _, known := o.owners[id]; !known {
		o.owners[id] = tag
	} else {
		o.attributed(id, tag, c)
	}
}

func (o *order) within(rule string, id entityID, tag string, c *Conversation) {
	if !o.open[id] {
		c.note(rule, "%s is not in progress", short(id.id))
	}
	o.attributed(id, tag, c)
}

func (o *order) end(rule string, id entityID, tag string, c *Conversation) {
	o.within(rule, id, tag, c)
	if o.open[id] {
		delete(o.open, id)
		o.counts[id.kind]--
	}
}

// attributed checks a tag against the owner (rule 30). Untagged always passes.
func (o *order) attributed(id entityID, tag string, c *Conversation) {
	if tag == "" {
		return
	}
	if owner, known := o.owners[id]; known && owner != tag {
		c.note("R30", "%s is tagged %s but belongs to %s", short(id.id), short(tag), short(owner))
	}
}

// own records who owns what a MESSAGES_SNAPSHOT holds (rule 32).
func (o *order) own(messages []agui.Message) {
	for _, m := range messages {
		kind := anyMessage
		switch m.Role {
		case agui.RoleActivity:
			kind = activity
		case agui.RoleReasoning:
			kind = reasoning
		}
		o.owners[entityID{kind, m.ID}] = m.SubagentRunID
		for _, t := range m.ToolCalls {
			o.owners[entityID{toolCall, t.ID}] = m.SubagentRunID
		}
	}
}

// checkFinish notes what RUN_FINISHED leaves open (rules 21 to 24).
func (o *order) checkFinish(c *Conversation) {
	active := 0
	for _, on := range o.subagents {
		if on {
			active++
		}
	}
	for _, left := range []struct {
		rule, what string
		n          int
	}{
		{"R21", "steps", len(o.steps)},
		{"R21", "text messages", o.counts[anyMessage]},
		{"R22", "reasoning messages", o.counts[reasoning]},
		{"R22", "reasoning spans", o.counts[reasoningSpan]},
		{"R23", "tool calls", o.counts[toolCall]},
		{"R24", "subagents", active},
	} {
		if left.n > 0 {
			c.note(left.rule, "RUN_FINISHED while %d %s are open", left.n, left.what)
		}
	}
}

func (o *order) subagentStarted(e *agui.SubagentStarted, c *Conversation) {
	id := e.SubagentRunID
	if id == "" {
		c.note("R25", "SUBAGENT_STARTED without an id; ignored")
		return
	}
	if active, known := o.subagents[id]; known && active {
		c.note("R25", "subagent %s is already active", short(id))
	} else if known {
		c.note("R25", "subagent %s was already closed in this run", short(id))
	}
	if p := e.ParentSubagentRunID; p != "" {
		if _, known := o.subagents[p]; !known {
			c.note("R26", "subagent %s names an unknown parent %s", short(id), short(p))
		}
	}
	if _, known := o.subagents[id]; !known {
		o.subagents[id] = true
	}
}

func (o *order) subagentEnded(id string, c *Conversation) {
	if !o.subagents[id] {
		c.note("R27", "subagent %s is not active", short(id))
		return
	}
	o.subagents[id] = false
}
