package agui

import (
	"encoding/json"
	"strconv"
)

// This file holds the readings by which this package takes more than 1.0 allows
// (protocol sections 8 and 9).

// settle applies these readings to an event that was read.
func settle(ev Event, rep *reporter) {
	head := ev.Head()
	dropNull(&head.RawEvent)
	switch ev.(type) {
	case *RunStarted, *RunFinished, *RunError, *MessagesSnapshot:
		if head.SubagentRunID != "" {
			rep.report("subagentRunId", "has no place in %s; ignored", head.Type)
			head.SubagentRunID = ""
		}
	case *SubagentStarted, *SubagentFinished, *SubagentError:
		if head.SubagentRunID == "" {
			rep.report("subagentRunId", "required, but missing")
		}
	}
	switch e := ev.(type) {
	case *RunStarted:
		if e.Input != nil {
			e.Input.dropNulls()
			e.Input.Messages = knownRoles(e.Input.Messages, "input.messages", rep)
			e.Input.inspectResume(rep)
		}
	case *RunFinished:
		dropNull(&e.Result)
		if o := e.Outcome; o != nil {
			for i := range o.Interrupts {
				dropNull(&o.Interrupts[i].ResponseSchema)
			}
			switch o.Type {
			case OutcomeSuccess, OutcomeCancelled:
			case OutcomeInterrupt:
				if len(o.Interrupts) == 0 {
					rep.report("outcome.interrupts", "at least one is required")
				}
			default:
				// The reference client takes such a run for a success; we let the reader
				// see that it does not know.
				rep.report("outcome.type", "unknown outcome %s; kept", quote(string(o.Type)))
			}
		}
	case *TextMessageStart:
		writerRole(e.Role, rep)
	case *TextMessageChunk:
		if e.Role != nil {
			writerRole(*e.Role, rep)
		}
	case *SubagentFinished:
		dropNull(&e.Result)
		if o := e.Outcome; o != nil && o.Type != SubagentSuccess && o.Type != SubagentSuspended {
			rep.report("outcome.type", "unknown outcome %s; kept", quote(o.Type))
		}
	case *MessagesSnapshot:
		e.Messages = knownRoles(e.Messages, "messages", rep)
	case *ToolCallResult:
		e.Content.inspect("content", rep)
	case *ReasoningMessageStart:
		// Early producers said assistant, or nothing.
		if e.Role != RoleReasoning {
			rep.report("role", "role %s; read as reasoning", quote(string(e.Role)))
			e.Role = RoleReasoning
		}
	}
}

// writerRole reports a role that no text message is written in.
func writerRole(r Role, rep *reporter) {
	switch r {
	case "", RoleDeveloper, RoleSystem, RoleAssistant, RoleUser:
	default:
		rep.report("role", "no text message has role %s; kept", quote(string(r)))
	}
}

func dropNull(raw *json.RawMessage) {
	if string(*raw) == "null" {
		*raw = nil
	}
}

// dropNulls makes null absent where any JSON may stand; in typed members it is
// already.
func (in *RunAgentInput) dropNulls() {
	dropNull(&in.State)
	dropNull(&in.ForwardedProps)
	for i := range in.Tools {
		dropNull(&in.Tools[i].Parameters)
	}
	for i := range in.Resume {
		dropNull(&in.Resume[i].Payload)
	}
}

// inspectResume reports statuses that answer nothing.
func (in *RunAgentInput) inspectResume(rep *reporter) {
	for i, r := range in.Resume {
		if r.Status != ResumeResolved && r.Status != ResumeCancelled {
			rep.report("input.resume["+strconv.Itoa(i)+"].status", "unknown status %s; kept", quote(string(r.Status)))
		}
	}
}

// knownRoles leaves out messages of roles this package does not know.
func knownRoles(messages []Message, path string, rep *reporter) []Message {
	kept := messages[:0]
	for i, m := range messages {
		at := path + "[" + strconv.Itoa(i) + "]"
		switch m.Role {
		case RoleDeveloper, RoleSystem, RoleUser, RoleAssistant, RoleTool, RoleActivity, RoleReasoning:
			m.Content.inspect(at+".content", rep)
			kept = append(kept, m)
		default:
			rep.report(at+".role", "unknown role %s; message left out", quote(string(m.Role)))
		}
	}
	return kept
}

// inspect reports what Parts will leave out.
func (c Content) inspect(path string, rep *reporter) {
	if rep == nil || len(c.Raw) == 0 || c.Raw[0] != '[' {
		return
	}
	_, left := c.Parts()
	for _, d := range left {
		rep.report(path+d.Path, "%s", d.What)
	}
}
