package dialect

import (
	"encoding/json"

	"cairn/agui"
)

func (m *maf) Step() { m.stepped = true }

// message returns the id of the message that is being written, and the events that open
// it. A turn that only calls tools has one too, without text (measured transcript maf/03).
func (m *maf) message() (string, []agui.Event) {
	var evs []agui.Event
	if m.stepped {
		evs = m.closeMessage()
	}
	m.stepped = false
	if m.writing == nil {
		m.writing = &agui.Message{ID: m.run.NewID(), Role: agui.RoleAssistant}
		m.writingAt, m.added = len(m.history), true
		m.note(m.writing)
		evs = append(evs, &agui.TextMessageStart{MessageID: m.writing.ID, Role: agui.RoleAssistant})
	}
	return m.writing.ID, evs
}

// note adds a message to the conversation.
func (m *maf) note(msg *agui.Message) {
	m.history = append(m.history, msg)
	for _, c := range msg.ToolCalls {
		m.noteCall(c.ID, len(m.history)-1)
	}
	if msg.Role == agui.RoleTool && m.results[msg.ToolCallID] == nil {
		m.results[msg.ToolCallID] = msg
	}
}

// noteCall records which message of history has a call.
func (m *maf) noteCall(id string, at int) {
	if _, known := m.callAt[id]; !known {
		m.callAt[id] = at
	}
}

// conversation returns all messages in their order.
func (m *maf) conversation() []agui.Message {
	for _, c := range m.told {
		c.settle()
	}
	all := make([]agui.Message, 0, len(m.history))
	var behind []*agui.Message
	put := func() {
		for _, msg := range behind {
			all = append(all, *msg)
		}
		behind = nil
	}
	for i, msg := range m.history {
		if msg.Role != agui.RoleTool {
			put()
		}
		all, behind = append(all, *msg), append(behind, m.behind[i]...)
	}
	put()
	return all
}

func (m *maf) closeMessage() []agui.Event {
	if m.writing == nil {
		return nil
	}
	id := m.writing.ID
	if len(m.text) > 0 {
		m.writing.Content = agui.TextContent(string(m.text))
	}
	m.writing, m.text = nil, nil
	return one(&agui.TextMessageEnd{MessageID: id})
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
	m.told[callID] = addCall(m.writing, callID, name)
	m.noteCall(callID, m.writingAt)
	return append(evs, &agui.ToolCallStart{ToolCallID: callID, ToolCallName: name, ParentMessageID: id})
}

func (m *maf) ClientArgs(callID, delta string) []agui.Event {
	if c := m.told[callID]; c != nil {
		c.args.WriteString(delta)
	}
	return one(&agui.ToolCallArgs{ToolCallID: callID, Delta: delta})
}

func (m *maf) ClientCallEnd(callID string) []agui.Event {
	if c := m.told[callID]; c != nil {
		c.settle()
		delete(m.told, callID)
	}
	return one(&agui.ToolCallEnd{ToolCallID: callID})
}

// ToolResult ends a call of this run. One that a decision is about has ended in an
// earlier run: there the state comes before the result, and a rejection is in the
// conversation only (measured transcripts maf/06 and maf/09). A result that the client
// has already is sent again under its message id, and corrected.
func (m *maf) ToolResult(callID string, result json.RawMessage) []agui.Event {
	text := plain(result)
	if m.told[callID] != nil {
		return append(m.ClientCallEnd(callID), m.result(m.run.NewID(), callID, text))
	}
	if msg := m.results[callID]; msg != nil {
		if msg.Content.Text() != text {
			msg.Content, m.added = agui.TextContent(text), true
		}
		if text == Rejected {
			m.added = true
			return nil
		}
		return one(toolResult(msg.ID, callID, text))
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

// result adds a result to the conversation, behind its call and the results that the
// call's message has, and returns its event.
func (m *maf) result(id, callID, text string) agui.Event {
	msg := &agui.Message{ID: id, Role: agui.RoleTool, ToolCallID: callID, Content: agui.TextContent(text)}
	if at, ok := m.callAt[callID]; ok {
		m.behind[at] = append(m.behind[at], msg)
		if m.results[callID] == nil {
			m.results[callID] = msg
		}
	} else {
		m.note(msg)
	}
	m.added = true
	return toolResult(id, callID, text)
}

func toolResult(id, callID, text string) agui.Event {
	return &agui.ToolCallResult{MessageID: id, ToolCallID: callID, Role: agui.RoleTool, Content: agui.TextContent(text)}
}

// plain returns a result in the framework's form: text as it is, a failure as a sentence
// that begins with Error, anything else as JSON.
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
