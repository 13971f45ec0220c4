package form

import (
	"encoding/json"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
)

// unfit are the words of a schema that is not given to the library: references may
// go round, patterns may be slow, multipleOf is computed in floats, in which 47.49 is
// no multiple of 0.01; and an escape may hide one of them.
var unfit = []string{`$ref"`, `$dynamicRef"`, `$recursiveRef"`, `"pattern"`, `"patternProperties"`, `"multipleOf"`, `\u`}

// maxWork bounds the bytes of a schema times those of an answer: each part of the one
// may be held against each of the other.
const maxWork = 4 << 20

// check holds an answer against a whole schema, when that can be done in a time
// that the size of both bounds; else it is the agent's to check. What a field could
// check was checked before.
func check(raw, answer json.RawMessage) (err error) {
	if len(raw)*len(answer) > maxWork {
		return nil
	}
	for _, word := range unfit {
		if strings.Contains(string(raw), word) {
			return nil
		}
	}
	defer func() { // a schema is foreign; what a library makes of it must not end the server
		if recover() != nil {
			err = nil
		}
	}()
	var s jsonschema.Schema
	if json.Unmarshal(raw, &s) != nil {
		return nil
	}
	resolved, resolveErr := s.Resolve(nil)
	if resolveErr != nil {
		return nil
	}
	var v any
	if err := json.Unmarshal(answer, &v); err != nil {
		return err
	}
	return resolved.Validate(v)
}
