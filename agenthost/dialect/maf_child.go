package dialect

import (
	"encoding/json"

	"cairn/agui"
	"cairn/internal/jsontext"
)

// mafChild is an agent at work inside a tool.
type mafChild struct {
	name, run, message string
	writing            bool
}

func (c *mafChild) base() agui.Base { return agui.Base{SubagentRunID: c.run} }

// ChildStarted leaves the call open until the agent has answered; its description is the
// prompt (measured transcript maf/19).
func (m *maf) ChildStarted(d Delegation) []agui.Event {
	c := &mafChild{name: d.Child, run: "sub-" + m.run.NewID(), message: "msg-" + m.run.NewID()}
	m.children[d.Call.ID] = c
	return append(m.ToolCall(d.Call), &agui.SubagentStarted{Base: c.base(),
		Name: d.Child, Description: d.Prompt, ParentToolCallID: d.Call.ID})
}

// ChildText writes the one message that an agent has, however often it is asked.
func (m *maf) ChildText(callID, delta string) []agui.Event {
	c := m.children[callID]
	var evs []agui.Event
	if !c.writing {
		c.writing = true
		evs = one(&agui.TextMessageStart{Base: c.base(), MessageID: c.message, Role: agui.RoleAssistant})
	}
	return append(evs, &agui.TextMessageContent{Base: c.base(), MessageID: c.message, Delta: delta})
}

// ChildStep, ChildToolCall and ChildToolResult send nothing: of an agent inside a tool
// only the text is sent.
func (m *maf) ChildStep(string) []agui.Event                                { return nil }
func (m *maf) ChildToolCall(string, Call) []agui.Event                      { return nil }
func (m *maf) ChildToolResult(string, string, json.RawMessage) []agui.Event { return nil }

func (m *maf) ChildFinished(callID, text string) []agui.Event {
	evs := append(m.closeChild(callID), &agui.SubagentFinished{Base: m.children[callID].base()})
	delete(m.children, callID)
	return append(evs, m.ToolResult(callID, jsontext.Must(text))...)
}

// ChildFailed sends the failure that the model receives, as for any tool.
func (m *maf) ChildFailed(callID, _ string, result json.RawMessage) []agui.Event {
	return append(m.broke(callID), m.ToolResult(callID, result)...)
}

func (m *maf) broke(callID string) []agui.Event {
	c := m.children[callID]
	evs := append(m.closeChild(callID), &agui.SubagentError{Base: c.base(), Message: c.name + " failed."})
	delete(m.children, callID)
	return evs
}

func (m *maf) closeChild(callID string) []agui.Event {
	c := m.children[callID]
	if !c.writing {
		return nil
	}
	c.writing = false
	return one(&agui.TextMessageEnd{Base: c.base(), MessageID: c.message})
}
