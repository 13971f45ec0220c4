package dialect

import (
	"encoding/json"

	"cairn/agui"
	"cairn/internal/jsontext"
)

// strandsChild is the open card of one delegated agent.
type strandsChild struct {
	run  string // its run's id
	open string // the message it is writing, or empty
}

func (c *strandsChild) base() agui.Base { return agui.Base{SubagentRunID: c.run} }

// ChildStarted sends the call, then the child.
func (s *strands) ChildStarted(d Delegation) []agui.Event {
	evs := s.call(d.Call, nil)
	c := &strandsChild{run: s.run.NewID()}
	s.children[d.Call.ID] = c
	return append(evs, &agui.SubagentStarted{Base: c.base(), Name: d.Child, Description: d.Description, ParentToolCallID: d.Call.ID})
}

func (s *strands) ChildText(callID, delta string) []agui.Event {
	c := s.children[callID]
	var evs []agui.Event
	if c.open == "" {
		c.open = s.run.NewID()
		evs = append(evs, &agui.TextMessageStart{Base: c.base(), MessageID: c.open, Role: agui.RoleAssistant})
	}
	return append(evs, &agui.TextMessageContent{Base: c.base(), MessageID: c.open, Delta: delta})
}

// ChildStep closes the message the child was writing.
func (s *strands) ChildStep(callID string) []agui.Event {
	c := s.children[callID]
	if c.open == "" {
		return nil
	}
	id := c.open
	c.open = ""
	return one(&agui.TextMessageEnd{Base: c.base(), MessageID: id})
}

func (s *strands) ChildToolCall(callID string, call Call) []agui.Event {
	return append(s.ChildStep(callID), callEvents(call, "", s.children[callID].run)...)
}

func (s *strands) ChildToolResult(callID, childCallID string, result json.RawMessage) []agui.Event {
	return one(&agui.ToolCallResult{Base: s.children[callID].base(), MessageID: s.run.NewID(), ToolCallID: childCallID,
		Content: agui.TextContent(string(result))})
}

// ChildFinished ends the child; its last answer is the call's result.
func (s *strands) ChildFinished(callID, text string) []agui.Event {
	evs := append(s.ChildStep(callID), &agui.SubagentFinished{Base: s.children[callID].base()})
	delete(s.children, callID)
	return append(evs, s.ToolResult(callID, jsontext.Must(text))...)
}

func (s *strands) ChildFailed(callID, message string, result json.RawMessage) []agui.Event {
	return append(s.brokeChild(callID, message), s.ToolResult(callID, result)...)
}

func (s *strands) brokeChild(callID, message string) []agui.Event {
	evs := append(s.ChildStep(callID), &agui.SubagentError{Base: s.children[callID].base(), Message: message})
	delete(s.children, callID)
	return evs
}
