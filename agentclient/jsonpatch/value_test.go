package jsonpatch

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"
)

func TestValue(t *testing.T) {
	v := ParseValue(json.RawMessage(`{"s":"a\u00e9\ud83c\udfd5","n":-1.5e1,"big":1e999,"t":true,"z":null,"a":[1,{"x":"y"}],"o":{"k":1,"l":2}}`))
	kinds := map[string]Kind{"s": KindString, "n": KindNumber, "t": KindBool, "z": KindNull, "a": KindArray, "o": KindObject, "none": KindNone}
	for name, want := range kinds {
		if got := v.Member(name).Kind(); got != want {
			t.Errorf("%s is %d, want %d", name, got, want)
		}
	}
	if text, whole := v.Member("s").Text(100); text != "aé🏕" || !whole {
		t.Errorf("text %q, whole %t", text, whole)
	}
	for limit, want := range []string{"", "a", "a", "aé", "aé", "aé", "aé"} {
		if text, whole := v.Member("s").Text(limit); text != want || whole {
			t.Errorf("%d bytes of the text: %q, whole %t", limit, text, whole)
		}
	}
	if n, ok := v.Member("n").Number(); n != -15 || !ok {
		t.Errorf("number %v, %t", n, ok)
	}
	for _, name := range []string{"big", "s", "z", "a", "none"} {
		if n, ok := v.Member(name).Number(); ok {
			t.Errorf("%s is the number %v", name, n)
		}
	}
	if x, _ := v.Member("a").Item(1).Member("x").Text(9); x != "y" || v.Member("a").Len() != 2 || v.Member("o").Len() != 2 || v.Member("s").Len() != 0 {
		t.Errorf("x is %q", x)
	}
	for _, none := range []Value{{}, v.Member("a").Item(2), v.Member("a").Item(-1), v.Member("s").Member("x"), v.Member("a").Member("0"), v.Member("o").Item(0)} {
		if text, whole := none.Text(1); none.Kind() != KindNone || none.Len() != 0 || text != "" || !whole || none.Revision() != (Revision{}) {
			t.Errorf("%+v is something", none)
		}
		for range none.All() {
			t.Errorf("%+v holds something", none)
		}
	}
	var names []string
	for name, member := range v.All() {
		raw, _ := member.JSON(5)
		names = append(names, name+"="+string(raw))
	}
	if got := strings.Join(names, " "); got != `s="a\u0 n=-1.5e big=1e999 t=true z=null a=[1,{" o={"k":` {
		t.Errorf("members %s", got)
	}
	if raw, whole := v.Member("o").JSON(20); string(raw) != `{"k":1,"l":2}` || !whole {
		t.Errorf("JSON %s, whole %t", raw, whole)
	}
}

// TestTextIsBounded: the beginning of a text costs no more than that, however it is
// spelled, and is that of the whole text.
func TestTextIsBounded(t *testing.T) {
	for _, unit := range []string{"x", "é", "🏕", `\n`, `\u00e9`, `\ud83c\udfd5`, `\u0041`, `\"`, `\\`, `\ud83c`} {
		v := ParseValue(json.RawMessage(`["` + strings.Repeat(unit, 50_000) + `"]`)).Item(0)
		all, _ := v.Text(1 << 20)
		for limit := range 40 {
			text, whole := v.Text(limit)
			if whole || len(text) > limit || len(text) < limit-3 || !strings.HasPrefix(all, text) {
				t.Errorf("%d bytes of %s: %q", limit, unit, text)
			}
		}
		if text, whole := v.Text(math.MaxInt); text != all || !whole {
			t.Errorf("all of %s: %d bytes of %d, whole %t", unit, len(text), len(all), whole)
		}
		if n := testing.AllocsPerRun(10, func() { v.Text(300) }); n > 20 {
			t.Errorf("%s: %.0f allocations", unit, n)
		}
	}
}

// TestRevision: it is another one where something changed and above, and nowhere else.
func TestRevision(t *testing.T) {
	doc := Parse(json.RawMessage(`{"list":{"title":"t","items":[{"n":1},{"n":2}]},"other":{"deep":[{"x":1}]}}`))
	all := func() map[string]Revision {
		revisions := map[string]Revision{}
		var walk func(path string, v Value)
		walk = func(path string, v Value) {
			revisions[path] = v.Revision()
			i := 0
			for name, below := range v.All() {
				if v.Kind() == KindArray {
					name = fmt.Sprint(i)
				}
				i++
				walk(path+"/"+name, below)
			}
		}
		walk("$", doc.Value())
		return revisions
	}
	changed := func(what, want string) {
		t.Helper()
		t.Run(what, func(t *testing.T) {
			t.Helper()
			before := all()
			if what != "look" {
				if _, err := doc.Patch(json.RawMessage(what), 0); err != nil {
					t.Fatal(err)
				}
			}
			after := all()
			var differ []string
			for _, path := range slices.Sorted(maps.Keys(after)) {
				if was, known := before[path]; known && was != after[path] {
					differ = append(differ, path)
				}
			}
			if got := strings.Join(differ, " "); got != want {
				t.Errorf("changed are %q, want %q", got, want)
			}
		})
	}
	changed("look", "")
	changed(`[{"op":"replace","path":"/list/items/1/n","value":3}]`, "$ $/list $/list/items $/list/items/1 $/list/items/1/n")
	changed(`[{"op":"test","path":"/list/items/1/n","value":3}]`, "")
	changed(`[]`, "")
	changed(`[{"op":"add","path":"/list/items/-","value":{"n":4}}]`, "$ $/list $/list/items")
	changed(`[{"op":"test","path":"/other","value":{"deep":[{"x":1}]}}]`, "")
	changed(`[{"op":"replace","path":"/list/title","value":"u"}]`, "$ $/list $/list/title")
	changed(`[{"op":"remove","path":"/other"}]`, "$")
}

// TestReadingIsBounded: deltas on a list of 20,000 items, each followed by a look at its
// length and its first items, take apart what they change and nothing else.
func TestReadingIsBounded(t *testing.T) {
	opened := func(n int) int {
		items := strings.Repeat(`,{"name":"tent","qty":1}`, n)[1:]
		doc := Parse(json.RawMessage(`{"list":{"title":"t","items":[` + items + `]},"aside":[` + items + `]}`))
		look := func() {
			list := doc.Value().Member("list").Member("items")
			if list.Len() != n || doc.Value().Member("aside").Len() != n {
				t.Fatalf("%d items", list.Len())
			}
			read := 0
			for _, item := range list.All() {
				item.Member("name").Text(100)
				if read++; read == 50 {
					break
				}
			}
		}
		look()
		before := doc.owner.opened
		for i := range 100 {
			if _, err := doc.Patch(fmt.Appendf(nil, `[{"op":"replace","path":"/list/items/%d/qty","value":%d}]`, n-1-i, i), 0); err != nil {
				t.Fatal(err)
			}
			look()
		}
		return doc.owner.opened - before
	}
	if small, large := opened(200), opened(20_000); small == 0 || large > small {
		t.Errorf("100 deltas take apart %d bytes of a list of 200, %d of one of 20,000", small, large)
	}
}
