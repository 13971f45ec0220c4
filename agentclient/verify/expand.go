package verify

import (
	"container/list"
	"encoding/json"

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

func (k streamKind) entity() entity {
	switch k {
	case textStream:
		return anyMessage
	case toolStream:
		return toolCall
	default:
		return reasoning
	}
}

// stream is an open chunked stream.
type stream struct {
	kind   streamKind
	id     string
	lane   lane
	role   agui.Role // text
	name   string    // text: name; tool: toolCallName
	parent string    // tool: parentMessageId
	number int       // in order of opening
	place  *list.Element
}

// chunk is what the three kinds of chunk have in common.
type chunk struct {
	kind                    streamKind
	head                    *agui.Base
	id, name, parent, delta *string
	role                    *agui.Role
}

// expand hands ev on as the events it stands for, each to emit.
func (v *Verifier) expand(ev agui.Event) {
	switch e := ev.(type) {
	case *agui.TextMessageChunk:
		v.chunk(chunk{kind: textStream, head: e.Head(), id: e.MessageID, name: e.Name, role: e.Role, delta: e.Delta})
	case *agui.ToolCallChunk:
		v.chunk(chunk{kind: toolStream, head: e.Head(), id: e.ToolCallID, name: e.ToolCallName, parent: e.ParentMessageID, delta: e.Delta})
	case *agui.ReasoningMessageChunk:
		v.chunk(chunk{kind: reasoningStream, head: e.Head(), id: e.MessageID, delta: e.Delta})
	case *agui.RunStarted, *agui.RunFinished, *agui.RunError, *agui.MessagesSnapshot:
		over := v.close
		if v.mode == Lenient && cutsShort(ev) {
			over = v.abandon
		}
		for _, s := range v.open.all() {
			over(s)
		}
		v.open.parted = nil
		v.emit(ev)
	case *agui.SubagentFinished, *agui.SubagentError:
		if tag := ev.Head().SubagentRunID; tag != "" { // else it is nobody's, and closes nothing
			v.close(v.open.lane(tag))
			v.open.forget(tag)
		}
		v.emit(ev)
	case *agui.Raw, *agui.ActivitySnapshot, *agui.ActivityDelta, *agui.ReasoningEncryptedValue,
		*agui.SubagentStarted, *agui.Unknown, *agui.Malformed:
		// These leave chunked streams open (section 4.4).
		v.emit(ev)
	default:
		if len(v.open.inLane) > 0 {
			v.close(v.open.lane(ev.Head().SubagentRunID))
		}
		v.open.forget(ev.Head().SubagentRunID)
		v.emit(ev)
	}
}

// cutsShort reports an event after which an open message is not complete. The
// specification ends it like any other, and a page would then call it whole.
// An interrupt that names nothing to wait for is a failure.
func cutsShort(ev agui.Event) bool {
	switch e := ev.(type) {
	case *agui.RunError:
		return true
	case *agui.RunFinished:
		return e.Outcome != nil && (e.Outcome.Type == agui.OutcomeCancelled ||
			e.Outcome.Type == agui.OutcomeInterrupt && len(e.Outcome.Interrupts) == 0)
	}
	return false
}

// choose finds the lane a chunk lands in (section 4.1).
func (v *Verifier) choose(k chunk) (l lane, ok bool) {
	tag := k.head.SubagentRunID
	if k.id != nil {
		s := v.open.id(k.kind, *k.id)
		if s == nil {
			return tag, true
		}
		if tag != "" && tag != s.lane {
			v.violate("4.1", "chunk for %s is tagged %s but its stream belongs to %s", short(s.id), short(tag), short(s.lane))
			v.close(s)
			return tag, true
		}
		return s.lane, true
	}
	if tag != "" {
		return tag, true
	}
	if s := v.open.lane(""); s != nil && s.kind == k.kind {
		return "", true
	}
	only, open := v.open.only(k.kind)
	if open > 1 {
		v.violate("4.1", "chunk without an id could continue several streams; dropped")
		return "", false
	}
	if only != nil {
		return only.lane, true
	}
	return "", true
}

// chunk continues or opens a stream (sections 4.2 and 4.3).
func (v *Verifier) chunk(k chunk) {
	if v.late(k.head.Type) {
		return
	}
	l, ok := v.choose(k)
	if !ok {
		return
	}
	s := v.open.lane(l)
	opens := s == nil || s.kind != k.kind || k.id != nil && *k.id != s.id
	if opens && v.goOn(k, l) {
		s = v.open.lane(l)
	} else if opens {
		v.part(s)
		if k.id == nil {
			v.violate("4.2", "chunk without an id continues nothing; dropped")
			return
		}
		name := value(k.name)
		if k.kind == toolStream && k.name == nil {
			if name = v.order.nameOf(*k.id); name == "" || v.mode == Strict {
				v.violate("4.2", "first chunk of tool call %s has no name; dropped", short(*k.id))
				return
			}
			v.violate("4.2", "chunk of tool call %s begins again without a name; it goes on", short(*k.id))
		}
		s = &stream{kind: k.kind, id: *k.id, lane: l, role: value(k.role), name: name, parent: value(k.parent)}
		if s.role == "" {
			s.role = agui.RoleAssistant
		}
		v.open.add(s)
		v.emit(s.start(k.head.Metadata))
	} else if differs(k.name, s.name) || differs(k.parent, s.parent) || k.role != nil && *k.role != s.role {
		v.violate("4.2", "chunk changes what the first chunk of %s said; the first holds", short(s.id))
	}
	hasContent := k.delta != nil || k.head.RawEvent != nil
	if hasContent || !opens && len(k.head.Metadata) > 0 {
		v.emit(s.content(value(k.delta), k.head))
	}
}

// part closes a stream because a chunk of another begins in its lane.
func (v *Verifier) part(s *stream) {
	if s == nil {
		return
	}
	v.close(s)
	v.open.part(s)
}

// goOn opens a stream again that was closed because another began: agents that call several
// tools at once send their chunks in turns. By the specification, which a strict verifier
// keeps, the chunk opens a new stream, and what came first is lost with its arguments.
func (v *Verifier) goOn(k chunk, l lane) bool {
	if k.id == nil || v.mode == Strict {
		return false
	}
	s := v.open.partedOf(l, k.kind, *k.id)
	if now := v.open.lane(l); s == nil || k.kind != toolStream && now != nil && now.kind == toolStream {
		return false // words after a call are said after it
	}
	v.violate("4.2", "chunks of %s go on after another began; they are put together", short(s.id))
	v.violations[len(v.violations)-1].Allowed = true
	v.part(v.open.lane(l))
	v.open.unpart(s)
	v.open.add(s)
	v.order.reopen(v.order.find(s.kind.entity(), s.id))
	return true
}

func (v *Verifier) close(s *stream) {
	if s == nil {
		return
	}
	v.open.remove(s)
	v.emit(s.end())
}

// abandon takes a stream to be over without an END.
func (v *Verifier) abandon(s *stream) {
	v.open.remove(s)
	v.order.shut(v.order.find(s.kind.entity(), s.id))
}

func (s *stream) start(metadata map[string]json.RawMessage) agui.Event {
	b := agui.Base{SubagentRunID: s.lane, Metadata: metadata}
	switch s.kind {
	case textStream:
		b.Type = agui.TypeTextMessageStart
		return &agui.TextMessageStart{Base: b, MessageID: s.id, Role: s.role, Name: s.name}
	case toolStream:
		b.Type = agui.TypeToolCallStart
		return &agui.ToolCallStart{Base: b, ToolCallID: s.id, ToolCallName: s.name, ParentMessageID: s.parent}
	default:
		b.Type = agui.TypeReasoningMessageStart
		return &agui.ReasoningMessageStart{Base: b, MessageID: s.id, Role: agui.RoleReasoning}
	}
}

func (s *stream) content(delta string, head *agui.Base) agui.Event {
	b := agui.Base{SubagentRunID: s.lane, Metadata: head.Metadata, RawEvent: head.RawEvent}
	switch s.kind {
	case textStream:
		b.Type = agui.TypeTextMessageContent
		return &agui.TextMessageContent{Base: b, MessageID: s.id, Delta: delta}
	case toolStream:
		b.Type = agui.TypeToolCallArgs
		return &agui.ToolCallArgs{Base: b, ToolCallID: s.id, Delta: delta}
	default:
		b.Type = agui.TypeReasoningMessageContent
		return &agui.ReasoningMessageContent{Base: b, MessageID: s.id, Delta: delta}
	}
}

func (s *stream) end() agui.Event {
	b := agui.Base{SubagentRunID: s.lane}
	switch s.kind {
	case textStream:
		b.Type = agui.TypeTextMessageEnd
		return &agui.TextMessageEnd{Base: b, MessageID: s.id}
	case toolStream:
		b.Type = agui.TypeToolCallEnd
		return &agui.ToolCallEnd{Base: b, ToolCallID: s.id}
	default:
		b.Type = agui.TypeReasoningMessageEnd
		return &agui.ReasoningMessageEnd{Base: b, MessageID: s.id}
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
