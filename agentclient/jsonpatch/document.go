package jsonpatch

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
)

// Document is a JSON value that patches change in place. Clones share what neither has
// changed. It is not safe for concurrent use.
type Document struct {
	// Object makes a patch fail that would make the value anything but an object.
	Object bool

	top    *box // holds the value as its only item
	owner  *owner
	joined json.RawMessage // the last result of JSON, nil after a change
	copied int             // bytes that copies have added
}

// Parse returns the document of any JSON text; nothing at all is {}, and what is not JSON
// is null.
func Parse(raw json.RawMessage) Document {
	raw = bytes.TrimSpace(raw)
	switch {
	case len(raw) == 0:
		raw = json.RawMessage("{}")
	case !json.Valid(raw):
		raw = json.RawMessage("null")
	default:
		raw = bytes.Clone(raw)
	}
	o := &owner{}
	return Document{top: &box{owner: o, items: []node{{raw: raw}}}, owner: o, joined: raw}
}

// Clone returns another document of the same value. Neither sees the other's changes.
func (d *Document) Clone() Document {
	next := *d
	d.owner, next.owner = &owner{}, &owner{}
	return next
}

// JSON returns the whole value, to read only.
func (d *Document) JSON() json.RawMessage {
	if d.joined == nil {
		d.joined = d.top.items[0].json()
	}
	return d.joined
}

// Value returns the value, to look into it without its JSON.
func (d *Document) Value() Value { return Value{in: d.top} }

// Copied returns how many bytes copy operations have added over the document's life.
func (d *Document) Copied() int { return d.copied }

// change is one thing that a patch did, to be undone when it fails.
type change struct {
	in       *box
	name     string
	at       int
	before   member
	was, now bool // whether a member or item was there before, and is now
}

func (c change) undo() {
	switch {
	case c.in.members != nil && c.was:
		c.in.members[c.name] = c.before
	case c.in.members != nil:
		delete(c.in.members, c.name)
	case c.was && c.now:
		c.in.items[c.at] = c.before.node
	case c.was:
		c.in.items = slices.Insert(c.in.items, c.at, c.before.node)
	default:
		c.in.items = slices.Delete(c.in.items, c.at, c.at+1)
	}
}

// patching is one patch going on.
type patching struct {
	*Document
	changes []change
	room    int // bytes that copies may add
	grown   int // bytes that they have added
	copying int // bytes that they have copied
	work    int // see maxWork
}

// afford reports whether the patch may walk over n more items or bytes.
func (p *patching) afford(n int) bool {
	p.work += n
	return p.work <= maxWork
}

// Patch applies an RFC 6902 patch: all of it, or nothing and an error. Its copies
// may add up to room bytes. Operations of a kind the RFC does not know are left
// out and counted (protocol section 1.6).
func (d *Document) Patch(delta json.RawMessage, room int) (unknown int, err error) {
	ops, unknown, err := parsePatch(delta)
	if err != nil {
		return unknown, err
	}
	p := &patching{Document: d, room: room}
	for i, op := range ops {
		if err := p.apply(op); err != nil {
			p.undo()
			return unknown, fmt.Errorf("operation %d: %w: %s %s", i, err, op.op, op.path)
		}
	}
	if top := d.top.items[0]; d.Object && !top.isObject() {
		p.undo()
		return unknown, errNoObject
	}
	if len(p.changes) > 0 {
		d.joined = nil
	}
	p.tidy()
	d.copied += p.grown
	return unknown, nil
}

// undo takes the changes back.
func (p *patching) undo() {
	for _, c := range slices.Backward(p.changes) {
		c.undo()
	}
	p.tidy()
}

// tidy is what comes after the changes, or after they were undone.
func (p *patching) tidy() {
	for _, c := range p.changes {
		c.in.tidy()
	}
}
