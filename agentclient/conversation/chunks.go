package conversation

import (
	"encoding/json"
	"slices"

	"cairn/agui"
)

// This file turns *_CHUNK events into start, content and end (protocol section 4).

// streamKind is what a chunked stream carries.
type streamKind int

const (
	textStream streamKind = iota + 1
	toolStream
	reasoningStream
)

// lane is where chunks of one producer follow each other: the parent agent, or
// one subagent. A lane holds at most one open chunked stream.
type lane = string

// stream is an open chunked stream.
type stream struct {
	kind   streamKind
	id     string
	lane   lane
	role   agui.Role // text
	name   string    // text: name; tool: toolCallName
	parent string    // tool: parentMessageId
}

// expander keeps the open chunked streams in order of opening. There is one per
// producer at work, so a search through them is short.
type expander struct{ open []*stream }

func (x *expander) reset() { x.open = nil }

// chunk is what the three kinds of chunk have in common.
type chunk struct {
	kind                    streamKind
	head                    *agui.Base
	id, name, parent, delta *string
	role                    *agui.Role
}

// expand hands ev on as the events it stands for, each to c.step.
func (x *expander) expand(ev agui.Event, c *Conversation) {
	switch e := ev.(type) {
	case *agui.TextMessageChunk:
		x.chunk(chunk{kind: textStream, head: e.Head(), id: e.MessageID, name: e.Name, role: e.Role, delta: e.Delta}, c)
	case *agui.ToolCallChunk:
		x.chunk(chunk{kind: toolStream, head: e.Head(), id: e.ToolCallID, name: e.ToolCallName, parent: e.ParentMessageID, delta: e.Delta}, c)
	case *agui.ReasoningMessageChunk:
		x.chunk(chunk{kind: reasoningStream, head: e.Head(), id: e.MessageID, delta: e.Delta}, c)
	case *agui.RunError:
		// The specification ends open streams here like anywhere; but a message that
		// an error cut short is not complete, and a page should not say so.
		x.reset()
		c.step(ev)
	case *agui.RunStarted, *agui.RunFinished, *agui.MessagesSnapshot:
		for len(x.open) > 0 {
			x.close(x.open[0], c)
		}
		c.step(ev)
	case *agui.Raw, *agui.ActivitySnapshot, *agui.ActivityDelta, *agui.ReasoningEncryptedValue,
		*agui.SubagentStarted, *agui.Unknown:
		// These leave chunked streams open (section 4.4).
		c.step(ev)
	default:
		if len(x.open) > 0 {
			x.close(x.inLane(ev.Head().SubagentRunID), c)
		}
		c.step(ev)
	}
}

func (x *expander) inLane(l lane) *stream {
	for _, s := range x.open {
		if s.lane == l {
			return s
		}
	}
	return nil
}

// choose finds the lane a chunk lands in (section 4.1).
func (x *expander) choose(k chunk, c *Conversation) (l lane, ok bool) {
	tag := k.head.SubagentRunID
	if k.id != nil {
		for _, s := range x.open {
			if s.kind == k.kind && s.id == *k.id {
				if tag != "" && tag != s.lane {
					c.note("4.1", "chunk for %s is tagged %s but its stream belongs to %s", short(s.id), short(tag), short(s.lane))
				}
				return s.lane, true
			}
		}
		return tag, true
	}
	if tag != "" {
		return tag, true
	}
	var found *stream
	for _, s := range x.open {
		if s.kind != k.kind {
			continue
		}
		if s.lane == "" {
			return "", true
		}
		if found != nil {
			c.note("4.1", "chunk without an id could continue several streams; dropped")
			return "", false
		}
		found = s
	}
	if found != nil {
		return found.lane, true
	}
	return "", true
}

// chunk continues or opens a stream (sections 4.2 and 4.3).
func (x *expander) chunk(k chunk, c *Conversation) {
	l, ok := x.choose(k, c)
	if !ok {
		return
	}
	s := x.inLane(l)
	opens := s == nil || s.kind != k.kind || k.id != nil && *k.id != s.id
	if opens {
		x.close(s, c)
		if k.id == nil {
			c.note("4.2", "chunk without an id continues nothing; dropped")
			return
		}
		if k.kind == toolStream && k.name == nil {
			c.note("4.2", "first chunk of tool call %s has no name; dropped", short(*k.id))
			return
		}
		s = &stream{kind: k.kind, id: *k.id, lane: l, role: value(k.role), name: value(k.name), parent: value(k.parent)}
		if s.role == "" {
			s.role = agui.RoleAssistant
		}
		x.open = append(x.open, s)
		c.step(s.start(k.head.Metadata))
	} else if differs(k.name, s.name) || differs(k.parent, s.parent) || k.role != nil && *k.role != s.role {
		c.note("4.2", "chunk changes what the first chunk of %s said; the first holds", short(s.id))
	}
	hasContent := k.delta != nil || k.head.RawEvent != nil
	if hasContent || !opens && len(k.head.Metadata) > 0 {
		c.step(s.content(value(k.delta), k.head))
	}
}

func (x *expander) close(s *stream, c *Conversation) {
	if s == nil {
		return
	}
	x.open = slices.DeleteFunc(x.open, func(o *stream) bool { return o == s })
	c.step(s.end())
}

func (s *stream) base() agui.Base { return agui.Base{SubagentRunID: s.lane} }

func (s *stream) start(metadata map[string]json.RawMessage) agui.Event {
	b := s.base()
	b.Metadata = metadata
	switch s.kind {
	case textStream:
		return &agui.TextMessageStart{Base: b, MessageID: s.id, Role: s.role, Name: s.name}
	case toolStream:
		return &agui.ToolCallStart{Base: b, ToolCallID: s.id, ToolCallName: s.name, ParentMessageID: s.parent}
	default:
		return &agui.ReasoningMessageStart{Base: b, MessageID: s.id, Role: agui.RoleReasoning}
	}
}

func (s *stream) content(delta string, head *agui.Base) agui.Event {
	b := s.base()
	b.Metadata, b.RawEvent = head.Metadata, head.RawEvent
	switch s.kind {
	case textStream:
		return &agui.TextMessageContent{Base: b, MessageID: s.id, Delta: delta}
	case toolStream:
		return &agui.ToolCallArgs{Base: b, ToolCallID: s.id, Delta: delta}
	default:
		return &agui.ReasoningMessageContent{Base: b, MessageID: s.id, Delta: delta}
	}
}

func (s *stream) end() agui.Event {
	switch s.kind {
	case textStream:
		return &agui.TextMessageEnd{Base: s.base(), MessageID: s.id}
	case toolStream:
		return &agui.ToolCallEnd{Base: s.base(), ToolCallID: s.id}
	default:
		return &agui.ReasoningMessageEnd{Base: s.base(), MessageID: s.id}
	}
}

// value is what p points to, the zero value for nil.
func value[T any](p *T) T {
	if p == nil {
		var zero T
		return zero
	}
	return *p
}

// differs reports a field that is given and not what was established.
func differs(given *string, established string) bool { return given != nil && *given != established }
