package memory

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

// counting is a notebook whose check takes anything and counts the values it looks at.
func counting(t *testing.T, stored string) (*Notebook, *int) {
	t.Helper()
	looked := 0
	var count func(any)
	count = func(v any) {
		looked++
		switch v := v.(type) {
		case map[string]any:
			for _, e := range v {
				count(e)
			}
		case []any:
			for _, e := range v {
				count(e)
			}
		}
	}
	book, err := New(func(m map[string]any) error { count(m); return nil }, json.RawMessage(stored))
	if err != nil {
		t.Fatal(err)
	}
	book.Open()
	return book, &looked
}

// TestWritingIsBounded: what is looked at and sent while an update streams in small
// pieces does not grow with the pieces times the update.
func TestWritingIsBounded(t *testing.T) {
	words := func(n int) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, `,"member_%d":"x"`, i)
		}
		return b.String()
	}
	rows := func(n int, row string) string { return "[" + strings.TrimSuffix(strings.Repeat(row+",", n), ",") + "]" }
	for _, tc := range []struct{ name, memory string }{
		{"many members", `{"a":1` + words(4_000) + `}`},
		{"members of a member", `{"a":{"b":1` + words(4_000) + `}}`},
		{"a long text", `{"a":"` + strings.Repeat("x", 200_000) + `"}`},
		{"long rows", `{"a":` + rows(90, `{"name":"`+strings.Repeat("x", 2_000)+`"}`) + `}`},
		{"rows in rows", `{"a":` + rows(20, rows(2_000, "1")) + `}`},
		{"a long name", `{"` + strings.Repeat("n", 100_000) + `":` + rows(20_000, "1") + `}`},
		{"lists of lists", `{"a":` + strings.Repeat("[", 50) + rows(99, "1") + strings.Repeat("]", 50) + `}`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			book, looked := counting(t, `{"a":[1,2,3]}`)
			sent := 0
			args := `{"memory":` + tc.memory + `}`
			book.Begin("c")
			for rest := args; rest != ""; {
				n := min(12, len(rest))
				patches, err := book.Write("c", rest[:n])
				if err != nil {
					t.Fatal(err)
				}
				for _, p := range patches {
					sent += len(p)
				}
				rest = rest[n:]
			}
			patches, problem, err := book.End(args)
			if err != nil || problem != nil {
				t.Fatal(problem, err)
			}
			for _, p := range patches {
				sent += len(p)
			}
			if *looked > 2_000_000 || book.work > 2*liveWork || sent > 4*len(args)+2*maxPaths {
				t.Errorf("%d values were looked at, %d bytes sent for %d", *looked, sent, len(args))
			}
		})
	}
}

// TestMemoryHasASize: what is too large is refused from the model and from tools, and
// ignored from the client.
func TestMemoryHasASize(t *testing.T) {
	large := `{"a":"` + strings.Repeat("x", MaxSize) + `"}`
	book, _ := counting(t, `{"a":1}`)
	if _, problem, err := book.End(`{"memory":` + large + `}`); problem == nil || err != nil {
		t.Errorf("the model's: %v, %v", problem, err)
	}
	if err := book.Merge(map[string]json.RawMessage{"b": json.RawMessage(large)}); err == nil {
		t.Error("a tool's was taken")
	}
	empty, err := New(func(map[string]any) error { return nil }, nil)
	if err != nil {
		t.Fatal(err)
	}
	if empty.Adopt(json.RawMessage(large)); empty.Exists() || string(book.Snapshot()) != `{"a":1}` {
		t.Errorf("the client's was taken, or the memory is %.50s", book.Snapshot())
	}
}

// TestMemberPatch leads from one state to the other.
func TestMemberPatch(t *testing.T) {
	from := map[string]any{"a": json.Number("1"), "b/c": nil, "gone": true}
	to := map[string]any{"a": json.Number("1"), "b/c": []any{"x"}, "new": nil}
	got, err := memberPatch(from, to)
	want := `[{"op":"remove","path":"/gone"},{"op":"add","path":"/b~1c","value":["x"]},{"op":"add","path":"/new","value":null}]`
	if err != nil || string(got) != want {
		t.Errorf("%s %v", got, err)
	}
}

// TestALongListIsShownRowByRow: an ordinary update is within the budget.
func TestALongListIsShownRowByRow(t *testing.T) {
	var items []string
	for i := range maxLiveRows {
		items = append(items, fmt.Sprintf("thing number %d=1", i))
	}
	w := watch(t, list("L", items[:10]...))
	if problem := w.update(`{"memory":`+list("L", items...)+`}`, 12); problem != nil {
		t.Fatal(problem)
	}
	if len(w.states) != maxLiveRows-10 {
		t.Errorf("%d patches for %d new rows", len(w.states), maxLiveRows-10)
	}
}
