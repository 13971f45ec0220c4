package conversation

import (
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// This file patches items of an array that is a top-level member of the state
// without reading the others: agents keep lists there, and a patch for one item
// must not cost what the list does.

// member is the value of one member of a state. Once a patch reached into an
// array it is kept as its items; the JSON is put together when it is asked for.
type member struct {
	raw    json.RawMessage // nil after an item changed
	items  []json.RawMessage
	split  bool // items hold the value
	shared bool // with a clone: items must be copied before they change
}

// json is the value as JSON.
func (m *member) json() json.RawMessage {
	if m.raw == nil {
		size := 2
		for _, item := range m.items {
			size += len(item) + 1
		}
		m.raw = append(make(json.RawMessage, 0, size), '[')
		for i, item := range m.items {
			if i > 0 {
				m.raw = append(m.raw, ',')
			}
			m.raw = append(m.raw, item...)
		}
		m.raw = append(m.raw, ']')
	}
	return m.raw
}

// itemPath is a pointer into an item of an array: /name/index and what follows.
type itemPath struct {
	name  string
	index int // -1 is behind the end
	rest  string
}

func splitItemPath(pointer string) (p itemPath, ok bool) {
	parts := strings.SplitN(pointer, "/", 4)
	if len(parts) < 3 {
		return p, false
	}
	p.name = unescape(parts[1])
	if len(parts) == 4 {
		p.rest = "/" + parts[3]
	}
	if parts[2] == "-" {
		p.index = -1
		return p, p.rest == ""
	}
	n, err := strconv.Atoi(parts[2])
	p.index = n
	return p, err == nil && n >= 0 && strconv.Itoa(n) == parts[2]
}

// patchItems applies ops that each stay within one item, replace one, or append
// one. It reports false, and has done nothing, when ops are of another kind: they
// could move items, which [state.patchMembers] does.
//
// The items are patched as members of an object, under their index as a name:
// within an item that makes no difference.
func (s *state) patchItems(ops []operation) (done bool, err error) {
	appended := map[string][]json.RawMessage{}
	touched := map[string]map[string]json.RawMessage{}
	var within []operation
	for _, op := range ops {
		p, ok := splitItemPath(*op.Path)
		if !ok || op.Op == "move" || op.Op == "copy" {
			return false, nil
		}
		m, known := s.members[p.name]
		if !known || !m.split && !s.splitMember(p.name) {
			return false, nil
		}
		m = s.members[p.name]
		if p.index < 0 {
			if op.Op != "add" {
				return false, nil
			}
			appended[p.name] = append(appended[p.name], op.Value)
			continue
		}
		if p.index >= len(m.items) || p.rest == "" && op.Op != "replace" && op.Op != "test" {
			return false, nil
		}
		if touched[p.name] == nil {
			touched[p.name] = map[string]json.RawMessage{}
		}
		touched[p.name][strconv.Itoa(p.index)] = m.items[p.index]
		within = append(within, op)
	}
	var after map[string]map[string]json.RawMessage
	if len(within) > 0 {
		members := make(map[string]json.RawMessage, len(touched))
		for name, items := range touched {
			members[name] = join(slices.Sorted(maps.Keys(items)), items)
		}
		out, err := apply(join(slices.Sorted(maps.Keys(members)), members), within, "")
		if err != nil {
			return true, err
		}
		if err := json.Unmarshal(out, &after); err != nil {
			return true, err
		}
	}
	for name, items := range after {
		for index, value := range items {
			i, _ := strconv.Atoi(index)
			s.changeItems(name)[i] = value
		}
	}
	for name, values := range appended {
		items := s.changeItems(name)
		m := s.members[name]
		for _, v := range values {
			items = append(items, slices.Clone(v))
		}
		m.items = items
		s.members[name] = m
	}
	return true, nil
}

// splitMember takes an array apart; false when the member is none.
func (s *state) splitMember(name string) bool {
	m := s.members[name]
	if m.raw[0] != '[' || json.Unmarshal(m.raw, &m.items) != nil {
		return false
	}
	m.split = true
	s.members[name] = m
	return true
}

// changeItems gives the items of an array to change.
func (s *state) changeItems(name string) []json.RawMessage {
	m := s.members[name]
	if m.shared {
		m.items, m.shared = slices.Clone(m.items), false
	}
	m.raw, s.joined = nil, nil
	s.members[name] = m
	return m.items
}

// unescape gives the name a token of a pointer stands for.
func unescape(token string) string {
	return strings.ReplaceAll(strings.ReplaceAll(token, "~1", "/"), "~0", "~")
}
