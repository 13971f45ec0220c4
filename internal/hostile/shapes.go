package hostile

import (
	"fmt"
	"strconv"
	"strings"
)

// Play writes the events of a run between its first and its last event.
type Play func(o *Out)

// wholeDelta is how much text one delta holds where a case names no size.
const wholeDelta = 8 << 10

// text is one message.
func text(s string) Play { return textBy(wholeDelta, s) }

// textBy is one message in deltas of n bytes. It is left open when the run does not
// end by itself, see [Case].
func textBy(n int, s string) Play { return open("TEXT_MESSAGE", n, s) }

// reasoningBy is one reasoning message in deltas of n bytes.
func reasoningBy(n int, s string) Play { return open("REASONING_MESSAGE", n, s) }

func open(event string, n int, s string) Play {
	return func(o *Out) {
		id := o.id()
		role := "assistant"
		if event == "REASONING_MESSAGE" {
			role = "reasoning"
			o.Event("REASONING_START", "messageId", id)
		}
		o.Event(event+"_START", "messageId", id, "role", role)
		for p := range pieces(n, s) {
			o.Event(event+"_CONTENT", "messageId", id, "delta", p)
		}
		o.Event(event+"_END", "messageId", id)
	}
}

// unended leaves out the events that end a message or a call.
func unended(event, field string, n int, s string, start ...any) Play {
	return func(o *Out) {
		id := o.id()
		o.Event(event+"_START", append([]any{field, id}, start...)...)
		name := event + "_CONTENT"
		if event == "TOOL_CALL" {
			name = "TOOL_CALL_ARGS"
		}
		for p := range pieces(n, s) {
			o.Event(name, field, id, "delta", p)
		}
	}
}

func openText(n int, s string) Play {
	return unended("TEXT_MESSAGE", "messageId", n, s, "role", "assistant")
}

func openReasoning(n int, s string) Play {
	return unended("REASONING_MESSAGE", "messageId", n, s, "role", "reasoning")
}

func openArgs(n int, s string) Play {
	return unended("TOOL_CALL", "toolCallId", n, s, "toolCallName", "look")
}

// pieces cuts s after every n bytes, and later where a character would be split.
func pieces(n int, s string) func(func(string) bool) {
	return func(yield func(string) bool) {
		for s != "" {
			m := min(n, len(s))
			for m < len(s) && s[m]&0xC0 == 0x80 {
				m++
			}
			if !yield(s[:m]) {
				return
			}
			s = s[m:]
		}
	}
}

// call is a tool call with its result.
func call(name, args, result string) Play {
	return func(o *Out) {
		id := o.id()
		o.Event("TOOL_CALL_START", "toolCallId", id, "toolCallName", name)
		for p := range pieces(wholeDelta, args) {
			o.Event("TOOL_CALL_ARGS", "toolCallId", id, "delta", p)
		}
		o.Event("TOOL_CALL_END", "toolCallId", id)
		o.Event("TOOL_CALL_RESULT", "messageId", id+"-r", "toolCallId", id, "content", result)
	}
}

func result(s string) Play { return call("look", "{}", s) }
func args(s string) Play   { return call("look", s, "{}") }

// state is a snapshot and deltas of it.
func state(snapshot string, deltas int, delta func(i int) string) Play {
	return func(o *Out) {
		o.Event("STATE_SNAPSHOT", "snapshot", raw(snapshot))
		for i := range deltas {
			o.Event("STATE_DELTA", "delta", raw(delta(i)))
		}
	}
}

// pause ends the run with n interrupts; each is made by one.
func pause(n int, one func(i int) string) Play {
	return func(o *Out) {
		outcome := `{"type":"interrupt","interrupts":[` + list(n, one) + `]}`
		o.Event("RUN_FINISHED", "threadId", o.thread, "runId", o.run, "outcome", raw(outcome))
	}
}

// ask is an interrupt with a payload, where the profiles of the demos look for one,
// and a schema for the answer.
func ask(payload, schema string) func(i int) string {
	return func(i int) string {
		return fmt.Sprintf(`{"id":"i%d","reason":"tool_call","message":"May I?","toolCallId":"c%d","responseSchema":%s,"metadata":{"value":%s,"mastra":{"suspendPayload":%s},"arguments":%s}}`,
			i, i, schema, payload, payload, payload)
	}
}

// suspend is a pause in the way of Mastra: a custom event whose value is JSON text.
func suspend(tool, payload string) Play {
	return func(o *Out) {
		value := `{"type":"mastra_suspend","toolCallId":"c","toolName":` + quote(tool) + `,"suspendPayload":` + payload + `,"args":` + payload + `,"runId":` + quote(o.run) + `}`
		o.Event("CUSTOM", "name", "on_interrupt", "value", value)
		o.Event("RUN_FINISHED", "threadId", o.thread, "runId", o.run)
	}
}

// subagents are n of them, each inside the one before when nested is set.
func subagents(n int, nested bool, say string) Play {
	return func(o *Out) {
		id := func(i int) string { return o.run + "-s" + strconv.Itoa(i) }
		for i := range n {
			fields := []any{"subagentRunId", id(i), "name", "helper"}
			if nested && i > 0 {
				fields = append(fields, "parentSubagentRunId", id(i-1))
			}
			o.Event("SUBAGENT_STARTED", fields...)
			m := o.id()
			o.Event("TEXT_MESSAGE_START", "messageId", m, "role", "assistant", "subagentRunId", id(i))
			o.Event("TEXT_MESSAGE_CONTENT", "messageId", m, "delta", say, "subagentRunId", id(i))
			o.Event("TEXT_MESSAGE_END", "messageId", m, "subagentRunId", id(i))
		}
		for i := n - 1; i >= 0; i-- {
			o.Event("SUBAGENT_FINISHED", "subagentRunId", id(i))
		}
	}
}

// event is one event, n times; a field's text "%d" stands for the number.
func event(n int, typ string, fields ...any) Play {
	return func(o *Out) {
		for i := range n {
			f := append([]any(nil), fields...)
			for k, v := range f {
				switch v := v.(type) {
				case string:
					f[k] = strings.ReplaceAll(v, "%d", strconv.Itoa(i))
				case raw:
					f[k] = raw(strings.ReplaceAll(string(v), "%d", strconv.Itoa(i)))
				}
			}
			o.Event(typ, f...)
		}
	}
}

// bytesOf writes s to the stream, which may be no event at all.
func bytesOf(s string) Play { return func(o *Out) { o.Bytes([]byte(s)) } }

// paced plays p so that each of its events is rendered alone.
func paced(p Play) Play {
	return func(o *Out) { o.paced = true; p(o); o.paced = false }
}

// times plays p n times.
func times(n int, p Play) Play {
	return func(o *Out) {
		for range n {
			p(o)
		}
	}
}

func both(plays ...Play) Play {
	return func(o *Out) {
		for _, p := range plays {
			p(o)
		}
	}
}

func quote(s string) string { return string(appendQuoted(nil, s)) }

// list joins n elements with commas.
func list(n int, one func(i int) string) string {
	var b strings.Builder
	for i := range n {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(one(i))
	}
	return b.String()
}

// fill repeats s until it has n bytes.
func fill(n int, s string) string { return strings.Repeat(s, n/len(s)+1)[:n] }
