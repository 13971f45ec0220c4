package conversation

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	jsonpatch "github.com/evanphx/json-patch/v5"
)

// maxCopy bounds, in bytes, what the copy operations of one patch may add: a few
// dozen of them can otherwise double a value into gigabytes.
const maxCopy = 1 << 20

// maxCopied bounds, in bytes, what copy operations may add to a state over its
// life. What else a state holds came over the wire, which is bounded where it is
// read; copies are not.
const maxCopied = 16 << 20

// state is a JSON value, kept as its top-level members when it is an object so
// that a patch costs what it touches. The JSON values themselves never change, so
// clones share them.
type state struct {
	whole   json.RawMessage // any value but an object; nil for an object
	keys    []string        // members in order
	members map[string]member
	joined  json.RawMessage // what json gave, nil after a change
	copied  int             // bytes that copies have added
}

func emptyState() state { return parseState(json.RawMessage("{}")) }

// parseState takes any JSON value; nothing at all is {}.
func parseState(raw json.RawMessage) state {
	raw = bytes.TrimSpace(raw)
	if len(raw) == 0 {
		raw = json.RawMessage("{}")
	}
	var s state
	if raw[0] != '{' || s.split(raw) != nil {
		return state{whole: bytes.Clone(raw)}
	}
	return s
}

func (s *state) clone() state {
	for name, m := range s.members {
		if m.split && !m.shared {
			m.shared = true
			s.members[name] = m
		}
	}
	next := *s
	next.keys, next.members = slices.Clone(s.keys), maps.Clone(s.members)
	return next
}

func (s *state) split(raw json.RawMessage) error {
	dec := json.NewDecoder(bytes.NewReader(raw))
	if _, err := dec.Token(); err != nil {
		return err
	}
	s.members = map[string]member{}
	for dec.More() {
		key, err := dec.Token()
		if err != nil {
			return err
		}
		var value json.RawMessage
		if err := dec.Decode(&value); err != nil {
			return err
		}
		s.set(key.(string), value)
	}
	return nil
}

func (s *state) set(key string, value json.RawMessage) {
	if _, known := s.members[key]; !known {
		s.keys = append(s.keys, key)
	}
	s.members[key] = member{raw: value}
	s.joined = nil
}

func (s *state) remove(key string) {
	if _, known := s.members[key]; known {
		delete(s.members, key)
		s.keys = slices.DeleteFunc(s.keys, func(k string) bool { return k == key })
		s.joined = nil
	}
}

// json is the whole value.
func (s *state) json() json.RawMessage {
	if s.members == nil {
		return s.whole
	}
	if s.joined == nil {
		s.joined = join(s.keys, s.all())
	}
	return s.joined
}

// all gives every member as JSON.
func (s *state) all() map[string]json.RawMessage { return s.some(s.keys) }

func (s *state) some(names []string) map[string]json.RawMessage {
	out := make(map[string]json.RawMessage, len(names))
	for _, name := range names {
		if m, known := s.members[name]; known {
			out[name] = m.json()
			s.members[name] = m
		}
	}
	return out
}

func join(keys []string, members map[string]json.RawMessage) json.RawMessage {
	out := []byte{'{'}
	for _, key := range keys {
		value, ok := members[key]
		if !ok {
			continue
		}
		if len(out) > 1 {
			out = append(out, ',')
		}
		name, _ := json.Marshal(key) // a string always encodes
		out = append(out, name...)
		out = append(out, ':')
		out = append(out, value...)
	}
	return append(out, '}')
}

// operation is one step of an RFC 6902 patch.
type operation struct {
	Op    string          `json:"op"`
	Path  *string         `json:"path"`
	From  *string         `json:"from"`
	Value json.RawMessage `json:"value"`
}

// patch applies an RFC 6902 patch: all of it, or nothing and an error.
// Operations of a kind the RFC does not know are left out and counted (protocol
// section 1.6).
func (s *state) patch(delta json.RawMessage) (unknown int, err error) {
	var ops []operation
	if err := json.Unmarshal(delta, &ops); err != nil {
		return 0, errors.New("not a patch")
	}
	ops, unknown, err = checkOps(ops)
	if err != nil || len(ops) == 0 {
		return unknown, err
	}
	touched, ok := touchedMembers(ops)
	if !ok || s.members == nil {
		return unknown, s.patchWhole(ops)
	}
	if done, err := s.patchItems(ops); done {
		return unknown, err
	}
	return unknown, s.patchMembers(ops, touched)
}

