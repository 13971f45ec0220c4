package jsonpatch

import (
	"encoding/json"
	"iter"
)

// Value is a part of a document, to read only. It is valid until the next Patch. The zero Value is no value at all: what an object without the
// member has.
//
// Reading costs what is read: the first look into an object or an array takes it apart,
// once for as long as the state holds it, and from then on a member, an item and the
// length cost the same in any state. A reader that must not follow an agent's sizes
// stops an iteration of [Value.All] and names a limit in bytes.
type Value struct {
	in   *box   // holds the value
	name string // as this member of an object, or
	at   int    // as this item of an array
}

// ParseValue returns the value of any JSON text; "" is {}, and what is not JSON is null.
func ParseValue(raw json.RawMessage) Value {
	doc := Parse(raw)
	return doc.Value()
}

// Kind is a kind of JSON value.
type Kind int

const (
	KindNone Kind = iota // of the zero Value
	KindNull
	KindBool
	KindNumber
	KindString
	KindArray
	KindObject
)

// Kind returns what the value is.
func (v Value) Kind() Kind {
	n := v.node()
	if n.box != nil {
		if n.box.members != nil {
			return KindObject
		}
		return KindArray
	}
	if len(n.raw) == 0 {
		return KindNone
	}
	switch n.raw[0] {
	case '{':
		return KindObject
	case '[':
		return KindArray
	case '"':
		return KindString
	case 'n':
		return KindNull
	case 't', 'f':
		return KindBool
	}
	return KindNumber
}

// Len returns how many members or items the value has, 0 when it can have none.
func (v Value) Len() int {
	b := v.open()
	switch {
	case b == nil:
		return 0
	case b.members != nil:
		return len(b.members)
	}
	return len(b.items)
}

// Member returns the member of an object, the zero Value when there is none. The name
// is exact.
func (v Value) Member(name string) Value {
	if b := v.open(); b != nil {
		if _, ok := b.members[name]; ok {
			return Value{in: b, name: name}
		}
	}
	return Value{}
}

// Item returns the item of an array, the zero Value when there is none.
func (v Value) Item(i int) Value {
	if b := v.open(); b != nil && i >= 0 && i < len(b.items) {
		return Value{in: b, at: i}
	}
	return Value{}
}

// All returns the members of an object with their names, or the items of an array with
// "", in order.
func (v Value) All() iter.Seq2[string, Value] {
	return func(yield func(string, Value) bool) {
		b := v.open()
		if b == nil {
			return
		}
		for i, name := range b.names {
			if m, ok := b.members[name]; ok && m.at == i && !yield(name, Value{in: b, name: name}) {
				return
			}
		}
		for i := range b.items {
			if !yield("", Value{in: b, at: i}) {
				return
			}
		}
	}
}

// Revision identifies what a value holds. It is comparable, and keeps the memory of
// what it identifies.
type Revision struct {
	raw     *byte
	size    int
	box     *box
	changed int
}

// Revision returns the value's revision. As long as it is the same, so is everything in
// the value; a different one means that something in it may have changed. Looking into a
// value does not change it. It is the zero Revision of the zero Value.
func (v Value) Revision() Revision {
	n := v.node()
	if b := n.box; b != nil {
		if b.changed > 0 {
			return Revision{box: b, changed: b.changed}
		}
		n.raw = b.from
	}
	if len(n.raw) == 0 {
		return Revision{}
	}
	return Revision{raw: &n.raw[0], size: len(n.raw)}
}

func (v Value) node() node {
	switch {
	case v.in == nil:
		return node{}
	case v.in.members != nil:
		return v.in.members[v.name].node
	case v.at < len(v.in.items):
		return v.in.items[v.at]
	}
	return node{}
}

// open returns the value as a box, nil when it is none. What it takes apart for that
// belongs to the tree that the box around it belongs to, or like that to none.
func (v Value) open() *box {
	n := v.node()
	if n.box != nil || len(n.raw) == 0 {
		return n.box
	}
	b := open(n.raw, v.in.owner)
	switch {
	case b == nil:
	case v.in.members != nil:
		v.in.put(v.name, node{box: b})
	default:
		v.in.items[v.at] = node{box: b}
	}
	return b
}
