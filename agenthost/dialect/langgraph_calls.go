package dialect

import (
	"encoding/json"

	"cairn/agui"
)

// ToolCall adds the call to its turn. A call that comes after the result of another call
// of the turn is in the node tools.
func (m *langgraph) ToolCall(c Call) []agui.Event {
	var evs []agui.Event
	if m.node != nodeTools || m.asked || m.turn == nil {
		evs = append(m.enter(nodeDesk), m.endText()...)
	}
	m.turn.ToolCalls = append(m.turn.ToolCalls, agui.ToolCall{ID: c.ID, Type: "function",
		Function: agui.Function{Name: c.Name, Arguments: string(c.Args)}})
	return append(evs, callEvents(c, m.turn.ID, "")...)
}

// ToolResult sends a string as itself and any other value as JSON, under the id of the
// call.
func (m *langgraph) ToolResult(callID string, result json.RawMessage) []agui.Event {
	return append(m.enter(nodeTools), m.result(callID, plainText(result)))
}

func (m *langgraph) result(callID, text string) agui.Event {
	msg := &agui.Message{ID: callID, Role: agui.RoleTool, Content: agui.TextContent(text), ToolCallID: callID}
	m.said = append(m.said, msg)
	return &agui.ToolCallResult{MessageID: msg.ID, ToolCallID: callID, Role: agui.RoleTool, Content: msg.Content}
}

func plainText(v json.RawMessage) string {
	var text string
	if json.Unmarshal(v, &text) == nil && v[0] == '"' {
		return text
	}
	return string(v)
}

func (m *langgraph) ClientCall(callID, name string) []agui.Event {
	evs := append(m.enter(nodeDesk), m.endText()...)
	m.client[callID] = addCall(m.turn, callID, name)
	return append(evs, &agui.ToolCallStart{ToolCallID: callID, ToolCallName: name, ParentMessageID: m.turn.ID})
}

func (m *langgraph) ClientArgs(callID, delta string) []agui.Event {
	if c := m.client[callID]; c != nil {
		c.args.WriteString(delta)
	}
	return one(&agui.ToolCallArgs{ToolCallID: callID, Delta: delta})
}

func (m *langgraph) ClientCallEnd(callID string) []agui.Event {
	if c := m.client[callID]; c != nil {
		c.settle()
		delete(m.client, callID)
	}
	return one(&agui.ToolCallEnd{ToolCallID: callID})
}
