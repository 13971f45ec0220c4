package dialect

import (
	"encoding/json"
	"slices"

	"cairn/agui"
	"cairn/internal/jsontext"
)

func (m *langgraph) Snapshot(state json.RawMessage) []agui.Event {
	m.state = state
	return nil
}

// Delta sends nothing: the state at the run's end has what the model wrote.
func (m *langgraph) Delta(json.RawMessage) []agui.Event { return nil }

func (m *langgraph) Shared(state json.RawMessage) []agui.Event { return m.Snapshot(state) }

// whole sends the whole state, and the conversation: the client's messages, then those of
// this run, then those of children (measured, 19).
func (m *langgraph) whole() []agui.Event {
	all := slices.Clone(m.run.Messages)
	var refs []*agui.Message
	for i := range m.run.Messages {
		refs = append(refs, &m.run.Messages[i])
	}
	for _, msg := range m.said {
		all = append(all, *msg)
	}
	return []agui.Event{
		snapshot(m.state, append(refs, m.said...)),
		&agui.MessagesSnapshot{Messages: append(all, m.overheard...)},
	}
}

// wholeMidway is whole before the run's end. It sends nothing when the run has sent
// snapshotRoom bytes; the run's end sends everything.
func (m *langgraph) wholeMidway() []agui.Event {
	size := m.sent + conversationSize(m.overheard) + len(m.state)
	for _, msg := range m.said {
		size += messageSize(*msg)
	}
	if m.shown += 2 * size; m.shown > snapshotRoom { // in the state, and as messages
		return nil
	}
	return m.whole()
}

// chainMessage is a message in the state, in LangChain's form.
type chainMessage struct {
	Content    json.RawMessage `json:"content"`
	Type       string          `json:"type"`
	ID         string          `json:"id"`
	ToolCalls  []chainCall     `json:"tool_calls,omitempty"`
	ToolCallID string          `json:"tool_call_id,omitempty"`
}

type chainCall struct {
	Name string          `json:"name"`
	Args json.RawMessage `json:"args"`
	ID   string          `json:"id"`
	Type string          `json:"type"`
}

// chainTypes are the roles that LangChain has.
var chainTypes = map[agui.Role]string{
	agui.RoleUser: "human", agui.RoleAssistant: "ai", agui.RoleTool: "tool",
	agui.RoleSystem: "system", agui.RoleDeveloper: "system",
}

// snapshot returns a state with LangChain's messages beside the shared members, of which
// there are none for a node that wrote none.
func snapshot(state json.RawMessage, messages []*agui.Message) agui.Event {
	members := map[string]json.RawMessage{}
	if state != nil {
		_ = json.Unmarshal(state, &members) // the host's own state, an object
	}
	list := []chainMessage{}
	for _, msg := range messages {
		kind, known := chainTypes[msg.Role]
		if !known || msg.SubagentRunID != "" {
			continue
		}
		c := chainMessage{Content: msg.Content.Raw, Type: kind, ID: msg.ID, ToolCallID: msg.ToolCallID}
		if c.Content == nil {
			c.Content = json.RawMessage(`""`)
		}
		for _, call := range msg.ToolCalls {
			args := json.RawMessage(call.Function.Arguments)
			if !json.Valid(args) {
				args = json.RawMessage("{}")
			}
			c.ToolCalls = append(c.ToolCalls, chainCall{call.Function.Name, args, call.ID, "tool_call"})
		}
		list = append(list, c)
	}
	members["messages"] = jsontext.Must(list)
	return &agui.StateSnapshot{Snapshot: jsontext.Must(members)}
}
