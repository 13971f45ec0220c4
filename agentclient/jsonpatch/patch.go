package jsonpatch

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"
	"strings"
)

// This file carries out the operations of RFC 6902 patches.

var (
	errMissing  = errors.New("path leads nowhere")
	errScalar   = errors.New("path traverses a scalar")
	errIndex    = errors.New("no place in the list")
	errInto     = errors.New("moves a value into itself")
	errTooDeep  = errors.New("nests too deep")
	errCopies   = errors.New("copies grow past their limit")
	errWork     = errors.New("walks over too much")
	errNoObject = errors.New("the value would be no object any more")
	errTest     = errors.New("test failed: the value differs")
)

func (p *patching) apply(op operation) error {
	if op.value != nil && strings.Count(op.path, "/")+depth(op.value) > maxDepth {
		return errTooDeep
	}
	switch op.op {
	case "add":
		return p.add(op.path, node{raw: bytes.Clone(op.value)})
	case "remove":
		_, err := p.remove(op.path)
		return err
	case "replace":
		return p.replace(op.path, node{raw: bytes.Clone(op.value)})
	case "move":
		return p.move(op.from, op.path)
	case "copy":
		return p.copyValue(op.from, op.path)
	default:
		return p.test(op.path, op.value)
	}
}

// find returns the object or array that a pointer's last token is in, and that token.
// The patch may change it; with change, it does, and what holds it counts that. The
// whole value is in top.
func (p *patching) find(pointer string, change bool) (b *box, token string, err error) {
	if strings.Count(pointer, "/") > maxDepth {
		return nil, "", errTooDeep
	}
	if p.top.owner != p.owner {
		p.top = p.top.copyFor(p.owner)
	}
	b, token = p.top, "0"
	for {
		if change {
			b.changed++
		}
		if pointer == "" {
			return b, token, nil
		}
		n, ok := b.get(token)
		if !ok {
			return nil, "", errMissing
		}
		in := n.box
		switch {
		case in == nil:
			in = open(n.raw, p.owner)
		case in.owner != p.owner:
			in = in.copyFor(p.owner)
		}
		if in == nil {
			return nil, "", errScalar
		}
		if in != n.box {
			b.set(token, node{box: in})
		}
		b = in
		next := strings.IndexByte(pointer[1:], '/') + 1
		if next == 0 {
			next = len(pointer)
		}
		token, pointer = unescape(pointer[1:next]), pointer[next:]
	}
}

// read returns the value that a pointer names.
func (p *patching) read(pointer string) (node, error) {
	b, token, err := p.find(pointer, false)
	if err != nil {
		return node{}, err
	}
	n, ok := b.get(token)
	if !ok {
		return node{}, errMissing
	}
	return n, nil
}

func (p *patching) add(path string, n node) error {
	b, token, err := p.find(path, true)
	if err != nil {
		return err
	}
	if b.members != nil {
		before, was := b.members[token]
		p.changes = append(p.changes, change{in: b, name: token, before: before, was: was, now: true})
		b.put(token, n)
		return nil
	}
	i, ok := b.index(token)
	switch {
	case !ok || i > len(b.items):
		return errIndex
	case path == "": // top holds one value for good
		p.changes = append(p.changes, change{in: b, before: member{node: b.items[0]}, was: true, now: true})
		b.items[0] = n
	case !p.afford(len(b.items) - i):
		return errWork
	default:
		p.changes = append(p.changes, change{in: b, at: i, now: true})
		b.items = slices.Insert(b.items, i, n)
	}
	return nil
}

func (p *patching) remove(path string) (n node, err error) {
	b, token, err := p.find(path, true)
	if err != nil {
		return n, err
	}
	n, ok := b.get(token)
	if !ok {
		return n, errMissing
	}
	if path == "" { // nothing is null
		return n, p.add("", node{raw: json.RawMessage("null")})
	}
	c := change{in: b, name: token, before: member{node: n}, was: true}
	if b.members != nil {
		c.before = b.members[token]
		delete(b.members, token)
	} else {
		c.at, _ = b.index(token)
		if !p.afford(len(b.items) - c.at) {
			return n, errWork
		}
		b.items = slices.Delete(b.items, c.at, c.at+1)
	}
	p.changes = append(p.changes, c)
	return n, nil
}

func (p *patching) replace(path string, n node) error {
	b, token, err := p.find(path, true)
	if err != nil {
		return err
	}
	before, ok := b.get(token)
	if !ok {
		return errMissing
	}
	if b.members != nil || path == "" {
		return p.add(path, n)
	}
	i, _ := b.index(token)
	p.changes = append(p.changes, change{in: b, at: i, before: member{node: before}, was: true, now: true})
	b.items[i] = n
	return nil
}

func (p *patching) move(from, path string) error {
	if strings.HasPrefix(path, from+"/") {
		return errInto
	}
	if path == from {
		_, err := p.read(from)
		return err
	}
	n, err := p.remove(from)
	if err != nil {
		return err
	}
	if deeper := strings.Count(path, "/"); deeper > strings.Count(from, "/") {
		nests, walked := n.depth()
		switch {
		case deeper+nests > maxDepth:
			return errTooDeep
		case !p.afford(walked):
			return errWork
		}
	}
	return p.add(path, n)
}

// copyValue copies: what was taken apart must not stand in two places.
func (p *patching) copyValue(from, path string) error {
	n, err := p.read(from)
	if err != nil {
		return err
	}
	raw := n.upTo(maxCopy)
	if p.copying += len(raw); p.copying > maxCopy {
		return errCopies
	}
	if strings.Count(path, "/")+depth(raw) > maxDepth {
		return errTooDeep
	}
	b, token, err := p.find(path, false)
	if err != nil {
		return err
	}
	grown := len(raw)
	if b.members != nil || path == "" {
		if old, ok := b.get(token); ok {
			grown -= len(old.upTo(grown))
		}
	}
	if p.grown += max(grown, 0); p.grown > p.room {
		return errCopies
	}
	return p.add(path, node{raw: raw})
}

func (p *patching) test(path string, want json.RawMessage) error {
	b, token, err := p.find(path, false)
	if err != nil {
		return err
	}
	if !b.same(token, want, p.owner) {
		return errTest
	}
	return nil
}
