package agui

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"

	"cairn/internal/jsontext"
)

// Malformed stands for a frame that is no event. Decoding returns an error instead; a
// reader makes one of what it could not decode, so that the run goes on and what came is
// kept. Its Type is what the frame calls itself, empty when that cannot be read.
type Malformed struct {
	Base
	Raw json.RawMessage
	// Err is why it is no event.
	Err error
}

// looked is how many bytes of a frame are looked at to find out what it was to be.
const looked = 1 << 10

// NewMalformed returns what stands for raw, which could not be decoded because of err.
func NewMalformed(raw []byte, err error) *Malformed {
	m := &Malformed{Raw: raw, Err: err}
	var wrong *MemberError
	if errors.As(err, &wrong) && wrong.Type != "" {
		m.Type = wrong.Type
	} else {
		m.Type = named(raw[:min(len(raw), looked)])
	}
	return m
}

// named returns the first type that a frame names, or that of a state event when it names
// one anywhere: values may hold types of their own, and the frame may be broken anywhere.
func named(raw []byte) (first EventType) {
	for {
		_, after, found := bytes.Cut(raw, []byte(`"type"`))
		if !found {
			return first
		}
		raw = after
		value, ok := bytes.CutPrefix(bytes.TrimLeft(after, " \t\r\n"), []byte(":"))
		if !ok {
			continue
		}
		value, ok = bytes.CutPrefix(bytes.TrimLeft(value, " \t\r\n"), []byte(`"`))
		end := bytes.IndexByte(value, '"')
		if !ok || end < 0 {
			continue
		}
		switch t := EventType(value[:end]); {
		case t == TypeStateSnapshot || t == TypeStateDelta:
			return t
		case first == "" && known(t):
			first = t
		}
	}
}

func known(t EventType) bool { return kinds[t] != nil }

// MayChangeState reports whether the frame was, or may have been, about the shared state.
func (m *Malformed) MayChangeState() bool {
	switch m.Type {
	case TypeStateSnapshot, TypeStateDelta:
		return true
	case "":
	default:
		return false
	}
	head := m.Raw[:min(len(m.Raw), looked)]
	if kind(head) != '{' {
		return false
	}
	for _, word := range []string{"STATE_", `"snapshot`, `"delta"`} {
		if bytes.Contains(head, []byte(word)) {
			return true
		}
	}
	return false
}

// wireMalformed is how a frame that is no event is stored: as JSON, and no event either.
type wireMalformed struct {
	Malformed string    `json:"malformed"`
	Named     EventType `json:"named,omitempty"`
	Why       string    `json:"why"`
	LeftOut   int       `json:"leftOut,omitempty"`
}

// Store returns the frame as JSON that [ReadMalformed] reads, with at most the first most
// bytes of it and how many were left out.
func (m *Malformed) Store(most int) json.RawMessage {
	w := wireMalformed{Malformed: string(m.Raw[:min(len(m.Raw), most)]), Named: m.Type}
	if m.Err != nil {
		w.Why = m.Err.Error()
	}
	w.LeftOut = len(m.Raw) - len(w.Malformed)
	w.Malformed = strings.ToValidUTF8(w.Malformed, "\uFFFD")
	out, _ := jsontext.Marshal(w) // strings and a number always encode
	return out
}

// ReadMalformed returns what stands for stored bytes that could not be decoded because of
// err: the frame that [Malformed.Store] stored, or else the bytes themselves.
func ReadMalformed(raw []byte, err error) *Malformed {
	var w wireMalformed
	if json.Unmarshal(raw, &w) != nil || w.Malformed == "" || w.Why == "" {
		return NewMalformed(raw, err)
	}
	return &Malformed{Base: Base{Type: w.Named}, Raw: json.RawMessage(w.Malformed), Err: errors.New(w.Why)}
}
