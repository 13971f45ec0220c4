package form

import (
	"encoding/json"
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxSaid is how many members of an answer are put into words.
const maxSaid = 3

// Said returns an answer's values as text: "nights 3 and note “late”"; "" when the answer
// is only yes.
func (f Form) Said(answer json.RawMessage) string {
	var parts []string
	for _, field := range f.Fields {
		var v json.RawMessage
		switch {
		case f.bare:
			v = answer
		case field.Group != "":
			v = get(get(answer, field.Group), field.member)
		default:
			v = get(answer, field.member)
		}
		if v == nil || field.Group != "" && field.unchanged(v) {
			continue
		}
		parts = append(parts, strings.TrimSpace(lower(field.Label)+" "+field.shown(v)))
	}
	if n := len(parts); n > maxSaid {
		parts = append(parts[:maxSaid], "more")
	}
	if len(parts) < 2 {
		return strings.Join(parts, "")
	}
	last := len(parts) - 1
	return strings.Join(parts[:last], ", ") + " and " + parts[last]
}

// unchanged reports whether a part of a group has its initial value.
func (f Field) unchanged(v json.RawMessage) bool {
	switch f.Kind {
	case Check:
		return string(v) == "true" == (f.Value == "on")
	case Number:
		return f.Value != "" && same(v, json.RawMessage(f.Value))
	case Text, Area, Date, Email:
		return plain(v) == f.Value
	}
	return false
}

func (f Field) shown(v json.RawMessage) string {
	switch {
	case string(v) == "true":
		return "yes"
	case string(v) == "false":
		return "no"
	case v[0] == '"' && f.Kind != Select:
		return "“" + clip(plain(v), maxLabel) + "”"
	case v[0] == '{' || v[0] == '[':
		return "as you wrote it"
	}
	return clip(plain(v), maxLabel)
}

func lower(s string) string {
	r, n := utf8.DecodeRuneInString(s)
	if next, _ := utf8.DecodeRuneInString(s[n:]); unicode.IsUpper(next) { // an abbreviation
		return s
	}
	return string(unicode.ToLower(r)) + s[n:]
}
