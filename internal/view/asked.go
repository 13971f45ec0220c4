package view

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"unicode/utf8"

	"cairn/agentclient/interrupt"
	"cairn/components"
	"cairn/internal/form"
	"cairn/internal/plaintext"
)

// Limits of the rows on the card of a question that the demo has no texts for.
const (
	maxRows  = 20
	maxValue = 300 // bytes of one value
)

// rowsOf shows a question that the demo has no words for: the members of its
// payload, or of the call's arguments, in their order. When neither is an object, it is
// whatever else came with the question, by name.
func rowsOf(p interrupt.Pending) (rows []components.Field) {
	for _, raw := range []json.RawMessage{p.Payload, p.Args} {
		if rows := members(raw); len(rows) > 0 {
			return rows
		}
	}
	for _, other := range []map[string]json.RawMessage{p.Metadata, p.Extra} {
		for _, name := range slices.Sorted(maps.Keys(other)) {
			if v := shortText(other[name]); v != "" && len(rows) < maxRows {
				rows = append(rows, components.Field{Label: form.Words(name), Value: v})
			}
		}
	}
	return rows
}

func members(raw json.RawMessage) (rows []components.Field) {
	dec := json.NewDecoder(bytes.NewReader(raw))
	if first, err := dec.Token(); err != nil || first != json.Delim('{') {
		return nil
	}
	for dec.More() && len(rows) < maxRows {
		key, err := dec.Token()
		if err != nil {
			return rows
		}
		var value json.RawMessage
		if dec.Decode(&value) != nil {
			return rows
		}
		name, _ := key.(string)
		if v := shortText(value); v != "" {
			rows = append(rows, components.Field{Label: form.Words(name), Value: v})
		}
	}
	return rows
}

// shortText is a value without JSON's quotes, cut to what fits; null and empty text are
// left out.
func shortText(value json.RawMessage) string {
	var text string
	switch {
	case string(value) == "null":
		return ""
	case string(value) == "true":
		return "yes"
	case string(value) == "false":
		return "no"
	case json.Unmarshal(value, &text) != nil:
		text = string(value)
	}
	if len(text) <= maxValue {
		return text
	}
	cut := maxValue
	for !utf8.RuneStart(text[cut]) {
		cut--
	}
	return text[:cut] + "…"
}

// message returns the agent's text of its question, unless it is data.
func message(p interrupt.Pending) string {
	if json.Valid([]byte(p.Message)) {
		return ""
	}
	return shortText(json.RawMessage(p.Message))
}

// revealed are facts in which nothing is hidden, each on its own budget.
func revealed(rows []components.Field) []components.Field {
	shown := make([]components.Field, min(len(rows), maxRows))
	for i := range shown {
		shown[i] = components.Field{Label: plaintext.Reveal(rows[i].Label, maxName), Value: plaintext.Reveal(rows[i].Value, maxValue)}
	}
	return shown
}
