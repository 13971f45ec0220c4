package agui

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strings"
	"testing"
)

// FuzzRead compares the reader with encoding/json where the two should agree: each
// name once, and in the letters it has.
func FuzzRead(f *testing.F) {
	for _, in := range append(append([]string{}, flatEvents...), oddEvents...) {
		f.Add([]byte(in))
	}
	for _, in := range []string{
		`{"type":"RUN_FINISHED","threadId":"t","usage":[{"inputTokens":1},null],"outcome":{"type":"success","pendingToolCallIds":["a",null]}}`,
		`{"threadId":"t","messages":[{"id":"m","role":"user","content":[{"type":"text"}],"toolCalls":[{"function":{"name":"\ud83d"}}]}],"tools":null,"forwardedProps":null}`,
		`{"id":"m","role":"tool","content":null,"metadata":{"a":{}}}`, `{"type":"ACTIVITY_SNAPSHOT","content":{},"replace":true}`, `null`, `[7]`,
	} {
		f.Add([]byte(in))
	}
	type plainMessage Message
	type plainInput RunAgentInput
	f.Fuzz(func(t *testing.T, raw []byte) {
		if !json.Valid(raw) || !comparable(raw) {
			return
		}
		pairs := [][2]any{{new(Message), new(plainMessage)}, {new(RunAgentInput), new(plainInput)}}
		if et, err := typeOf(raw); err == nil && kinds[et] != nil {
			pairs = append(pairs, [2]any{kinds[et](), kinds[et]()})
		}
		for _, pair := range pairs {
			got, want := pair[0], pair[1]
			gotErr, wantErr := unmarshal(raw, got), json.Unmarshal(raw, want)
			if gotErr != nil && wantErr != nil {
				continue
			}
			if (gotErr == nil) != (wantErr == nil) && !strings.Contains(string(raw), "timestamp") {
				t.Fatalf("%T: %v; encoding/json: %v", got, gotErr, wantErr)
			}
			a, _ := json.Marshal(reflect.ValueOf(got).Elem().Convert(reflect.TypeOf(want).Elem()).Interface())
			b, _ := json.Marshal(reflect.ValueOf(want).Elem().Interface())
			if gotErr == nil && wantErr == nil && !bytes.Equal(joinHalves(a), joinHalves(b)) {
				t.Fatalf("%T:\ngot  %s\nwant %s", got, a, b)
			}
		}
	})
}

// joinHalves levels what only a delta keeps: a half is three bytes that are not
// UTF-8, each written as U+FFFD.
func joinHalves(b []byte) []byte {
	for bytes.Contains(b, []byte(`\ufffd`)) {
		b = bytes.ReplaceAll(b, []byte(`\ufffd`), []byte("\uFFFD"))
	}
	for bytes.Contains(b, []byte("\uFFFD\uFFFD")) {
		b = bytes.ReplaceAll(b, []byte("\uFFFD\uFFFD"), []byte("\uFFFD"))
	}
	return b
}

// comparable says that no object of raw has a name twice, or one that encoding/json
// would take for another.
func comparable(raw []byte) bool {
	ours := map[string]bool{}
	for _, members := range fields {
		for name := range members {
			ours[name] = true
		}
	}
	ok := true
	r := reader{s: scanner{b: raw, deepest: maxDepth}}
	var value func()
	value = func() {
		switch r.s.peek() {
		case '{':
			var seen []string
			for more := r.s.enter('{', '}'); more; more = r.s.next('}') {
				name := string(r.name())
				for _, s := range seen {
					ok = ok && !strings.EqualFold(s, name)
				}
				seen = append(seen, name)
				for our := range ours {
					ok = ok && (our == name || !strings.EqualFold(our, name))
				}
				value()
			}
		case '[':
			for more := r.s.enter('[', ']'); more; more = r.s.next(']') {
				value()
			}
		default:
			r.raw()
		}
	}
	r.s.space()
	value()
	return ok && !r.s.bad
}
