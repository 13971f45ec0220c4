package interrupt

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"

	"cairn/agui"
)

// Bounds on what a profile's paths are looked up in, in bytes: of one request, and of all
// requests of a pause together. What is larger no card could show.
const (
	maxRequest = 256 << 10
	maxRead    = 1 << 20
)

// tree is a JSON value that is taken apart one level at a time, each level once: the
// paths of a profile lead through the same objects.
type tree struct {
	raw       json.RawMessage
	counted   bool // its size was taken off the room to read
	unwrapped bool
	open      bool
	members   map[string]*tree
	items     []*tree
}

// lookup follows steps into the value; nil when they lead nowhere.
func (t *tree) lookup(steps ...string) *tree {
	for _, step := range steps {
		if t == nil {
			return nil
		}
		t.takeApart()
		next, ok := t.members[step]
		if i, err := strconv.Atoi(step); !ok && err == nil && i >= 0 && i < len(t.items) {
			next = t.items[i]
		}
		t = next
	}
	return t
}

// value returns the value, nil when there is none or null.
func (t *tree) value() json.RawMessage {
	if t == nil {
		return nil
	}
	return payload(t.text())
}

// text returns the value, of which a string of JSON is decoded once.
func (t *tree) text() json.RawMessage {
	if !t.unwrapped {
		t.unwrapped = true
		t.raw = unwrap(t.raw)
	}
	return t.raw
}

func (t *tree) takeApart() {
	if t.open || len(t.text()) == 0 {
		return
	}
	t.open = true
	switch t.raw[0] {
	case '{':
		var members map[string]json.RawMessage
		if json.Unmarshal(t.raw, &members) != nil {
			return
		}
		t.members = make(map[string]*tree, len(members))
		for name, raw := range members {
			t.members[name] = &tree{raw: raw}
		}
	case '[':
		var items []json.RawMessage
		if json.Unmarshal(t.raw, &items) != nil {
			return
		}
		for _, raw := range items {
			t.items = append(t.items, &tree{raw: raw})
		}
	}
}

// unwrap decodes a string that holds a JSON object or array, one layer only.
func unwrap(v json.RawMessage) json.RawMessage {
	v = bytes.TrimSpace(v)
	text := strings.TrimSpace(stringOf(v))
	if text != "" && (text[0] == '{' || text[0] == '[') && json.Valid([]byte(text)) {
		return json.RawMessage(text)
	}
	return v
}

// interruptLen is about how many bytes of JSON the interrupt is.
func interruptLen(it agui.Interrupt) int {
	n := len(it.ID) + len(it.Reason) + len(it.Message) + len(it.ToolCallID) + len(it.ResponseSchema) + len(it.ExpiresAt)
	for _, all := range []map[string]json.RawMessage{it.Metadata, it.Extra} {
		for name, value := range all {
			n += len(name) + len(value)
		}
	}
	return n
}
