package script

import (
	"encoding/json"
	"slices"
	"strings"
)

// Schema is a JSON schema as far as a script reads one: the types, members,
// alternatives, enumerations and local references. What it cannot read allows
// everything, so a foreign schema never stops an answer.
type Schema struct{ root, node map[string]any }

// UnmarshalJSON takes any JSON value; one that is no object allows everything.
func (s *Schema) UnmarshalJSON(b []byte) error {
	var m map[string]any
	_ = json.Unmarshal(b, &m)
	s.root, s.node = m, m
	return nil
}

// maxHops is how many references lead to one value at most.
const maxHops = 8

// resolved follows references and takes the first alternative that is not null.
func (s Schema) resolved() Schema {
	for range maxHops {
		if ref, ok := s.node["$ref"].(string); ok {
			s.node = s.at(ref)
			continue
		}
		next := s.alternative()
		if next == nil {
			break
		}
		s.node = next
	}
	return s
}

// at follows a local reference; any other leads to nothing.
func (s Schema) at(ref string) map[string]any {
	path, local := strings.CutPrefix(ref, "#")
	node := s.root
	for key := range strings.SplitSeq(strings.TrimPrefix(path, "/"), "/") {
		if key != "" {
			node, _ = node[key].(map[string]any)
		}
	}
	if !local {
		return nil
	}
	return node
}

func (s Schema) alternative() map[string]any {
	for _, key := range []string{"anyOf", "oneOf", "allOf"} {
		list, _ := s.node[key].([]any)
		for _, v := range list {
			if m, ok := v.(map[string]any); ok && m["type"] != "null" {
				return m
			}
		}
	}
	return nil
}

func (s Schema) properties() map[string]any {
	m, _ := s.resolved().node["properties"].(map[string]any)
	return m
}

// Property is the schema of one member.
func (s Schema) Property(name string) (Schema, bool) {
	v, ok := s.properties()[name]
	m, _ := v.(map[string]any)
	return Schema{root: s.root, node: m}, ok
}

func (s Schema) required() []string {
	list, _ := s.resolved().node["required"].([]any)
	var out []string
	for _, v := range list {
		if name, ok := v.(string); ok {
			out = append(out, name)
		}
	}
	return out
}

// Is reports whether the schema names the type.
func (s Schema) Is(name string) bool {
	switch t := s.resolved().node["type"].(type) {
	case string:
		return t == name
	case []any:
		return slices.Contains(t, any(name))
	}
	return false
}

func (s Schema) nullable() bool {
	if s.Is("null") {
		return true
	}
	for _, key := range []string{"anyOf", "oneOf"} {
		list, _ := s.node[key].([]any)
		for _, v := range list {
			if m, _ := v.(map[string]any); m["type"] == "null" {
				return true
			}
		}
	}
	n, _ := s.node["nullable"].(bool)
	return n
}
