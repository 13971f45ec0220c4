package jsonpatch

import (
	"encoding/json"
	"maps"
	"math"
	"slices"
	"strconv"
)

// This file is the value of a document as a tree that patches change in place. A
// value is taken apart when a patch first reaches into it; from then on a change
// costs the way to it, whatever stands beside. The JSON is put together when it is
// asked for.

// node is a value: JSON that never changes, or what it was taken apart into.
type node struct {
	raw json.RawMessage
	box *box
}

// box is an object or an array.
type box struct {
	owner   *owner            // whose tree may change it; others copy it first
	from    json.RawMessage   // what it was taken apart from, nil for the top
	changed int               // counts the changes in it and below it since
	members map[string]member // nil for an array
	names   []string          // of members in order; see member
	items   []node
}

// member is a member of an object. A name that is not at its place in names was
// removed; so names keep their order without a search when one goes.
type member struct {
	node
	at int
}

// owner is a tree's identity. Two trees that share boxes own none of them.
type owner struct {
	opened int // bytes that were taken apart for it; a test reads it
}

// open takes raw apart; nil when it is neither object nor array.
func open(raw json.RawMessage, by *owner) *box {
	if raw[0] != '{' && raw[0] != '[' {
		return nil
	}
	by.opened += len(raw)
	b := &box{owner: by, from: raw}
	if raw[0] == '{' {
		b.members = map[string]member{}
	}
	for name, value := range Each(raw) {
		if b.members != nil {
			b.put(name, node{raw: value})
		} else {
			b.items = append(b.items, node{raw: value})
		}
	}
	return b
}

// copyFor returns a copy that by may change; what it holds is shared.
func (b *box) copyFor(by *owner) *box {
	c := *b
	c.owner = by
	c.members, c.names, c.items = maps.Clone(b.members), slices.Clone(b.names), slices.Clone(b.items)
	return &c
}

// put sets a member, at the end when it is new.
func (b *box) put(name string, n node) {
	m, known := b.members[name]
	if !known {
		m.at = len(b.names)
		b.names = append(b.names, name)
	}
	m.node = n
	b.members[name] = m
}

// set puts a value where one is already.
func (b *box) set(token string, n node) {
	if b.members != nil {
		b.put(token, n)
		return
	}
	i, _ := b.index(token)
	b.items[i] = n
}

// tidy forgets the names of members that are gone, once they are many: a reader that
// wants the first few members steps over them.
func (b *box) tidy() {
	if len(b.names) <= len(b.members)+len(b.members)/8+16 {
		return
	}
	names := make([]string, 0, len(b.members))
	for i, name := range b.names {
		if m, known := b.members[name]; known && m.at == i {
			m.at = len(names)
			b.members[name] = m
			names = append(names, name)
		}
	}
	b.names = names
}

// index reads a token as the place of an item, "-" being behind the last.
func (b *box) index(token string) (int, bool) {
	if token == "-" {
		return len(b.items), true
	}
	n, err := strconv.Atoi(token)
	return n, err == nil && n >= 0 && strconv.Itoa(n) == token
}

// get finds a member or an item.
func (b *box) get(token string) (node, bool) {
	if b.members != nil {
		m, ok := b.members[token]
		return m.node, ok
	}
	if i, ok := b.index(token); ok && i < len(b.items) {
		return b.items[i], true
	}
	return node{}, false
}

// json is the value as JSON, to read only.
func (n node) json() json.RawMessage { return n.upTo(math.MaxInt) }

func (n node) isObject() bool {
	if n.box != nil {
		return n.box.members != nil
	}
	return n.raw[0] == '{'
}

// upTo is the value as JSON, or more than limit bytes of its beginning.
func (n node) upTo(limit int) json.RawMessage {
	if n.box == nil {
		return n.raw
	}
	return n.appendTo(nil, limit)
}

func (n node) appendTo(dst []byte, limit int) []byte {
	b := n.box
	if b == nil {
		if room := max(limit-len(dst), 0); len(n.raw) > room {
			return append(dst, n.raw[:room+1]...)
		}
		return append(dst, n.raw...)
	}
	if b.members == nil {
		dst = append(dst, '[')
		for i, item := range b.items {
			if len(dst) > limit {
				return dst
			}
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = item.appendTo(dst, limit)
		}
		return append(dst, ']')
	}
	dst = append(dst, '{')
	first := true
	for i, name := range b.names {
		m, known := b.members[name]
		if !known || m.at != i {
			continue
		}
		if len(dst) > limit {
			return dst
		}
		if !first {
			dst = append(dst, ',')
		}
		first = false
		dst = append(appendQuoted(dst, name), ':')
		dst = m.appendTo(dst, limit)
	}
	return append(dst, '}')
}

// depth is how deep the value nests, a scalar being 0, and what it takes to know:
// values and bytes walked over.
func (n node) depth() (deepest, walked int) {
	if n.box == nil {
		return depth(n.raw), len(n.raw)
	}
	in := func(n node) {
		d, w := n.depth()
		deepest, walked = max(deepest, d), walked+w
	}
	for _, item := range n.box.items {
		in(item)
	}
	for _, m := range n.box.members {
		in(m.node)
	}
	return deepest + 1, walked + 1
}

func depth(raw []byte) (deepest int) {
	now := 0
	for i := 0; i < len(raw); i++ {
		switch raw[i] {
		case '"':
			i += quoted(raw[i:]) - 1
		case '{', '[':
			now++
			deepest = max(deepest, now)
		case '}', ']':
			now--
		}
	}
	return deepest
}
