package verify

import "cairn/agui"

// This file checks the order of expanded events (protocol section 5). It reports
// violations and holds back what comes after a run's end; what can be kept of any
// other event out of order is the reducer's decision.

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

// check reports what is out of order and whether ev may be applied: after the end
// of a run nothing may, until the next begins.
func (v *Verifier) check(ev agui.Event) bool {
	head := ev.Head()
	switch e := ev.(type) {
	case *agui.Unknown:
		return true // dropped before these rules (section 8.4)
	case *agui.RunStarted:
		if v.order.phase == phaseActive {
			v.violate("R4", "RUN_STARTED while a run is active")
		}
		v.order.reset()
		v.order.phase = phaseActive
		if e.Input != nil {
			v.own(e.Input.Messages, false)
		}
		return true
	case *agui.RunError:
		if v.order.phase == phaseEnded {
			v.violate("R1", "RUN_ERROR after the run had ended; ignored")
			return false
		}
		v.order.phase = phaseEnded
		return true
	}
	switch v.order.phase {
	case phaseBefore:
		v.violate("R3", "%s before RUN_STARTED", head.Type)
		v.order.phase = phaseActive
	case phaseFinished:
		v.violate("R2", "%s after RUN_FINISHED; ignored", head.Type)
		return false
	case phaseEnded:
		v.violate("R1", "%s after the run had ended; ignored", head.Type)
		return false
	}
	v.checkInRun(ev, head.SubagentRunID)
	return true
}

func (v *Verifier) checkInRun(ev agui.Event, tag string) {
	switch e := ev.(type) {
	case *agui.RunFinished:
		v.checkFinish()
		v.order.phase = phaseFinished

	case *agui.TextMessageStart:
		v.start("R9", entityID{anyMessage, e.MessageID}, tag)
	case *agui.TextMessageContent:
		v.within("R10", entityID{anyMessage, e.MessageID}, tag)
	case *agui.TextMessageEnd:
		v.end("R10", entityID{anyMessage, e.MessageID}, tag)

	case *agui.ToolCallStart:
		v.startToolCall(e, tag)
	case *agui.ToolCallArgs:
		v.within("R12", entityID{toolCall, e.ToolCallID}, tag)
	case *agui.ToolCallEnd:
		v.end("R12", entityID{toolCall, e.ToolCallID}, tag)
	case *agui.ToolCallResult:
		v.order.owners[entityID{anyMessage, e.MessageID}] = tag

	case *agui.ReasoningStart:
		v.start("R16", entityID{reasoningSpan, e.MessageID}, tag)
	case *agui.ReasoningEnd:
		v.end("R17", entityID{reasoningSpan, e.MessageID}, tag)
	case *agui.ReasoningMessageStart:
		v.start("R16", entityID{reasoning, e.MessageID}, tag)
	case *agui.ReasoningMessageContent:
		v.within("R17", entityID{reasoning, e.MessageID}, tag)
	case *agui.ReasoningMessageEnd:
		v.end("R17", entityID{reasoning, e.MessageID}, tag)
	case *agui.ReasoningEncryptedValue:
		kind := anyMessage
		if e.Subtype == "tool-call" {
			kind = toolCall
		} else if _, known := v.order.owners[entityID{anyMessage, e.EntityID}]; !known {
			kind = reasoning
		}
		v.attributed(entityID{kind, e.EntityID}, tag)

	case *agui.ActivitySnapshot:
		id := entityID{activity, e.MessageID}
		if _, known := v.order.owners[id]; !known || e.Replace == nil || *e.Replace {
			v.order.owners[id] = tag
		}
	case *agui.ActivityDelta:
		v.attributed(entityID{activity, e.MessageID}, tag)
	case *agui.MessagesSnapshot:
		v.own(e.Messages, true)

	case *agui.StepStarted:
		id := stepID{tag, e.StepName}
		if v.order.steps[id] {
			v.violate("R19", "step %s is already in progress", short(e.StepName))
		}
		v.order.steps[id] = true
	case *agui.StepFinished:
		id := stepID{tag, e.StepName}
		if !v.order.steps[id] {
			v.violate("R20", "%s", v.order.noStep(id))
		}
		delete(v.order.steps, id)

	case *agui.SubagentStarted:
		v.subagentStarted(e)
	case *agui.SubagentFinished:
		v.subagentEnded(tag)
	case *agui.SubagentError:
		v.subagentEnded(tag)
	}
}

func (v *Verifier) start(rule string, id entityID, tag string) {
	if v.order.open[id] {
		v.violate(rule, "%s is already in progress", short(id.id))
	} else {
		v.order.open[id] = true
		v.order.counts[id.kind]++
	}
	if _, known := v.order.owners[id]; !known {
		v.order.owners[id] = tag
	} else {
		v.attributed(id, tag)
	}
}

