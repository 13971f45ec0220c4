package dialect

import (
	"encoding/json"
	"slices"

	"cairn/agui"
	"cairn/internal/jsontext"
)

func (p *protocol) ClientCall(callID, name string) []agui.Event {
	p.open = append(p.open, callID)
	return p.parent.callStart(callID, name)
}

func (p *protocol) ClientArgs(callID, delta string) []agui.Event {
	return one(&agui.ToolCallArgs{ToolCallID: callID, Delta: delta})
}

func (p *protocol) ClientCallEnd(callID string) []agui.Event {
	p.open = slices.DeleteFunc(p.open, func(id string) bool { return id == callID })
	p.pending = append(p.pending, callID)
	return one(&agui.ToolCallEnd{ToolCallID: callID})
}

// Suspended shows the call, unless the client has it or it is the service's own, and
// adds an interrupt to the outcome. The metadata has the tool's name, its arguments
// and what it shows the user, as toolName, args and payload.
func (p *protocol) Suspended(s Suspension) []agui.Event {
	in := agui.Interrupt{
		ID:        Protocol{}.InterruptID(p.run.RunID, s.Call.ID),
		Reason:    "tool_call",
		Message:   "The tool " + s.Call.Name + " waits for a decision.",
		ExpiresAt: s.ExpiresAt,
		Metadata:  map[string]json.RawMessage{"toolName": jsontext.Must(s.Call.Name), "args": s.Call.Args, "payload": s.Payload},
	}
	var question string
	if json.Unmarshal(s.Payload, &question) == nil && question != "" {
		in.Message = question
	}
	if len(s.ResumeSchema) > 0 && s.ResumeSchema[0] == '{' {
		in.ResponseSchema = s.ResumeSchema
	}
	var evs []agui.Event
	if s.Own {
		in.Reason, evs = "confirmation", p.parent.close()
	} else {
		in.ToolCallID = s.Call.ID
		if !p.calls[s.Call.ID] {
			evs = p.parent.call(s.Call)
		}
	}
	p.waiting = append(p.waiting, in)
	return evs
}
