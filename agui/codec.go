package agui

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
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

// Decode reads one event. Unknown types give [*Unknown] and no error; bytes that
// are no event give an error wrapping [ErrNotEvent]; a known event with a value
// of the wrong JSON type gives an error naming the field. The event shares no
// memory with raw.
//
// The retired THINKING_* events, whose reading depends on those before, are
// unknown to Decode; use a [Decoder] for a stream of events.
func Decode(raw []byte) (Event, error) { return decode(raw, nil, nil) }

func decode(raw []byte, rep *reporter, last *lastIDs) (Event, error) {
	ev, odd, ok := readFast(raw, last)
	if !ok {
		var err error
		if ev, err = readAny(raw); err != nil {
			return nil, err
		}
		keepHalves(deltaOf(ev), raw)
	}
	if _, unknown := ev.(*Unknown); rep != nil && !unknown && (odd || !ok) {
		rep.inspect(raw, reflect.TypeOf(ev))
	}
	settle(ev, rep)
	return ev, nil
}

// readAny reads any event by way of encoding/json.
func readAny(raw []byte) (Event, error) {
	// Producers write the type first, which saves reading the bytes twice. Whatever
	// does not fit that guess exactly is read the long way.
	if mk, ok := kinds[leadingType(raw)]; ok {
		ev := mk()
		if err := json.Unmarshal(raw, ev); err == nil && types[reflect.TypeOf(ev)] == ev.Head().Type {
			return ev, nil
		}
	}
	var head struct {
		Type EventType `json:"type"`
	}
	if err := json.Unmarshal(raw, &head); err != nil {
		return nil, fmt.Errorf("%w: %v", ErrNotEvent, err)
	}
	if head.Type == "" {
		return nil, fmt.Errorf("%w: no type", ErrNotEvent)
	}
	mk, ok := kinds[head.Type]
	if !ok {
		u := &Unknown{Raw: bytes.Clone(raw)}
		u.Type = head.Type
		return u, nil
	}
	ev := mk()
	if err := json.Unmarshal(raw, ev); err != nil {
		ev = mk()
		if fixed := wholeTimestamp(raw); fixed == nil || json.Unmarshal(fixed, ev) != nil {
			return nil, fmt.Errorf("%s: %w", head.Type, err)
		}
	}
	return ev, nil
}

// leadingType is the type when it is the first member, as compact JSON writes
// it; otherwise anything.
func leadingType(raw []byte) EventType {
	const prefix = `{"type":"`
	if rest, ok := bytes.CutPrefix(raw, []byte(prefix)); ok {
		if end := bytes.IndexByte(rest, '"'); end >= 0 {
			return EventType(rest[:end])
		}
	}
	return ""
}

// Encode writes one event as compact JSON on a single line, with its type filled
// in from the Go type, without HTML escaping. What it writes is 1.0: it fails when
// the event is not, naming the member.
func Encode(ev Event) ([]byte, error) {
	t, ok := types[reflect.TypeOf(ev)]
	if !ok {
		return nil, fmt.Errorf("cannot encode %T", ev)
	}
	ev.Head().Type = t
	ev, err := strict(ev)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", t, err)
	}
	raw, err := marshal(ev)
	if err != nil {
		return nil, fmt.Errorf("encode %s: %w", t, err)
	}
	return raw, nil
}

// marshal is json.Marshal without escapes that only HTML needs.
func marshal(v any) (json.RawMessage, error) {
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimRight(buf.Bytes(), "\n"), nil
}
