package agui

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"reflect"
)

// ErrNotEvent reports bytes that are not a JSON object with a non-empty type.
var ErrNotEvent = errors.New("not an AG-UI event")

// kinds maps each known type to a constructor of its empty struct.
var kinds = map[EventType]func() Event{
	TypeRunStarted:              func() Event { return new(RunStarted) },
	TypeRunFinished:             func() Event { return new(RunFinished) },
	TypeRunError:                func() Event { return new(RunError) },
	TypeStepStarted:             func() Event { return new(StepStarted) },
	TypeStepFinished:            func() Event { return new(StepFinished) },
	TypeTextMessageStart:        func() Event { return new(TextMessageStart) },
	TypeTextMessageContent:      func() Event { return new(TextMessageContent) },
	TypeTextMessageEnd:          func() Event { return new(TextMessageEnd) },
	TypeTextMessageChunk:        func() Event { return new(TextMessageChunk) },
	TypeToolCallStart:           func() Event { return new(ToolCallStart) },
	TypeToolCallArgs:            func() Event { return new(ToolCallArgs) },
	TypeToolCallEnd:             func() Event { return new(ToolCallEnd) },
	TypeToolCallChunk:           func() Event { return new(ToolCallChunk) },
	TypeToolCallResult:          func() Event { return new(ToolCallResult) },
	TypeStateSnapshot:           func() Event { return new(StateSnapshot) },
	TypeStateDelta:              func() Event { return new(StateDelta) },
	TypeMessagesSnapshot:        func() Event { return new(MessagesSnapshot) },
	TypeActivitySnapshot:        func() Event { return new(ActivitySnapshot) },
	TypeActivityDelta:           func() Event { return new(ActivityDelta) },
	TypeReasoningStart:          func() Event { return new(ReasoningStart) },
	TypeReasoningEnd:            func() Event { return new(ReasoningEnd) },
	TypeReasoningMessageStart:   func() Event { return new(ReasoningMessageStart) },
	TypeReasoningMessageContent: func() Event { return new(ReasoningMessageContent) },
	TypeReasoningMessageEnd:     func() Event { return new(ReasoningMessageEnd) },
	TypeReasoningMessageChunk:   func() Event { return new(ReasoningMessageChunk) },
	TypeReasoningEncryptedValue: func() Event { return new(ReasoningEncryptedValue) },
	TypeSubagentStarted:         func() Event { return new(SubagentStarted) },
	TypeSubagentFinished:        func() Event { return new(SubagentFinished) },
	TypeSubagentError:           func() Event { return new(SubagentError) },
	TypeRaw:                     func() Event { return new(Raw) },
	TypeCustom:                  func() Event { return new(Custom) },
}

// types is kinds the other way round.
var types = func() map[reflect.Type]EventType {
	m := make(map[reflect.Type]EventType, len(kinds))
	for t, mk := range kinds {
		m[reflect.TypeOf(mk())] = t
	}
	return m
}()

// Decode reads one event. It returns [*Unknown] and no error for unknown types; bytes that
// are no event are an error wrapping [ErrNotEvent]; a known event with a value
// of the wrong JSON type is a [*MemberError]. Names are exact: "messageID" is
// an unknown member. The event shares no memory with raw.
//
// The retired THINKING_* events, whose reading depends on those before, are
// unknown to Decode; use a [Decoder] for a stream of events.
func Decode(raw []byte) (Event, error) { return decode(raw, nil, nil) }

func decode(raw []byte, rep *reporter, last *recent) (Event, error) {
	ev, odd, ok := readFast(raw, last)
	if !ok || odd && rep != nil { // readAny reports
		var err error
		if ev, err = readAny(raw, rep, last != nil); err != nil {
			fixed, odd := finite(raw)
			if !odd {
				return nil, err
			}
			if ev, err = readAny(fixed, rep, true); err != nil {
				return nil, err
			}
			rep.report("", "%s", NotNumbers)
		}
	}
	settle(ev, rep)
	return ev, nil
}

// readAny reads any event, and reports what it leaves out. With shares, the event may
// share memory with raw.
func readAny(raw []byte, rep *reporter, shares bool) (Event, error) {
	t, err := typeOf(raw)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrNotEvent, err)
	}
	mk, ok := kinds[t]
	if !ok {
		if !shares {
			raw = bytes.Clone(raw)
		}
		u := &Unknown{Raw: raw}
		u.Type = t
		return u, nil
	}
	ev := mk()
	if err := unmarshalEvent(raw, ev, t, rep, shares); err != nil {
		return nil, err
	}
	return ev, nil
}

// typeOf returns the type of an event, or the reason why raw is none.
func typeOf(raw []byte) (EventType, error) {
	if !json.Valid(raw) {
		return "", syntax(raw)
	}
	var head struct{ Type string }
	r := reader{s: scanner{b: raw, deepest: math.MaxInt}}
	r.s.space()
	if r.is(r.s.peek() == '{', "an object") {
		for more := r.s.enter('{', '}'); more; more = r.s.next('}') {
			if string(r.name()) == "type" {
				r.member(step{name: "type"}, reflect.ValueOf(&head).Elem().Field(0))
			} else {
				r.raw()
			}
		}
	}
	switch {
	case r.err != nil:
		return "", r.err
	case head.Type == "":
		return "", errors.New("no type")
	}
	return EventType(head.Type), nil
}

// syntax returns why raw is no JSON.
func syntax(raw []byte) error {
	var v json.RawMessage
	return json.Unmarshal(raw, &v)
}
