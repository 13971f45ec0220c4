package agenthost

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/google/jsonschema-go/jsonschema"
)

// Schema is the JSON Schema of a Go type. The zero value is no schema. [New] returns the
// error of a schema that could not be derived, so definitions need no error handling.
type Schema struct {
	raw      json.RawMessage
	resolved *jsonschema.Resolved
	err      error
}

// SchemaOf returns the schema of T, derived from its json tags; a jsonschema tag on a
// field is the field's description. The functions may then add rules that a Go type
// cannot express.
func SchemaOf[T any](refine ...func(*jsonschema.Schema)) Schema {
	s, err := jsonschema.For[T](nil)
	if err != nil {
		return Schema{err: err}
	}
	forbidNullArrays(s)
	for _, f := range refine {
		f(s)
	}
	raw, err := json.Marshal(s)
	if err != nil {
		return Schema{err: err}
	}
	resolved, err := s.Resolve(nil)
	return Schema{raw: raw, resolved: resolved, err: err}
}

// forbidNullArrays removes null from the types of Go slices: a list without elements is
// [].
func forbidNullArrays(s *jsonschema.Schema) {
	if s == nil {
		return
	}
	if len(s.Types) == 2 && s.Types[0] == "null" && s.Types[1] == "array" {
		s.Types, s.Type = nil, "array"
	}
	for _, p := range s.Properties {
		forbidNullArrays(p)
	}
	forbidNullArrays(s.Items)
	forbidNullArrays(s.AdditionalProperties)
}

// isZero reports whether there is no schema.
func (s Schema) isZero() bool { return s.raw == nil && s.err == nil }

// Check returns an error when a JSON text does not fit the schema.
func (s Schema) Check(text []byte) error {
	v, err := decodeAny(text)
	if err != nil {
		return err
	}
	return s.checkValue(v)
}

// checkValue is Check for a decoded value.
func (s Schema) checkValue(v any) error { return s.resolved.Validate(plainNumbers(v)) }

// plainNumbers returns the value with float64 numbers, as the validator needs it.
func plainNumbers(v any) any {
	switch v := v.(type) {
	case json.Number:
		f, err := v.Float64()
		if err != nil {
			return v.String()
		}
		return f
	case map[string]any:
		m := make(map[string]any, len(v))
		for k, e := range v {
			m[k] = plainNumbers(e)
		}
		return m
	case []any:
		a := make([]any, len(v))
		for i, e := range v {
			a[i] = plainNumbers(e)
		}
		return a
	default:
		return v
	}
}

// decodeAny decodes exactly one JSON value, with numbers as [json.Number]. It may be nested
// to 128 levels and have some 100,000 values.
func decodeAny(text []byte) (any, error) {
	if err := checkSize(text); err != nil {
		return nil, err
	}
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.UseNumber()
	var v any
	if err := dec.Decode(&v); err != nil {
		return nil, fmt.Errorf("not JSON: %w", err)
	}
	if dec.More() {
		return nil, fmt.Errorf("not JSON: more than one value")
	}
	return v, nil
}
