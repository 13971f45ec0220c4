package conversation

import (
	"bytes"
	"encoding/json"
	"reflect"
	"testing"
)

// FuzzPatchItems compares patching items apart with patching the whole state, and
// checks that a clone keeps what it had.
func FuzzPatchItems(f *testing.F) {
	for _, seed := range [][2]string{
		{`{"l":[{"n":1},{"n":2}],"a":1}`, `[{"op":"replace","path":"/l/1/n","value":3},{"op":"add","path":"/l/-","value":{"n":4}}]`},
		{`{"l":[1,2,3]}`, `[{"op":"test","path":"/l/0","value":1},{"op":"replace","path":"/l/2","value":[]},{"op":"add","path":"/l/2/-","value":1}]`},
		{`{"l":[1,2,3]}`, `[{"op":"replace","path":"/l/0","value":9},{"op":"test","path":"/l/1","value":9}]`},
		{`{"l":[1,2,3]}`, `[{"op":"add","path":"/l/-","value":9},{"op":"test","path":"/l/3","value":9}]`},
		{`{"l":[[1],[2]],"k":[{}]}`, `[{"op":"remove","path":"/l/0/0"},{"op":"add","path":"/k/0/x","value":null}]`},
		{`{"l":[{"a":{}}]}`, `[{"op":"remove","path":"/l/0"}]`},
		{`{"l":[{"a":{}}]}`, `[{"op":"add","path":"/l/0","value":1}]`},
		{`{"l":[{"a":1}]}`, `[{"op":"replace","path":"/l/00/a","value":2}]`},
		{`{"l":[{"a":1}]}`, `[{"op":"replace","path":"/l/0/a","value":2},{"op":"remove","path":"/l/0/z"}]`},
		{`{"l":[{"a":1}]}`, `[{"op":"move","from":"/l/0/a","path":"/l/0/b"},{"op":"copy","from":"/l/0","path":"/l/-"}]`},
		{`{"l":[null,"<b>"],"a~b":[{"/":1}]}`, `[{"op":"test","path":"/l/0","value":null},{"op":"replace","path":"/a~0b/0/~1","value":"<i>"}]`},
		{`{"l":[]}`, `[{"op":"add","path":"/l/-","value":1},{"op":"add","path":"/l/-","value":2}]`},
		{`{"l":{"0":1}}`, `[{"op":"replace","path":"/l/0","value":2}]`},
	} {
		f.Add(seed[0], seed[1])
	}
	f.Fuzz(func(t *testing.T, doc, delta string) {
		if !json.Valid([]byte(doc)) {
			return
		}
		apart, whole := parseState(json.RawMessage(doc)), parseState(json.RawMessage(doc))
		before := apart.clone()
		var ops []operation
		if json.Unmarshal([]byte(delta), &ops) != nil {
			return
		}
		ops, _, err := checkOps(ops)
		if err != nil || len(ops) == 0 {
			return
		}
		// Twice: the second time the arrays are apart already, and shared with a clone.
		for range 2 {
			kept := apart.clone()
			keptJSON := string(kept.json())
			_, err := apart.patch(json.RawMessage(delta))
			wantErr := whole.patchWhole(ops)
			if (err == nil) != (wantErr == nil) {
				t.Fatalf("%s with %s: %v apart, %v whole", doc, delta, err, wantErr)
			}
			if !equal(apart.json(), whole.json()) {
				t.Fatalf("%s with %s: %s apart, %s whole", doc, delta, apart.json(), whole.json())
			}
			if string(kept.json()) != keptJSON {
				t.Fatalf("%s with %s: the clone %s became %s", doc, delta, keptJSON, kept.json())
			}
			kept.joined = nil
			if !equal(kept.json(), json.RawMessage(keptJSON)) {
				t.Fatalf("%s with %s: the clone's items changed to %s", doc, delta, kept.json())
			}
		}
		if !equal(before.json(), json.RawMessage(doc)) {
			t.Fatalf("%s with %s: the first clone became %s", doc, delta, before.json())
		}
	})
}

func equal(a, b json.RawMessage) bool {
	decode := func(raw json.RawMessage) (v any) {
		dec := json.NewDecoder(bytes.NewReader(raw))
		dec.UseNumber()
		if dec.Decode(&v) != nil {
			return "not JSON"
		}
		return v
	}
	return reflect.DeepEqual(decode(a), decode(b))
}

// The items of a member are patched apart, not with the others.
func TestItemsApart(t *testing.T) {
	s := parseState(json.RawMessage(`{"l":[{"n":1},{"n":2}]}`))
	if done, err := s.patchItems([]operation{{Op: "replace", Path: new("/l/1/n"), Value: json.RawMessage(`3`)}}); !done || err != nil {
		t.Fatal(done, err)
	}
	if string(s.json()) != `{"l":[{"n":1},{"n":3}]}` {
		t.Errorf("%s", s.json())
	}
}
