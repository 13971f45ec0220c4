package dialect

import (
	"strings"

	"cairn/agui"
)

// snapshotRoom is the most bytes of snapshots of the whole conversation that a run sends
// before its end. A runtime that repeats the conversation after every call would otherwise
// send its length times the number of calls. The snapshot at the run's end has everything.
const snapshotRoom = 4 << 20

// messageSize is about how many bytes a message has as JSON.
func messageSize(m agui.Message) int {
	n := 64 + len(m.ID) + len(m.Content.Raw) + len(m.Name) + len(m.ToolCallID) + len(m.Error) + len(m.EncryptedValue)
	for _, c := range m.ToolCalls {
		n += 64 + len(c.ID) + len(c.Function.Name) + len(c.Function.Arguments) + len(c.EncryptedValue)
	}
	for name, value := range m.Metadata {
		n += len(name) + len(value)
	}
	return n
}

func conversationSize(messages []agui.Message) int {
	n := 0
	for _, m := range messages {
		n += messageSize(m)
	}
	return n
}

// openCall is a call in a message whose arguments still arrive.
type openCall struct {
	in   *agui.Message
	at   int // in its tool calls
	args strings.Builder
}

// addCall adds a call without arguments to a message.
func addCall(to *agui.Message, id, name string) *openCall {
	to.ToolCalls = append(to.ToolCalls, agui.ToolCall{ID: id, Type: "function", Function: agui.Function{Name: name}})
	return &openCall{in: to, at: len(to.ToolCalls) - 1}
}

// settle writes the arguments so far into the message.
func (c *openCall) settle() { c.in.ToolCalls[c.at].Function.Arguments = c.args.String() }
