package dialect

import (
	"encoding/json"

	"cairn/agui"
)

// call sends a whole call: a message of its own, which ends the text before it. A state
// that comes from the arguments is sent before the call's end (measured transcript
// strands/06).
func (s *strands) call(c Call, state json.RawMessage) []agui.Event {
	evs, parent := s.closeText(), s.run.NewID()
	evs = append(evs,
		&agui.ToolCallStart{ToolCallID: c.ID, ToolCallName: c.Name, ParentMessageID: parent},
		&agui.ToolCallArgs{ToolCallID: c.ID, Delta: string(c.Args)})
	if state != nil {
		evs = append(evs, s.Shared(state)...)
	}
	s.addCall(parent, c.ID, c.Name, string(c.Args))
	return append(append(evs, &agui.ToolCallEnd{ToolCallID: c.ID}), s.all()...)
}

// addCall adds a call to the messages, unless the client has it already.
func (s *strands) addCall(parent, id, name, args string) {
	if s.calls[id] {
		return
	}
	s.add(agui.Message{ID: parent, Role: agui.RoleAssistant, Content: agui.TextContent(""),
		ToolCalls: []agui.ToolCall{{ID: id, Type: "function", Function: agui.Function{Name: name, Arguments: args}}}})
}

// all returns the messages so far, unless the run has sent snapshotRoom bytes of them.
func (s *strands) all() []agui.Event {
	s.shown += s.size
	if s.owed = s.shown > snapshotRoom; s.owed {
		return nil
	}
	return one(&agui.MessagesSnapshot{Messages: s.messages})
}

func (s *strands) ToolCall(c Call) []agui.Event { return s.call(c, nil) }

// ToolResult writes the value as JSON text, so a string is encoded once more. A result
// that the client has already is sent again, not added again, and corrected.
func (s *strands) ToolResult(callID string, result json.RawMessage) []agui.Event {
	evs, id, content := s.closeText(), s.run.NewID(), agui.TextContent(string(result))
	if at, known := s.results[callID]; known {
		s.size += len(content.Raw) - len(s.messages[at].Content.Raw)
		id, s.messages[at].Content = s.messages[at].ID, content
	} else {
		s.add(agui.Message{ID: id, Role: agui.RoleTool, Content: content, ToolCallID: callID})
	}
	return append(append(evs, &agui.ToolCallResult{MessageID: id, ToolCallID: callID, Content: content}), s.all()...)
}

func (s *strands) ClientCall(callID, name string) []agui.Event {
	evs, parent := s.closeText(), s.run.NewID()
	s.client[callID] = &clientCall{parent: parent, name: name}
	return append(evs, &agui.ToolCallStart{ToolCallID: callID, ToolCallName: name, ParentMessageID: parent})
}

func (s *strands) ClientArgs(callID, delta string) []agui.Event {
	s.client[callID].args.WriteString(delta)
	return one(&agui.ToolCallArgs{ToolCallID: callID, Delta: delta})
}

func (s *strands) ClientCallEnd(callID string) []agui.Event {
	c := s.client[callID]
	delete(s.client, callID)
	s.addCall(c.parent, callID, c.name, c.args.String())
	return append(one(&agui.ToolCallEnd{ToolCallID: callID}), s.all()...)
}

// Suspended sends the call like any other, without a result. The question is in the
// outcome: the tool is the reason and the payload is in the metadata (measured transcript
// strands/06). There is no schema of the answer.
func (s *strands) Suspended(p Suspension) []agui.Event {
	s.waiting = append(s.waiting, agui.Interrupt{
		ID:        Strands{}.InterruptID(s.run.RunID, p.Call.ID),
		Reason:    p.Call.Name,
		ExpiresAt: p.ExpiresAt,
		Metadata:  map[string]json.RawMessage{"reason": p.Payload},
	})
	return s.call(p.Call, p.State)
}
