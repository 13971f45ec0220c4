package demos

import (
	"cairn/agentclient/jsonpatch"
)

// This file reads the shared state for a panel: what it shows, within bounds, and again
// only when it has changed. The state is the agent's and may be of any size.

// Bounds on what a panel reads and shows, in bytes. What is asked for in an approval is
// not cut by them.
const (
	maxRows  = 200      // items of a list
	maxText  = 4 << 10  // bytes read of a text
	maxShown = 400      // bytes shown of a text, and read of one in a list
	maxWord  = 40       // bytes shown of a word of the agent's own, or of a number
	maxPanel = 32 << 10 // bytes shown of all rows together
)

// cached is what was read of a part of the state. The zero value has read nothing.
type cached[T any] struct {
	seen jsonpatch.Revision
	read bool
	last T
}

// of returns what read returns of v, and calls it only when v is another than before.
func (c *cached[T]) of(v jsonpatch.Value, read func(jsonpatch.Value) T) T {
	if now := v.Revision(); !c.read || now != c.seen {
		c.last, c.seen, c.read = read(v), now, true
	}
	return c.last
}

// fields reads the members of an object as encoding/json reads them into a struct: what
// is missing or null is zero, and other is true once one has another type.
type fields struct {
	of    jsonpatch.Value
	other bool
}

func fieldsOf(v jsonpatch.Value) *fields {
	return &fields{of: v, other: !is(v, jsonpatch.KindObject)}
}

// is reports whether a value is of the kind, or nothing.
func is(v jsonpatch.Value, kind jsonpatch.Kind) bool {
	k := v.Kind()
	return k == kind || k == jsonpatch.KindNull || k == jsonpatch.KindNone
}

func (f *fields) member(name string, kind jsonpatch.Kind) jsonpatch.Value {
	v := f.of.Member(name)
	f.other = f.other || !is(v, kind)
	return v
}

func (f *fields) text(name string) string {
	return textOf(f.member(name, jsonpatch.KindString), maxText)
}

// maybe is a text, nil when it is missing.
func (f *fields) maybe(name string) *string {
	v := f.member(name, jsonpatch.KindString)
	if v.Kind() != jsonpatch.KindString {
		return nil
	}
	text := textOf(v, maxText)
	return &text
}

func (f *fields) number(name string) *float64 {
	v := f.member(name, jsonpatch.KindNumber)
	if v.Kind() != jsonpatch.KindNumber {
		return nil
	}
	n, ok := v.Number()
	f.other = f.other || !ok
	return &n
}

// list returns an array with how many of its items are not read.
func (f *fields) list(name string) (items jsonpatch.Value, more int) {
	items = f.member(name, jsonpatch.KindArray)
	return items, max(0, items.Len()-maxRows)
}

// textOf is a string of at most limit bytes, and an ellipsis when there is more.
func textOf(v jsonpatch.Value, limit int) string {
	text, whole := v.Text(limit)
	if !whole {
		text += "…"
	}
	return text
}
