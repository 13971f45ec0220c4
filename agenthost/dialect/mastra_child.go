package dialect

import (
	"encoding/json"
	"fmt"

	"cairn/agui"
	"cairn/internal/jsontext"
)

// mastraChild is the open card of one delegated agent.
type mastraChild struct {
	name     string
	messages int  // messages begun
	open     bool // a message is being written
}

// childRunID names the child's run after the call that opened it.
func childRunID(callID string) string { return callID + ":sub" }

func (c *mastraChild) messageID(callID string) string {
	id := childRunID(callID) + ":msg"
	if c.messages > 1 {
		id = fmt.Sprintf("%s-%d", id, c.messages)
	}
	return id
}

// ChildStarted sends the call at once, before the child answers.
func (m *mastra) ChildStarted(d Delegation) []agui.Event {
	m.children[d.Call.ID] = &mastraChild{name: d.Child}
	parent := m.parent()
	return append(callEvents(d.Call, parent, ""), &agui.SubagentStarted{
		Base:             agui.Base{SubagentRunID: childRunID(d.Call.ID)},
		Name:             d.Child,
		ParentToolCallID: d.Call.ID,
		ParentMessageID:  parent,
	})
}

func (m *mastra) ChildText(callID, delta string) []agui.Event {
	c := m.children[callID]
	base := agui.Base{SubagentRunID: childRunID(callID)}
	var evs []agui.Event
	if !c.open {
		c.open = true
		c.messages++
		evs = append(evs, &agui.TextMessageStart{Base: base, MessageID: c.messageID(callID), Role: agui.RoleAssistant})
	}
	return append(evs, &agui.TextMessageContent{Base: base, MessageID: c.messageID(callID), Delta: delta})
}

// ChildStep closes the message the child was writing.
func (m *mastra) ChildStep(callID string) []agui.Event {
	c := m.children[callID]
	if !c.open {
		return nil
	}
	c.open = false
	return one(&agui.TextMessageEnd{Base: agui.Base{SubagentRunID: childRunID(callID)}, MessageID: c.messageID(callID)})
}

func (m *mastra) ChildToolCall(callID string, call Call) []agui.Event {
	return append(m.ChildStep(callID), callEvents(call, "", childRunID(callID))...)
}

func (m *mastra) ChildToolResult(callID, childCallID string, result json.RawMessage) []agui.Event {
	return one(&agui.ToolCallResult{Base: agui.Base{SubagentRunID: childRunID(callID)},
		MessageID: m.run.NewID(), ToolCallID: childCallID, Role: agui.RoleTool, Content: agui.TextContent(string(result))})
}

func (m *mastra) ChildFinished(callID, text string) []agui.Event {
	name := m.children[callID].name
	evs := append(m.ChildStep(callID), &agui.SubagentFinished{
		Base: agui.Base{SubagentRunID: childRunID(callID)}, Result: jsontext.Must(text)})
	result := jsontext.Must(struct {
		Text        string            `json:"text"`
		ThreadID    string            `json:"subAgentThreadId"`
		ResourceID  string            `json:"subAgentResourceId"`
		ToolResults []json.RawMessage `json:"subAgentToolResults"`
	}{text, m.run.ThreadID + "-" + m.run.NewID(), m.run.ThreadID + "-" + name, []json.RawMessage{}})
	delete(m.children, callID)
	return append(evs, m.ToolResult(callID, result)...)
}

func (m *mastra) ChildFailed(callID, message string, result json.RawMessage) []agui.Event {
	evs := append(m.ChildStep(callID), &agui.SubagentError{
		Base: agui.Base{SubagentRunID: childRunID(callID)}, Message: message})
	delete(m.children, callID)
	return append(evs, m.ToolResult(callID, result)...)
}
