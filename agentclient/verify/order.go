package verify

import "cairn/agui"

// This file checks the order of expanded events (protocol section 5). It reports
// violations and holds back what comes after a run's end; what can be kept of any
// other event out of order is the reducer's decision.

type phase int

const (
	phaseBefore   phase = iota // no RUN_STARTED yet
	phaseImplicit              // something came first; RUN_STARTED may still follow
	phaseActive                // between RUN_STARTED and the terminal event
	phaseFinished              // after RUN_FINISHED
	phaseEnded                 // after RUN_ERROR, or the run was given up
)

// check reports what is out of order and whether ev may be applied: after the end
// of a run nothing may, until the next begins.
func (v *Verifier) check(ev agui.Event) bool {
	head := ev.Head()
	switch e := ev.(type) {
	case *agui.Unknown, *agui.Malformed:
		return true // dropped before these rules (section 8.4)
	case *agui.RunStarted:
		if v.order.phase == phaseActive {
			v.violate("R4", "RUN_STARTED while a run is active")
		}
		if v.order.phase != phaseImplicit { // else what came early is of this run
			v.order.reset()
		}
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
		v.over(phaseEnded)
		return true
	}
	if v.late(head.Type) {
		return false
	}
	if v.order.phase == phaseBefore {
		v.violate("R3", "%s before RUN_STARTED", head.Type)
		v.order.phase = phaseImplicit
	}
	v.checkInRun(ev, head.SubagentRunID)
	return true
}

// late reports whether the run has ended, and then an event of type t as a violation.
func (v *Verifier) late(t agui.EventType) bool {
	switch v.order.phase {
	case phaseFinished:
		v.violate("R2", "%s after RUN_FINISHED; ignored", t)
	case phaseEnded:
		v.violate("R1", "%s after the run had ended; ignored", t)
	default:
		return false
	}
	return true
}

func (v *Verifier) checkInRun(ev agui.Event, tag string) {
	switch e := ev.(type) {
	case *agui.RunFinished:
		v.checkFinish()
		v.over(phaseFinished)

	case *agui.TextMessageStart:
		v.start("R9", anyMessage, e.MessageID, tag)
	case *agui.TextMessageContent:
		v.within("R10", anyMessage, e.MessageID, tag)
	case *agui.TextMessageEnd:
		v.end("R10", anyMessage, e.MessageID, tag)

	case *agui.ToolCallStart:
		v.startToolCall(e, tag)
	case *agui.ToolCallArgs:
		v.within("R12", toolCall, e.ToolCallID, tag)
	case *agui.ToolCallEnd:
		v.end("R12", toolCall, e.ToolCallID, tag)
	case *agui.ToolCallResult:
		v.order.own(anyMessage, e.MessageID, tag)

	case *agui.ReasoningStart:
		v.start("R16", reasoningSpan, e.MessageID, tag)
	case *agui.ReasoningEnd:
		v.end("R17", reasoningSpan, e.MessageID, tag)
	case *agui.ReasoningMessageStart:
		v.start("R16", reasoning, e.MessageID, tag)
	case *agui.ReasoningMessageContent:
		v.within("R17", reasoning, e.MessageID, tag)
	case *agui.ReasoningMessageEnd:
		v.end("R17", reasoning, e.MessageID, tag)
	case *agui.ReasoningEncryptedValue:
		kind := anyMessage
		if e.Subtype == "tool-call" {
			kind = toolCall
		} else if v.order.find(anyMessage, e.EntityID) == nil {
			kind = reasoning
		}
		v.attributed(v.order.find(kind, e.EntityID), tag)

	case *agui.ActivitySnapshot:
		if v.order.find(activity, e.MessageID) == nil || e.Replace == nil || *e.Replace {
			v.order.own(activity, e.MessageID, tag)
		}
	case *agui.ActivityDelta:
		v.attributed(v.order.find(activity, e.MessageID), tag)
	case *agui.MessagesSnapshot:
		v.own(e.Messages, true)

	case *agui.StepStarted:
		id := stepID{tag, e.StepName}
		if v.order.steps[id] {
			v.violate("R19", "step %s is already in progress", short(e.StepName))
			return
		}
		put(&v.order.steps, id, true)
		put(&v.order.named, e.StepName, v.order.named[e.StepName]+1)
	case *agui.StepFinished:
		id := stepID{tag, e.StepName}
		switch {
		case v.order.steps[id]:
			delete(v.order.steps, id)
			if v.order.named[e.StepName]--; v.order.named[e.StepName] == 0 {
				delete(v.order.named, e.StepName)
			}
		case v.order.named[e.StepName] > 0:
			v.violate("R20", "step %s is in progress, but under another agent", short(e.StepName))
		default:
			v.violate("R20", "step %s is not in progress", short(e.StepName))
		}

	case *agui.SubagentStarted:
		v.subagentStarted(e)
	case *agui.SubagentFinished:
		v.subagentEnded(tag)
	case *agui.SubagentError:
		v.subagentEnded(tag)
	}
}

