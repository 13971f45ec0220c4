package partialjson

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strings"
	"testing"
)

// render shows a node as JSON, with … before the closer of what is still open.
func render(n *Node) string {
	if n == nil {
		return "nothing"
	}
	var b strings.Builder
	var walk func(*Node)
	walk = func(n *Node) {
		open := ""
		if !n.Done {
			open = "…"
		}
		switch n.Kind {
		case Object:
			b.WriteString("{")
			for i, k := range n.Keys {
				if i > 0 {
					b.WriteString(",")
				}
				b.WriteString(k + ":")
				walk(n.Members[k])
			}
			b.WriteString(open + "}")
		case Array:
			b.WriteString("[")
			for i, v := range n.Items {
				if i > 0 {
					b.WriteString(",")
				}
				walk(v)
			}
			b.WriteString(open + "]")
		default:
			v, _ := json.Marshal(n.Value)
			b.Write(v)
		}
	}
	walk(n)
	return b.String()
}

func TestParserShowsOnlyWhatIsCertain(t *testing.T) {
	for _, tc := range []struct{ in, want string }{
		{``, `nothing`},
		{` `, `nothing`},
		{`{`, `{…}`},
		{`{"ti`, `{…}`},
		{`{"title":"We`, `{…}`},
		{`{"title":"We\"`, `{…}`},
		{`{"title":"Weekend"`, `{title:"Weekend"…}`},
		{`{"a":1`, `{…}`},
		{`{"a":12,`, `{a:12…}`},
		{`{"a":12}`, `{a:12}`},
		{`{"a":tru`, `{…}`},
		{`{"a":[{"name":"tent","qty":1`, `{a:[{name:"tent"…}…]…}`},
		{`{"a":[{"name":"tent","qty":1},`, `{a:[{name:"tent",qty:1}…]…}`},
		{`{"a":[]`, `{a:[]…}`},
		{`{"a":"\ud83d\ude00"}`, `{a:"😀"}`},
		{`{"a":1,"a":2}`, `{a:2}`},
		{`[null, true ,false,-1.5e3]`, `[null,true,false,-1.5e3]`},
		{`"x"`, `"x"`},
	} {
		for size := 1; size <= len(tc.in)+1; size++ {
			var p Parser
			for rest := tc.in; rest != ""; {
				n := min(size, len(rest))
				if err := p.Write(rest[:n]); err != nil {
					t.Fatalf("%q in pieces of %d: %v", tc.in, size, err)
				}
				rest = rest[n:]
			}
			if got := render(p.Root()); got != tc.want {
				t.Errorf("%q in pieces of %d: %s, want %s", tc.in, size, got, tc.want)
			}
		}
	}
}

func TestParserRefuses(t *testing.T) {
	for _, in := range []string{
		`}`, `{,`, `{"a"}`, `{"a":}`, `{"a":1,}`, `[1,]`, `[1 2]`, `{"a":nul}`, `[01]`, `{} {}`,
		"\"a\nb\"", `"\x"`, "\"\xff\"", strings.Repeat("[", MaxDepth+1), `[1}`,
	} {
		var p Parser
		err := p.Write(in)
		if err == nil {
			err = p.Close()
		}
		if err == nil {
			t.Errorf("%q was accepted as %s", in, render(p.Root()))
		}
	}
}

func FuzzParser(f *testing.F) {
	for _, s := range []string{`{"a":[1,{"b":null}],"c":"\u00e9"}`, `[]`, `"`, `{"a":1,"a":[`, `-`, `12`, "{\"\\ud800\":1}"} {
		f.Add(s, 3)
	}
	f.Fuzz(func(t *testing.T, in string, size int) {
		if len(in) > 2000 {
			t.Skip("the check below is quadratic")
		}
		size = max(1, size%16)
		var p Parser
		for rest := in; rest != ""; {
			n := min(size, len(rest))
			_ = p.Write(rest[:n])
			if p.Root() != nil {
				if _, err := json.Marshal(p.Root().Any()); err != nil {
					t.Fatalf("%q: what is known is not JSON: %v", in, err)
				}
			}
			rest = rest[n:]
		}
		err := p.Close()
		// encoding/json is the judge of the whole, within our depth and for valid UTF-8.
		dec := json.NewDecoder(bytes.NewReader([]byte(in)))
		dec.UseNumber()
		var want any
		if json.Valid([]byte(in)) && dec.Decode(&want) == nil {
			if err == nil && !reflect.DeepEqual(want, p.Root().Any()) {
				t.Fatalf("%q: %v, want %v", in, p.Root().Any(), want)
			}
		} else if err == nil {
			t.Fatalf("%q was accepted", in)
		}
	})
}

// TestValuesAreBounded: two bytes write a value, which takes some hundred.
func TestValuesAreBounded(t *testing.T) {
	var p Parser
	if err := p.Write("[" + strings.Repeat("1,", MaxValues)); err == nil {
		t.Error("any number of values was read")
	}
	var q Parser
	if err := q.Write("[" + strings.Repeat("1,", MaxValues-10)); err != nil || q.Changes() != MaxValues-9 {
		t.Errorf("%d changes, %v", q.Changes(), err)
	}
}