// startToolCall starts a call, which without a tag belongs to whom its message
// does (rules 11, 13 and 14).
func (v *Verifier) startToolCall(e *agui.ToolCallStart, tag string) {
	id := entityID{toolCall, e.ToolCallID}
	parent, known := v.order.owners[entityID{anyMessage, e.ParentMessageID}]
	if !known || e.ParentMessageID == "" {
		v.start("R11", id, tag)
		return
	}
	if tag != "" {
		if tag != parent {
			v.violate("R13", "tool call %s is tagged %s but its message belongs to %s", short(e.ToolCallID), short(tag), short(parent))
		}
		v.start("R11", id, tag)
		return
	}
	owner, again := v.order.owners[id]
	if again && owner != parent {
		v.violate("R14", "tool call %s belongs to %s but its message to %s", short(e.ToolCallID), short(owner), short(parent))
		v.start("R11", id, owner)
		return
	}
	v.start("R11", id, parent)
}

func (v *Verifier) within(rule string, id entityID, tag string) {
	if !v.order.open[id] {
		v.violate(rule, "%s is not in progress", short(id.id))
	}
	v.attributed(id, tag)
}

func (v *Verifier) end(rule string, id entityID, tag string) {
	v.within(rule, id, tag)
	v.order.shut(id)
}

// shut closes an id if it is open.
func (o *order) shut(id entityID) {
	if o.open[id] {
		delete(o.open, id)
		o.counts[id.kind]--
	}
}

// attributed checks a tag against the owner (rule 30). Untagged always passes.
func (v *Verifier) attributed(id entityID, tag string) {
	if tag == "" {
		return
	}
	if owner, known := v.order.owners[id]; known && owner != tag {
		v.violate("R30", "%s is tagged %s but belongs to %s", short(id.id), short(tag), short(owner))
	}
}

// own records who owns what whole messages hold (rule 32): a snapshot overwrites,
// an echoed input says only what is not known.
func (v *Verifier) own(messages []agui.Message, overwrite bool) {
	set := func(id entityID, owner string) {
		if _, known := v.order.owners[id]; overwrite || !known {
			v.order.owners[id] = owner
		}
	}
	for _, m := range messages {
		kind := anyMessage
		switch m.Role {
		case agui.RoleActivity:
			kind = activity
		case agui.RoleReasoning:
			kind = reasoning
		}
		set(entityID{kind, m.ID}, m.SubagentRunID)
		for _, t := range m.ToolCalls {
			set(entityID{toolCall, t.ID}, m.SubagentRunID)
		}
	}
}

// checkFinish reports what RUN_FINISHED leaves open (rules 21 to 24).
func (v *Verifier) checkFinish() {
	active := 0
	for _, on := range v.order.subagents {
		if on {
			active++
		}
	}
	for _, left := range []struct {
		rule, what string
		n          int
	}{
		{"R21", "steps", len(v.order.steps)},
		{"R21", "text messages", v.order.counts[anyMessage]},
		{"R22", "reasoning messages", v.order.counts[reasoning]},
		{"R22", "reasoning spans", v.order.counts[reasoningSpan]},
		{"R23", "tool calls", v.order.counts[toolCall]},
		{"R24", "subagents", active},
	} {
		if left.n > 0 {
			v.violate(left.rule, "RUN_FINISHED while %d %s are open", left.n, left.what)
		}
	}
}

func (v *Verifier) subagentStarted(e *agui.SubagentStarted) {
	id := e.SubagentRunID
	if id == "" {
		v.violate("R25", "SUBAGENT_STARTED without an id; ignored")
		return
	}
	if e.Name == "" {
		v.violate("R25", "subagent %s has no name", short(id))
	}
	if active, known := v.order.subagents[id]; known && active {
		v.violate("R25", "subagent %s is already active", short(id))
	} else if known {
		v.violate("R25", "subagent %s was already closed in this run", short(id))
	}
	if p := e.ParentSubagentRunID; p != "" {
		if _, known := v.order.subagents[p]; !known {
			v.violate("R26", "subagent %s names an unknown parent %s", short(id), short(p))
		}
	}
	if _, known := v.order.subagents[id]; !known {
		v.order.subagents[id] = true
	}
}

func (v *Verifier) subagentEnded(id string) {
	if !v.order.subagents[id] {
		v.violate("R27", "subagent %s is not active", short(id))
		return
	}
	v.order.subagents[id] = false
}

// noStep says why a step cannot finish.
func (o *order) noStep(id stepID) string {
	for other := range o.steps {
		if other.name == id.name {
			return "step " + short(id.name) + " is in progress, but under another agent"
		}
	}
	return "step " + short(id.name) + " is not in progress"
}
