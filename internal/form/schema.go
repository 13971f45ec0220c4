package form

import (
	"encoding/json"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// schema is what is read of a JSON schema. What else it has is left to the check of
// the whole answer.
type schema struct {
	Type        string
	Title       string
	Description string
	Default     json.RawMessage
	Enum        []json.RawMessage
	Properties  members
	Required    []string
	rule
}

// members are an object's, in its order.
type members struct {
	names []string
	of    map[string]schema
}

// parse reads a schema; false when it is none.
func parse(raw json.RawMessage) (schema, bool) {
	var all map[string]json.RawMessage
	if json.Unmarshal(raw, &all) != nil || all == nil {
		return schema{}, false
	}
	var s schema
	s.Title, s.Description = text(all["title"]), text(all["description"])
	s.Default = get(raw, "default")
	if c, ok := all["const"]; ok {
		s.Enum = []json.RawMessage{c}
	} else {
		_ = json.Unmarshal(all["enum"], &s.Enum)
	}
	_ = json.Unmarshal(all["required"], &s.Required)
	s.rule = ruleOf(all)
	s.Type, s.null = typeOf(all["type"])
	for _, hard := range []string{"$ref", "$dynamicRef", "oneOf", "anyOf", "allOf", "not", "if"} {
		if _, ok := all[hard]; ok && (hard[0] == '$' || len(all["properties"]) == 0) {
			s.Type = "" // it may be anything
			return s, true
		}
	}
	if s.Type == "" {
		s.Type = s.implied(all)
	}
	if s.Type == "object" {
		s.Properties = propertiesOf(all["properties"])
	}
	return s, true
}

// implied is the type of a schema that names none.
func (s schema) implied(all map[string]json.RawMessage) string {
	switch {
	case len(all["properties"]) > 0:
		return "object"
	case len(s.Enum) > 0:
		return ""
	case s.min != nil || s.max != nil || s.step != nil:
		return "number"
	case s.maxLength > 0 || s.minLength > 0 || s.pattern != "":
		return "string"
	}
	return ""
}

func (s schema) object() bool { return s.Type == "object" && len(s.Enum) == 0 }

func (s schema) requires(name string) bool { return slices.Contains(s.Required, name) }

// typeOf reads a type, or the one beside null in a list of two.
func typeOf(raw json.RawMessage) (name string, null bool) {
	var list []string
	if json.Unmarshal(raw, &name) == nil {
		return name, false
	}
	if json.Unmarshal(raw, &list) != nil {
		return "", false
	}
	rest := slices.DeleteFunc(list, func(t string) bool { return t == "null" })
	if len(rest) != 1 {
		return "", false
	}
	return rest[0], len(rest) < len(list)
}

func propertiesOf(raw json.RawMessage) members {
	m := members{of: map[string]schema{}}
	for _, p := range membersOf(raw) {
		if s, ok := parse(p.value); len(m.names) < 10*maxFields && p.name != "" && (ok || string(p.value) == "true") {
			m.names, m.of[p.name] = append(m.names, p.name), s
		}
	}
	return m
}

// guess makes the schema of an object's members of what they are.
func guess(object json.RawMessage) members {
	m := members{of: map[string]schema{}}
	for _, p := range membersOf(object) {
		if len(m.names) == maxFields || p.name == "" {
			continue
		}
		var s schema
		switch p.value[0] {
		case '"':
			s.Type = "string"
		case 't', 'f':
			s.Type = "boolean"
		case 'n', '{', '[':
		default:
			s.Type = "number"
		}
		m.names, m.of[p.name] = append(m.names, p.name), s
	}
	return m
}

// bounded reports whether the bytes are valid JSON of at most the given size and of a
// depth that is safe to walk.
func bounded(raw json.RawMessage, size int) bool {
	if len(raw) == 0 || len(raw) > size || !utf8.Valid(raw) || !json.Valid(raw) {
		return false
	}
	depth, inText := 0, false
	for i := 0; i < len(raw); i++ {
		switch c := raw[i]; {
		case inText && c == '\\':
			i++
		case c == '"':
			inText = !inText
		case inText:
		case c == '{' || c == '[':
			if depth++; depth > maxDepth {
				return false
			}
		case c == '}' || c == ']':
			depth--
		}
	}
	return true
}

func text(raw json.RawMessage) string {
	var s string
	_ = json.Unmarshal(raw, &s)
	return strings.TrimSpace(s)
}

func clip(s string, limit int) string {
	if len(s) <= limit {
		return s
	}
	return strings.ToValidUTF8(s[:limit], "") + "…"
}

// Words makes a name readable: amount_usd and amountUsd become "Amount usd".
func Words(name string) string {
	var b strings.Builder
	for i, r := range clip(name, maxLabel) {
		switch {
		case r == '_' || r == '-':
			b.WriteByte(' ')
		case i == 0:
			b.WriteRune(unicode.ToUpper(r))
		case unicode.IsUpper(r):
			b.WriteByte(' ')
			b.WriteRune(unicode.ToLower(r))
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}
