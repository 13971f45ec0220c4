package script

import (
	"fmt"
	"slices"
)

// maxDepth and maxValues bound a structured answer, as a schema may refer to
// itself.
const (
	maxDepth  = 4
	maxValues = 1000
)

// promptNames are what a child agent's one text argument is called.
var promptNames = []string{"prompt", "question", "query", "input", "task", "request", "message", "description", "text"}

// Fit makes arguments the schema accepts: members it does not know are left out,
// required ones that are missing become null, or, as the API wants a value where
// null is not allowed, the prompt or an empty value.
func (s Schema) Fit(args map[string]any, prompt string) map[string]any {
	out := map[string]any{}
	known := s.properties()
	for k, v := range args {
		p, ok := s.Property(k)
		if ok {
			out[k] = p.coerce(v)
		} else if len(known) == 0 {
			out[k] = v
		}
	}
	for _, k := range s.required() {
		if _, set := out[k]; set {
			continue
		}
		switch p, ok := s.Property(k); {
		case !ok || p.nullable():
			out[k] = nil
		case p.Is("string") && prompt != "" && slices.Contains(promptNames, k):
			out[k] = prompt
		default:
			out[k] = p.Fill(nil)
		}
	}
	return out
}

// coerce turns a value into the one other shape runtimes ask for it in: a text
// for a list or a number, a list for a text, JSON text for an object.
func (s Schema) coerce(v any) any {
	switch x := v.(type) {
	case []string:
		if s.Is("string") && !s.Is("array") {
			return And(x)
		}
	case string:
		if s.Is("array") && !s.Is("string") {
			return []string{x}
		}
	case float64, int:
		if s.Is("string") {
			return fmt.Sprint(x)
		}
	default:
		if s.Is("string") && !s.Is("object") && v != nil {
			return JSON(v)
		}
	}
	return v
}

// Fill makes a value of the schema from what is known by member name.
func (s Schema) Fill(facts map[string]any) any {
	left := maxValues
	return s.fill(facts, 0, &left)
}

func (s Schema) fill(facts map[string]any, depth int, left *int) any {
	*left--
	r := s.resolved()
	if list, ok := r.node["enum"].([]any); ok && len(list) > 0 {
		return list[0]
	}
	if v, ok := r.node["const"]; ok {
		return v
	}
	switch {
	case r.Is("object") || len(r.properties()) > 0:
		out := map[string]any{}
		if depth == maxDepth || *left <= 0 {
			return out
		}
		for name := range r.properties() {
			p, _ := r.Property(name)
			fact, known := facts[name]
			switch {
			case known && p.takes(fact):
				out[name] = p.coerce(fact)
			case s.root != nil && p.nullable():
				out[name] = nil
			default:
				out[name] = p.fill(facts, depth+1, left)
			}
		}
		return out
	case s.nullable():
		return nil
	case r.Is("array"):
		return []any{}
	case r.Is("number"), r.Is("integer"):
		return 0
	case r.Is("boolean"):
		return false
	case r.Is("string"):
		return ""
	}
	return nil
}

// takes reports whether an enumeration, if there is one, has the value.
func (s Schema) takes(v any) bool {
	list, ok := s.resolved().node["enum"].([]any)
	return !ok || slices.Contains(list, v)
}
