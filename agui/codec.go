package agui

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"unicode/utf8"
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
func Decode(raw []byte) (Event, error) {
	if ev, _, ok := readFast(raw); ok {
		return ev, nil
	}
	return readAny(raw)
}

// readAny reads any event by way of encoding/json.
func readAny(raw []byte) (Event, error) {
	// Producers write the type first, which saves reading the bytes twice. Whatever
	// does not fit that guess exactly is read the long way.
	if mk, ok := kinds[leadingType(raw)]; ok {
		ev := mk()
		if err := json.Unmarshal(raw, ev); err == nil && types[reflect.TypeOf(ev)] == ev.Head().Type {
			settle(ev, raw)
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
		return nil, fmt.Errorf("%s: %w", head.Type, err)
	}
	settle(ev, raw)
	return ev, nil
}

// settle gives an event read by encoding/json the readings of this package.
func settle(ev Event, raw []byte) {
	dropNulls(ev)
	if delta := deltaOf(ev); delta != nil && strings.ContainsRune(*delta, utf8.RuneError) {
		keepHalves(delta, raw)
	}
}

// keepHalves reads a delta again in which encoding/json may have replaced
// surrogate halves.
func keepHalves(delta *string, raw []byte) {
	var only struct {
		Delta json.RawMessage `json:"delta"`
	}
	if json.Unmarshal(raw, &only) != nil || len(only.Delta) < 2 || !utf8.Valid(only.Delta) {
		return
	}
	var b strings.Builder
	unescape(&b, only.Delta[1:len(only.Delta)-1], true)
	*delta = b.String()
}

// deltaOf is where an event keeps the text of its delta, nil when it has none.
func deltaOf(ev Event) *string {
	switch e := ev.(type) {
	case *TextMessageContent:
		return &e.Delta
	case *TextMessageChunk:
		return e.Delta
	case *ToolCallArgs:
		return &e.Delta
	case *ToolCallChunk:
		return e.Delta
	case *ReasoningMessageContent:
		return &e.Delta
	case *ReasoningMessageChunk:
		return e.Delta
	}
	return nil
}

// dropNulls makes null absent in the optional fields that hold any JSON; in the
// typed ones encoding/json does (protocol section 8.1).
func dropNulls(ev Event) {
	drop := func(raw *json.RawMessage) {
		if string(*raw) == "null" {
			*raw = nil
		}
	}
	drop(&ev.Head().RawEvent)
	switch e := ev.(type) {
	case *RunFinished:
		drop(&e.Result)
		if e.Outcome != nil {
			for i := range e.Outcome.Interrupts {
				drop(&e.Outcome.Interrupts[i].ResponseSchema)
			}
		}
	case *SubagentFinished:
		drop(&e.Result)
	}
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
// in from the Go type, without HTML escaping. It fails when a required field is
// missing.
func Encode(ev Event) ([]byte, error) {
	t, ok := types[reflect.TypeOf(ev)]
	if !ok {
		return nil, fmt.Errorf("cannot encode %T", ev)
	}
	ev.Head().Type = t
	if err := validate(ev); err != nil {
		return nil, fmt.Errorf("%s: %w", t, err)
	}
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(ev); err != nil {
		return nil, fmt.Errorf("encode %s: %w", t, err)
	}
	return bytes.TrimRight(buf.Bytes(), "\n"), nil
}