// checkOps sees to what json-patch does not: the shape of pointers and the
// presence of members.
func checkOps(ops []operation) (known []operation, unknown int, err error) {
	known = ops[:0]
	for i, op := range ops {
		needsFrom, needsValue := false, false
		switch op.Op {
		case "add", "replace", "test":
			needsValue = true
		case "move", "copy":
			needsFrom = true
		case "remove":
		default:
			unknown++
			continue
		}
		switch {
		case op.Path == nil || !isPointer(*op.Path):
			return nil, unknown, fmt.Errorf("operation %d: no valid path", i)
		case needsFrom && (op.From == nil || !isPointer(*op.From)):
			return nil, unknown, fmt.Errorf("operation %d: no valid from", i)
		case needsValue && op.Value == nil:
			return nil, unknown, fmt.Errorf("operation %d: no value", i)
		case op.Op == "move" && strings.HasPrefix(*op.Path, *op.From+"/"):
			return nil, unknown, fmt.Errorf("operation %d: moves a value into itself", i)
		}
		known = append(known, op)
	}
	return known, unknown, nil
}

// isPointer checks the syntax of RFC 6901, less one thing: a name in it may not be
// empty, because json-patch takes an empty name for the object it is in and would
// put a value into itself.
func isPointer(p string) bool {
	if p == "" {
		return true
	}
	if p[0] != '/' || p[len(p)-1] == '/' || strings.Contains(p, "//") {
		return false
	}
	for i := 0; i < len(p); i++ {
		if p[i] == '~' && (i+1 == len(p) || p[i+1] != '0' && p[i+1] != '1') {
			return false
		}
	}
	return true
}

// touchedMembers names the top-level members the operations reach into; not ok
// when one is about the document itself.
func touchedMembers(ops []operation) (names []string, ok bool) {
	for _, op := range ops {
		for _, p := range []*string{op.Path, op.From} {
			if p == nil || p == op.From && op.Op != "move" && op.Op != "copy" {
				continue
			}
			if *p == "" {
				return nil, false
			}
			first, _, _ := strings.Cut((*p)[1:], "/")
			names = append(names, unescape(first))
		}
	}
	slices.Sort(names)
	return slices.Compact(names), true
}

// patchMembers applies ops to a document of just the touched members.
func (s *state) patchMembers(ops []operation, touched []string) error {
	doc := join(touched, s.some(touched))
	out, err := apply(doc, ops, "")
	if err == nil {
		err = s.countCopied(len(out)-len(doc), ops)
	}
	if err != nil {
		return err
	}
	var after map[string]json.RawMessage
	if err := json.Unmarshal(out, &after); err != nil {
		return err
	}
	for _, name := range touched {
		if value, ok := after[name]; ok {
			s.set(name, value)
		} else {
			s.remove(name)
		}
	}
	return nil
}

// patchWhole applies ops to the value put under a name, because json-patch knows
// only objects and arrays at the root and cannot replace the root itself.
func (s *state) patchWhole(ops []operation) error {
	const name = "root"
	doc := join([]string{name}, map[string]json.RawMessage{name: s.json()})
	out, err := apply(doc, ops, "/"+name)
	if err == nil {
		err = s.countCopied(len(out)-len(doc), ops)
	}
	if err != nil {
		return err
	}
	var after map[string]json.RawMessage
	if err := json.Unmarshal(out, &after); err != nil {
		return err
	}
	root, ok := after[name]
	if !ok {
		root = json.RawMessage("null") // the whole document was removed
	}
	copied := s.copied
	*s = parseState(root)
	s.copied = copied
	return nil
}

// countCopied counts what a patch added beyond the values it brought.
func (s *state) countCopied(grown int, ops []operation) error {
	for _, op := range ops {
		grown -= len(op.Value) + len(*op.Path)
	}
	if s.copied+max(grown, 0) > maxCopied {
		return errors.New("the state's copies grow past their limit")
	}
	s.copied += max(grown, 0)
	return nil
}

// apply runs json-patch over doc with every pointer put under prefix. json-patch
// 5.9.11 panics when a test op compares arrays that hold null; an agent must not be
// able to end the process with that, so it is a failed patch like any other.
func apply(doc json.RawMessage, ops []operation, prefix string) (out json.RawMessage, err error) {
	defer func() {
		if p := recover(); p != nil {
			out, err = nil, fmt.Errorf("the patch could not be compared: %v", p)
		}
	}()
	patch := make(jsonpatch.Patch, 0, len(ops))
	for _, op := range ops {
		o := jsonpatch.Operation{"op": quoted(op.Op), "path": quoted(prefix + *op.Path)}
		if op.Op == "move" || op.Op == "copy" {
			o["from"] = quoted(prefix + *op.From)
		}
		if op.Value != nil {
			o["value"] = &op.Value
		}
		patch = append(patch, o)
	}
	options := jsonpatch.NewApplyOptions()
	options.SupportNegativeIndices = false
	options.AccumulatedCopySizeLimit = maxCopy
	options.EscapeHTML = false
	return patch.ApplyWithOptions(doc, options)
}

func quoted(s string) *json.RawMessage {
	raw, _ := json.Marshal(s) // a string always encodes
	return (*json.RawMessage)(&raw)
}
