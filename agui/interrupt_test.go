package agui

import (
	"encoding/json"
	"testing"
)

// Some producers document an interrupt that is named and filled as an answer is.
func TestInterruptOfTheOlderShape(t *testing.T) {
	for _, tc := range []struct{ name, in, want string }{
		{"older", `{"interruptId":"i1","value":{"a":1}}`, `{"id":"i1","reason":"","metadata":{"value":{"a":1}}}`},
		{"older, without a value", `{"interruptId":"i1","value":null,"reason":"r"}`, `{"id":"i1","reason":"r"}`},
		{"the protocol's", `{"id":"i1","reason":"r","metadata":{"a":1}}`, `{"id":"i1","reason":"r","metadata":{"a":1}}`},
		{"both ids", `{"id":"i1","interruptId":"i2"}`, `{"id":"i1","reason":""}`},
		{"a value of its own beside the older one", `{"id":"i1","value":2,"metadata":{"value":1}}`, `{"id":"i1","reason":"","metadata":{"value":1}}`},
		{"null", `null`, `{"id":"","reason":""}`},
	} {
		var it Interrupt
		if err := json.Unmarshal([]byte(tc.in), &it); err != nil {
			t.Fatal(err)
		}
		got, err := json.Marshal(it)
		if err != nil {
			t.Fatal(err)
		}
		if string(got) != tc.want {
			t.Errorf("%s:\n got %s\nwant %s", tc.name, got, tc.want)
		}
	}
	for _, bad := range []string{`{"id":7}`, `{"id":"i","interruptId":{}}`, `[]`} {
		if err := json.Unmarshal([]byte(bad), new(Interrupt)); err == nil {
			t.Errorf("%s was read", bad)
		}
	}
}
