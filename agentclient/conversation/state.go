package conversation

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
)

// Bounds on what a patch may do beyond what it brings. What else a state holds came
// over the wire, which is bounded where it is read.
const (
	// maxCopy bounds, in bytes, what the copy operations of one patch may add: a few
	// dozen of them can otherwise double a value into gigabytes.
	maxCopy = 1 << 20
	// maxCopied bounds, in bytes, what they may add to a state over its life, and to
	// all activities together.
	maxCopied = 16 << 20
	// maxWork bounds what one patch may walk over besides what it brings: items that it
	// shifts in lists, and bytes of what it moves deeper. A few dozen bytes of patch
	// can otherwise walk over megabytes, again and again; it is a fraction of a second.
	maxWork = 64 << 20
	// maxOperations bounds a patch: three bytes of JSON make an operation of a hundred.
	maxOperations = 100_000
	// maxDepth bounds how deep patches reach and nest. JSON that nests deeper than
	// 10,000 is none to encoding/json, and a patch could double the depth each time.
	maxDepth = 256
)

// state is a JSON value that RFC 6902 patches change. Clones share what neither
// has changed.
type state struct {
	top    *box // holds the value as its only item
	owner  *owner
	joined json.RawMessage // the last result of json, nil after a change
	copied int             // bytes that copies have added
	object bool            // no patch makes it anything but an object
}

func emptyState() state { return parseState(nil) }

// parseState takes any JSON value; nothing at all is {}, what is not JSON is null.
func parseState(raw json.RawMessage) state {
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
	return state{top: &box{owner: o, items: []node{{raw: raw}}}, owner: o, joined: raw}
}

// clone returns another state of the same value.
func (s *state) clone() state {
	next := *s
	s.owner, next.owner = &owner{}, &owner{}
	return next
}

// json is the whole value.
func (s *state) json() json.RawMessage {
	if s.joined == nil {
		s.joined = s.top.items[0].json()
	}
	return s.joined
}

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
	*state
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

// patch applies an RFC 6902 patch: all of it, or nothing and an error. Its copies
// may add up to room bytes. Operations of a kind the RFC does not know are left
// out and counted (protocol section 1.6).
func (s *state) patch(delta json.RawMessage, room int) (unknown int, err error) {
	ops, unknown, err := parsePatch(delta)
	if err != nil {
		return unknown, err
	}
	p := &patching{state: s, room: room}
	for i, op := range ops {
		if err := p.apply(op); err != nil {
			p.undo()
			return unknown, fmt.Errorf("operation %d: %w: %s %s", i, err, op.op, op.path)
		}
	}
	if top := s.top.items[0]; s.object && !top.isObject() {
		p.undo()
		return unknown, errNoObject
	}
	if len(p.changes) > 0 {
		s.joined = nil
	}
	p.tidy()
	s.copied += p.grown
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
