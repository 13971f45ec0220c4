package agui

import (
	"bytes"
	"unicode/utf8"
	"unsafe"
)

// recent is what a [Decoder] remembers of the events before: nearly every event of a
// stream differs from the last in its delta alone.
type recent struct {
	message, toolCall, subagent string // ids read last

	// head is the last event up to the text of its delta, its last member; empty when it
	// was no such event. like is a copy of that event.
	head []byte
	like Event
}

// remember notes ev, which was read from raw without anything to report.
func (r *recent) remember(ev Event, f *flat) {
	const members = 1<<mType | 1<<mMessageID | 1<<mToolCallID | 1<<mSubagentRunID | 1<<mDelta
	delta := f.at[mDelta]
	if !f.present.has(mDelta) || f.present&^members != 0 || delta.to != len(f.raw)-1 || f.raw[delta.from] != '"' {
		return
	}
	switch ev := ev.(type) {
	case *TextMessageContent:
		like := *ev
		r.like = &like
	case *ToolCallArgs:
		like := *ev
		r.like = &like
	case *ReasoningMessageContent:
		like := *ev
		r.like = &like
	default:
		return
	}
	r.head = append(r.head, f.raw[:delta.from+1]...)
}

// repeated returns the event in raw when it is the last one with another delta, one that
// is as it is in its JSON; nil otherwise. The event shares the delta with raw.
func (r *recent) repeated(raw []byte) Event {
	end := len(raw) - len(`"}`)
	if len(r.head) == 0 || end <= len(r.head) || string(raw[end:]) != `"}` || !bytes.HasPrefix(raw, r.head) {
		return nil
	}
	delta := raw[len(r.head):end]
	for _, c := range delta {
		if c == '"' || c == '\\' || c < ' ' {
			return nil
		}
	}
	if !utf8.Valid(delta) {
		return nil
	}
	text := unsafe.String(unsafe.SliceData(delta), len(delta))
	switch like := r.like.(type) {
	case *TextMessageContent:
		ev := *like
		ev.Delta = text
		return &ev
	case *ToolCallArgs:
		ev := *like
		ev.Delta = text
		return &ev
	case *ReasoningMessageContent:
		ev := *like
		ev.Delta = text
		return &ev
	}
	return nil
}
