package jsonpatch

import (
	"bytes"
	"encoding/json"
	"errors"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	evanphx "github.com/evanphx/json-patch/v5"
)

// FuzzPatch compares our patches with those of json-patch, and checks that a
// patch that fails changes nothing, and none changes a clone.
func FuzzPatch(f *testing.F) {
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
		{`{"a":{"b":[null,1]},"c":"x"}`, `[{"op":"move","from":"/a/b/0","path":"/a/c"},{"op":"copy","from":"/a","path":"/d"},{"op":"remove","path":"/a/b"}]`},
		{`[1,[2]]`, `[{"op":"add","path":"/1/-","value":3},{"op":"move","from":"/1","path":"/0"},{"op":"remove","path":""}]`},
		{` { "\u0061" : [ 1 , { } ] , "b" : "\"]" } `, `[{"op":"copy","from":"","path":"/b"},{"op":"replace","path":"/a/1","value":"\\"}]`},
	} {
		f.Add(seed[0], seed[1])
	}
	f.Fuzz(func(t *testing.T, doc, delta string) {
		if !json.Valid([]byte(doc)) {
			return
		}
		s := Parse(json.RawMessage(doc))
		before := s.Clone()
		// Twice: the second time values are apart already, and shared with a clone.
		for range 2 {
			kept, was := s.Clone(), string(s.JSON())
			ops, _, err := parsePatch(json.RawMessage(delta))
			if err != nil {
				return
			}
			want, wantErr := oracle(json.RawMessage(was), ops)
			_, err = s.Patch(json.RawMessage(delta), MaxCopied)
			s.joined, kept.joined = nil, nil
			got := s.JSON()
			if !json.Valid(got) || err != nil && string(got) != was && !equal(got, json.RawMessage(was)) {
				t.Fatalf("%s with %s: %s, %v", was, delta, got, err)
			}
			if !equal(kept.JSON(), json.RawMessage(was)) {
				t.Fatalf("%s with %s: the clone is %s", was, delta, kept.JSON())
			}
			tests := slices.ContainsFunc(ops, func(op operation) bool { return op.op == "test" })
			switch {
			case errors.Is(wantErr, errNotKnown) || err != nil && tests:
			case (err == nil) != (wantErr == nil):
				t.Fatalf("%s with %s: %v, json-patch %v", was, delta, err, wantErr)
			case err == nil && !equal(got, want):
				t.Fatalf("%s with %s: %s, json-patch %s", was, delta, got, want)
			}
		}
		before.joined = nil
		if !equal(before.JSON(), json.RawMessage(doc)) {
			t.Fatalf("%s with %s: the first clone is %s", doc, delta, before.JSON())
		}
	})
}

var errNotKnown = errors.New("json-patch has a bug there")