func (v *Verifier) start(rule string, kind entity, id, tag string) {
	k := v.order.find(kind, id)
	if k != nil && k.open {
		v.violate(rule, "%s is already in progress", short(id))
	}
	if k == nil {
		if other := v.order.sameThought(kind, id); other != nil {
			v.attributed(other, tag)
			tag = other.owner
		}
		k = v.order.own(kind, id, tag)
	} else {
		v.attributed(k, tag)
	}
	if !k.open {
		k.open = true
		v.order.open[kind]++
	}
}

// startToolCall starts a call, which without a tag belongs to whom its message
// does (rules 11, 13 and 14).
func (v *Verifier) startToolCall(e *agui.ToolCallStart, tag string) {
	var parent *known
	if e.ParentMessageID != "" {
		parent = v.order.find(anyMessage, e.ParentMessageID)
	}
	if parent != nil && tag != "" && tag != parent.owner {
		v.violate("R13", "tool call %s is tagged %s but its message belongs to %s", short(e.ToolCallID), short(tag), short(parent.owner))
	}
	if parent != nil && tag == "" {
		tag = parent.owner
		if call := v.order.find(toolCall, e.ToolCallID); call != nil && call.owner != tag {
			v.violate("R14", "tool call %s belongs to %s but its message to %s", short(e.ToolCallID), short(call.owner), short(tag))
			tag = call.owner
		}
	}
	v.start("R11", toolCall, e.ToolCallID, tag)
	v.order.find(toolCall, e.ToolCallID).name = e.ToolCallName
}

// within checks an event that continues what is open, and returns what is known of
// it.
func (v *Verifier) within(rule string, kind entity, id, tag string) *known {
	k := v.order.find(kind, id)
	if k == nil || !k.open {
		v.violate(rule, "%s is not in progress", short(id))
	}
	v.attributed(k, tag)
	return k
}

func (v *Verifier) end(rule string, kind entity, id, tag string) {
	v.order.shut(v.within(rule, kind, id, tag))
}

// attributed checks a tag against the owner (rule 30). Untagged always passes,
// and so does what is not known.
func (v *Verifier) attributed(k *known, tag string) {
	if tag != "" && k != nil && k.owner != tag {
		v.violate("R30", "%s is tagged %s but belongs to %s", short(k.id), short(tag), short(k.owner))
	}
}

// own records the owners of what whole messages hold (rule 32): a snapshot overwrites,
// an echoed input says only what is not known.
func (v *Verifier) own(messages []agui.Message, overwrite bool) {
	set := func(kind entity, id, owner string) {
		if overwrite || v.order.find(kind, id) == nil {
			v.order.own(kind, id, owner)
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
		set(kind, m.ID, m.SubagentRunID)
		for _, t := range m.ToolCalls {
			set(toolCall, t.ID, m.SubagentRunID)
		}
	}
}

// checkFinish reports what RUN_FINISHED leaves open (rules 21 to 24).
func (v *Verifier) checkFinish() {
	for _, left := range []struct {
		rule, what string
		n          int
	}{
		{"R21", "steps", len(v.order.steps)},
		{"R21", "text messages", v.order.open[anyMessage]},
		{"R22", "reasoning messages", v.order.open[reasoning]},
		{"R22", "reasoning spans", v.order.open[reasoningSpan]},
		{"R23", "tool calls", v.order.open[toolCall]},
		{"R24", "subagents", v.order.active},
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
		put(&v.order.subagents, id, true)
		v.order.active++
	}
}

func (v *Verifier) subagentEnded(id string) {
	if !v.order.subagents[id] {
		v.violate("R27", "subagent %s is not active", short(id))
		return
	}
	v.order.subagents[id] = false
	v.order.active--
}
