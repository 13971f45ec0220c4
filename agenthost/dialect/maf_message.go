package dialect

import (
	"encoding/json"
	"slices"

	"cairn/agui"
)

func (m *maf) Step() { m.stepped = true }

// message gives the id of the message that is being written, after what opens it.
// A turn that only calls tools has one too, without words (measured transcript
// maf/03).
func (m *maf) message() (string, []agui.Event) {
	var evs []agui.Event
	if m.stepped {
		evs = m.closeMessage()
	}
	m.stepped = false
	if m.writing == 0 {
		id := m.run.NewID()
		m.add(agui.Message{ID: id, Role: agui.RoleAssistant})
		m.writing = len(m.history)
		evs = append(evs, &agui.TextMessageStart{MessageID: id, Role: agui.RoleAssistant})
	}
	return m.history[m.writing-1].ID, evs
}

func (m *maf) add(msg agui.Message) { m.history, m.added = append(m.history, msg), true }

func (m *maf) closeMessage() []agui.Event {
	if m.writing == 0 {
		return nil
	}
	msg := &m.history[m.writing-1]
	if len(m.text) > 0 {
		msg.Content = agui.TextContent(string(m.text))
	}
	m.writing, m.text = 0, nil
	return one(&agui.TextMessageEnd{MessageID: msg.ID})
}

func (m *maf) Text(delta string) []agui.Event {
	id, evs := m.message()
	m.text = append(m.text, delta...)
	return append(evs, &agui.TextMessageContent{MessageID: id, Delta: delta})
}

func (m *maf) Concluded(text string) []agui.Event {
	m.Step()
	return m.Text(text)
}

// ToolCall opens a call, which its result ends.
func (m *maf) ToolCall(c Call) []agui.Event {
	evs := m.ClientCall(c.ID, c.Name)
	return append(evs, m.ClientArgs(c.ID, string(c.Args))...)
}

func (m *maf) ClientCall(callID, name string) []agui.Event {
	id, evs := m.message()
	m.told[callID] = true
	msg := &m.history[m.writing-1]
	msg.ToolCalls = append(msg.ToolCalls, agui.ToolCall{ID: callID, Type: "function", Function: agui.Function{Name: name}})
	return append(evs, &agui.ToolCallStart{ToolCallID: callID, ToolCallName: name, ParentMessageID: id})
}

func (m *maf) ClientArgs(callID, delta string) []agui.Event {
	calls := m.history[m.writing-1].ToolCalls
	if i := slices.IndexFunc(calls, func(c agui.ToolCall) bool { return c.ID == callID }); i >= 0 {
		calls[i].Function.Arguments += delta
	}
	return one(&agui.ToolCallArgs{ToolCallID: callID, Delta: delta})
}

func (m *maf) ClientCallEnd(callID string) []agui.Event {
	delete(m.told, callID)
	return one(&agui.ToolCallEnd{ToolCallID: callID})
}

// ToolResult ends a call of this run. One that a decision is about has ended in an
// earlier run: there the state comes before the result, and a rejection is in the
// conversation only (measured transcripts maf/06 and maf/09). A result the client
// has already is said once more under its own message id, and what the client made
// of it is put right.
func (m *maf) ToolResult(callID string, result json.RawMessage) []agui.Event {
	text := plain(result)
	if m.told[callID] {
		return append(m.ClientCallEnd(callID), m.result(m.run.NewID(), callID, text))
	}
	answers := func(msg agui.Message) bool { return msg.Role == agui.RoleTool && msg.ToolCallID == callID }
	if i := slices.IndexFunc(m.history, answers); i >= 0 {
		if m.history[i].Content.Text() != text {
			m.history[i].Content, m.added = agui.TextContent(text), true
		}
		if text == Rejected {
			m.added = true
			return nil
		}
		return one(toolResult(m.history[i].ID, callID, text))
	}
	if text == Rejected {
		m.result("approval-response-"+callID, callID, text)
		return nil
	}
	var evs []agui.Event
	if len(m.predict) > 0 && m.state != nil {
		evs = one(&agui.StateSnapshot{Snapshot: m.state})
	}
	return append(evs, m.result(m.run.NewID(), callID, text))
}

// result puts a result into the conversation, behind its call and the results
// that the call's message has, and gives the event that says it.
func (m *maf) result(id, callID, text string) agui.Event {
	at := len(m.history)
	if i := slices.IndexFunc(m.history, func(msg agui.Message) bool {
		return slices.ContainsFunc(msg.ToolCalls, func(c agui.ToolCall) bool { return c.ID == callID })
	}); i >= 0 {
		for at = i + 1; at < len(m.history) && m.history[at].Role == agui.RoleTool; at++ {
		}
	}
	m.history = slices.Insert(m.history, at, agui.Message{ID: id, Role: agui.RoleTool, ToolCallID: callID, Content: agui.TextContent(text)})
	m.added = true
	if m.writing > at {
		m.writing++
	}
	return toolResult(id, callID, text)
}

func toolResult(id, callID, text string) agui.Event {
	return &agui.ToolCallResult{MessageID: id, ToolCallID: callID, Role: agui.RoleTool, Content: agui.TextContent(text)}
}

// plain is a result as the framework writes it: text as it is, a failure as a
// sentence that begins with Error, anything else as JSON.
func plain(result json.RawMessage) string {
	var text string
	if json.Unmarshal(result, &text) == nil {
		return text
	}
	var failed struct {
		Error   bool   `json:"error"`
		Message string `json:"message"`
	}
	if json.Unmarshal(result, &failed) == nil && failed.Error {
		return "Error: " + failed.Message
	}
	return string(result)
}
