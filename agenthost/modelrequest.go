package agenthost

import (
	"encoding/json"
	"fmt"
	"strings"
)

// Limits of the Chat Completions API for a call.
const (
	maxSentID   = 40
	maxSentName = 64
)

// requestWriter writes the messages of a request. Ids that are used again, empty or too
// long are replaced, in the call and its result alike; a conversation that grows keeps
// the ids it had.
type requestWriter struct {
	out  []Message
	ids  map[string]bool
	last int // number of the newest id that was made up
}

func (w *requestWriter) id(id string) string {
	for id == "" || len(id) > maxSentID || w.ids[id] {
		w.last++
		id = fmt.Sprint("call_", w.last)
	}
	w.ids[id] = true
	return id
}

// assistant writes a message with the results of its calls. One without anything to say
// is left out.
func (w *requestWriter) assistant(m Message, calls []pairedCall) {
	msg := Message{Role: "assistant", Content: m.Content}
	var results []Message
	for _, c := range calls {
		if c.call.Name == "" || !c.has && brokeOff(c.call.Arguments) {
			continue
		}
		if !c.has {
			c.result = noResult
		}
		call := allowed(*c.call)
		call.ID = w.id(call.ID)
		msg.ToolCalls = append(msg.ToolCalls, call)
		results = append(results, Message{Role: "tool", ToolCallID: call.ID, Content: c.result})
	}
	if msg.Content != "" || len(msg.ToolCalls) > 0 {
		w.out = append(append(w.out, msg), results...)
	}
}

// pairs writes calls of the service's own with their results.
func (w *requestWriter) pairs(interrupts []*Interrupt) {
	for _, in := range interrupts {
		call := ownCall(in)
		w.assistant(Message{}, []pairedCall{{call: &call, result: string(in.Result), has: true}})
	}
}

// allowed returns a call with a name and arguments that the API accepts. Arguments that
// are no JSON object are as good as none.
func allowed(c ToolCall) ToolCall {
	if !toolName.MatchString(c.Name) {
		c.Name = strings.Map(func(r rune) rune {
			if r == '-' || r == '_' || '0' <= r && r <= '9' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' {
				return r
			}
			return '_'
		}, c.Name)
		c.Name = c.Name[:min(len(c.Name), maxSentName)]
	}
	if !isObject(c.Arguments) {
		c.Arguments = "{}"
	}
	return c
}

// brokeOff reports whether arguments end before they are whole. No arguments at all are
// those of a tool that has none.
func brokeOff(args string) bool { return strings.TrimSpace(args) != "" && !isObject(args) }

func isObject(args string) bool {
	return strings.HasPrefix(strings.TrimLeft(args, " \t\r\n"), "{") && json.Valid([]byte(args))
}

// said is an answer of the model as it is sent back to it. A call that broke off has
// failed, and its arguments may be no JSON.
func (a answer) said() Message {
	m := Message{Role: "assistant", Content: a.text}
	for _, c := range a.calls {
		m.ToolCalls = append(m.ToolCalls, allowed(c))
	}
	return m
}
