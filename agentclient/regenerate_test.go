package agentclient

import (
	"encoding/json"
	"testing"
)

// TestSameState: what was there before and after an answer, told in many ways.
func TestSameState(t *testing.T) {
	for _, c := range []struct {
		before, after string
		same          bool
	}{
		{``, ``, true},
		{``, `{}`, true},
		{``, `{"expense":{}}`, true}, // measured: the Agent Framework, in every run
		{`{"availability":null,"rows":[]}`, ``, true},
		{`{"a":1,"b":[2]}`, ` {"b": [2], "a": 1.0}`, true},
		{``, `{"expense":{"vendor":""}}`, false},
		{``, `{"rows":[null]}`, false},
		{`{"a":1}`, `{}`, false},
		{`{"a":0}`, `{}`, false},
		{`{"a":false}`, ``, false},
		{`{"a":1}`, `{"a":2}`, false},
		{`{`, ``, false},
	} {
		for _, pair := range [][2]string{{c.before, c.after}, {c.after, c.before}} {
			if got := sameState(json.RawMessage(pair[0]), json.RawMessage(pair[1])); got != c.same {
				t.Errorf("%q, %q: %t", pair[0], pair[1], got)
			}
		}
	}
}
