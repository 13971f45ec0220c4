package agui

import (
	"bytes"
	"fmt"
)

// MemberError is how reading fails on a member that holds JSON of a type it cannot
// have, or more of it than anybody means.
type MemberError struct {
	// Type is the event's, empty when no event was read.
	Type EventType
	// Path is where, such as messages[3].role; empty is the whole.
	Path string
	// Want and Found are types in words, such as "a string" and "null", or how many
	// elements an array may have. Found shows the beginning of a number, and of nothing
	// else.
	Want, Found string
}

func (e *MemberError) Error() string {
	text := fmt.Sprintf("want %s, found %s", e.Want, e.Found)
	if e.Path != "" {
		text = e.Path + ": " + text
	}
	if e.Type != "" {
		text = string(e.Type) + ": " + text
	}
	return text
}

// found names the type of a value.
func found(raw []byte) string {
	switch kind(raw) {
	case '{':
		return "an object"
	case '[':
		return "an array"
	case '"':
		return "a string"
	case 't', 'f':
		return "a boolean"
	case 'n':
		return "null"
	}
	const most = 24
	if len(raw) > most {
		raw = append(bytes.Clone(raw[:most]), "…"...)
	}
	return "the number " + string(raw)
}