// oracle is what json-patch makes of it: with the value put under a name, because
// it cannot replace the root, and without test operations, on some of which it
// panics. Of what it does not do as the RFCs say, it answers errNotKnown: an empty
// name is to it the object that it is in, and an index may have zeros before it.
func oracle(doc json.RawMessage, ops []operation) (json.RawMessage, error) {
	raw := func(s string) *json.RawMessage {
		out, _ := json.Marshal(s)
		return (*json.RawMessage)(&out)
	}
	patch := evanphx.Patch{}
	for _, op := range ops {
		for _, token := range strings.Split(op.path+op.from, "/")[1:] {
			n, err := strconv.Atoi(token)
			if token == "" || err == nil && strconv.Itoa(n) != token {
				return nil, errNotKnown
			}
		}
		o := evanphx.Operation{"op": raw(op.op), "path": raw("/root" + op.path)}
		switch op.op {
		case "test":
			continue
		case "move", "copy":
			o["from"] = raw("/root" + op.from)
			if strings.HasPrefix(op.path, op.from+"/") && op.op == "move" {
				return nil, errNotKnown
			}
		case "add", "replace":
			o["value"] = &op.value
		}
		patch = append(patch, o)
	}
	options := evanphx.NewApplyOptions()
	options.SupportNegativeIndices = false
	options.EscapeHTML = false
	out, err := patch.ApplyWithOptions([]byte(`{"root":`+string(doc)+`}`), options)
	if err != nil {
		return nil, err
	}
	var after map[string]json.RawMessage
	if err := json.Unmarshal(out, &after); err != nil {
		return nil, err
	}
	if after["root"] == nil {
		return json.RawMessage("null"), nil
	}
	return after["root"], nil
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

// TestComparingChangesNoClone: a test takes apart what it compares, of its own tree alone.
func TestComparingChangesNoClone(t *testing.T) {
	s := Parse(json.RawMessage(`{"a":{"b":{"c":[1]},"x":0}}`))
	patch := func(delta string) {
		t.Helper()
		if _, err := s.Patch(json.RawMessage(delta), 0); err != nil {
			t.Fatal(err)
		}
	}
	patch(`[{"op":"replace","path":"/a/x","value":1}]`) // a is apart, b is not
	kept := s.Clone()
	patch(`[{"op":"test","path":"/a","value":{"x":1,"b":{"c":[ 1 ]}}},{"op":"add","path":"/a/b/c/-","value":2}]`)
	if got := string(kept.JSON()); got != `{"a":{"b":{"c":[1]},"x":1}}` {
		t.Errorf("the clone is %s", got)
	}
	if got := string(s.JSON()); got != `{"a":{"b":{"c":[1,2]},"x":1}}` {
		t.Errorf("the state is %s", got)
	}
}

// TestCopiesOverEachOther: what a copy takes the place of makes room, but copying
// costs whatever it does.
func TestCopiesOverEachOther(t *testing.T) {
	big := strings.Repeat("x", maxCopy/2)
	s := Parse(json.RawMessage(`{"a":{"b":"` + big + `","l":[]}}`))
	const over = `{"op":"copy","from":"/a","path":"/c"}`
	for range 10 {
		if _, err := s.Patch(json.RawMessage(`[`+over+`]`), maxCopy); err != nil {
			t.Fatal(err)
		}
	}
	if s.copied > maxCopy {
		t.Errorf("%d bytes added", s.copied)
	}
	if _, err := s.Patch(json.RawMessage(`[`+over+`,`+over+`,`+over+`]`), MaxCopied); !errors.Is(err, errCopies) {
		t.Errorf("three at once: %v", err)
	}
}

// FuzzEach takes any JSON apart as encoding/json does.
func FuzzEach(f *testing.F) {
	for _, seed := range []string{`{}`, `[]`, ` [1 , -2.5e+3,"\\\"]", [], {"a":[1]} ,null] `, `{"a":1,"a" : {"}":"{"} }`, `{"\ud83c\udfd5\\":true}`, `["\\","\""]`} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, raw string) {
		if !json.Valid([]byte(raw)) {
			return
		}
		text := bytes.TrimSpace([]byte(raw))
		var items []json.RawMessage
		var members map[string]json.RawMessage
		switch text[0] {
		case '[':
			if err := json.Unmarshal(text, &items); err != nil {
				t.Fatal(err)
			}
			n := 0
			for _, v := range Each(text) {
				if n >= len(items) || !bytes.Equal(v, items[n]) {
					t.Fatalf("item %d of %s is %s", n, text, v)
				}
				n++
			}
			if n != len(items) {
				t.Fatalf("%d items of %s", n, text)
			}
		case '{':
			if err := json.Unmarshal(text, &members); err != nil {
				t.Fatal(err)
			}
			got := map[string]json.RawMessage{}
			for name, v := range Each(text) {
				got[name] = v
			}
			if !reflect.DeepEqual(got, members) {
				t.Fatalf("members of %s: %q", text, got)
			}
		case '"':
			if n := quoted(text); n != len(text) {
				t.Fatalf("%s has %d bytes", text, n)
			}
		}
		if v, rest := value(text); len(v) != len(text) || len(rest) != 0 {
			t.Fatalf("%s is %s and %s", text, v, rest)
		}
	})
}
