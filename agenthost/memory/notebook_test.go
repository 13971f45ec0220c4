package memory

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	jsonpatch "github.com/evanphx/json-patch/v5"
	"github.com/google/jsonschema-go/jsonschema"
)

type testMemory struct {
	PackingList struct {
		Title string `json:"title"`
		Items []struct {
			Name string  `json:"name"`
			Qty  float64 `json:"qty"`
		} `json:"items"`
	} `json:"packing_list"`
	Notes []string `json:"notes,omitempty"`
}

// newCheck holds a memory to testMemory's schema and a title that is not blank.
func newCheck(t *testing.T) Check {
	s, err := jsonschema.For[testMemory](nil)
	if err != nil {
		t.Fatal(err)
	}
	list := s.Properties["packing_list"]
	list.Properties["title"].MinLength = jsonschema.Ptr(1)
	list.Properties["items"].Types, list.Properties["items"].Type = nil, "array"
	resolved, err := s.Resolve(nil)
	if err != nil {
		t.Fatal(err)
	}
	return func(m map[string]any) error {
		raw, err := json.Marshal(m)
		if err != nil {
			return err
		}
		var plain any
		if err := json.Unmarshal(raw, &plain); err != nil {
			return err
		}
		return resolved.Validate(plain)
	}
}

// watched is a client that applies what the notebook shows and checks it.
type watched struct {
	t      *testing.T
	book   *Notebook
	doc    []byte
	states []string // after each patch
}

func watch(t *testing.T, stored string) *watched {
	var raw json.RawMessage
	if stored != "" {
		raw = json.RawMessage(stored)
	}
	book, err := New(newCheck(t), raw)
	if err != nil {
		t.Fatal(err)
	}
	w := &watched{t: t, book: book}
	w.doc = w.book.Open()
	return w
}

// apply checks each patch: it applies, and the new state fits the schema.
func (w *watched) apply(patches []json.RawMessage) {
	w.t.Helper()
	for _, raw := range patches {
		patch, err := jsonpatch.DecodePatch(raw)
		if err != nil {
			w.t.Fatalf("patch %s: %v", raw, err)
		}
		opts := jsonpatch.NewApplyOptions()
		opts.SupportNegativeIndices = false
		next, err := patch.ApplyWithOptions(w.doc, opts)
		if err != nil {
			w.t.Fatalf("patch %s on %s: %v", raw, w.doc, err)
		}
		if jsonpatch.Equal(w.doc, next) {
			w.t.Errorf("patch %s changes nothing", raw)
		}
		state, err := parseObject(next)
		if err != nil {
			w.t.Fatal(err)
		}
		if err := w.book.check(state); err != nil && len(state) > 0 {
			w.t.Errorf("state %s is not valid: %v", next, err)
		}
		w.doc = next
		w.states = append(w.states, string(next))
	}
}

// update streams one call in pieces and returns the result for the model.
func (w *watched) update(args string, piece int) error {
	w.t.Helper()
	w.book.Begin("c")
	for rest := args; rest != ""; {
		n := min(piece, len(rest))
		patches, err := w.book.Write("c", rest[:n])
		if err != nil {
			w.t.Fatal(err)
		}
		w.apply(patches)
		rest = rest[n:]
	}
	patches, problem, err := w.book.End(args)
	if err != nil {
		w.t.Fatal(err)
	}
	w.apply(patches)
	if !jsonpatch.Equal(w.doc, w.book.Snapshot()) {
		w.t.Errorf("shown %s, accepted %s", w.doc, w.book.Snapshot())
	}
	return problem
}

func list(title string, items ...string) string {
	var rows []string
	for _, it := range items {
		name, qty, _ := strings.Cut(it, "=")
		rows = append(rows, fmt.Sprintf(`{"name":%q,"qty":%s}`, name, qty))
	}
	return fmt.Sprintf(`{"packing_list":{"title":%q,"items":[%s]}}`, title, strings.Join(rows, ","))
}

// rowsOf writes a state's rows as in list's arguments.
func rowsOf(t *testing.T, state string) []string {
	t.Helper()
	var m testMemory
	if err := json.Unmarshal([]byte(state), &m); err != nil {
		t.Fatal(err)
	}
	rows := []string{}
	for _, it := range m.PackingList.Items {
		rows = append(rows, fmt.Sprintf("%s=%v", it.Name, it.Qty))
	}
	return rows
}

func TestMemoryIsShownRowByRow(t *testing.T) {
	for _, tc := range []struct {
		name, stored, next string
		want               []string // rows after each patch
	}{
		{"create", "", list("Camp", "tent=1", "bag=2"), []string{"", "tent=1", "tent=1 bag=2"}},
		{"add", list("Camp", "tent=1", "bag=2"), list("Camp", "tent=1", "bag=2", "lantern=1"), []string{"tent=1 bag=2 lantern=1"}},
		{"add in the middle", list("Camp", "tent=1", "bag=2"), list("Camp", "tent=1", "lantern=1", "bag=2"), []string{"tent=1 lantern=1 bag=2"}},
		{"change", list("Camp", "tent=1", "bag=2"), list("Camp", "tent=3", "bag=2"), []string{"tent=3 bag=2"}},
		{"remove the first", list("Camp", "tent=1", "bag=2"), list("Camp", "bag=2"), []string{"bag=2"}},
		{"remove all", list("Camp", "tent=1", "bag=2"), list("Camp"), []string{""}},
		{"swap and add", list("Camp", "tent=1", "bag=2"), list("Camp", "bag=2", "tent=1", "mug=4"), []string{"tent=1 mug=4 bag=2", "bag=2 tent=1 mug=4"}},
		{"replace one", list("Camp", "tent=1", "stove=1", "bag=2"), list("Camp", "tent=1", "mug=4", "bag=2"), []string{"tent=1 mug=4 stove=1 bag=2", "tent=1 mug=4 bag=2"}},
		{"rename the list", list("Camp", "tent=1"), list("Beach", "tent=1"), []string{"tent=1"}},
		{"nothing", list("Camp", "tent=1"), list("Camp", "tent=1"), nil},
	} {
		for _, piece := range []int{1, 4, 12} {
			t.Run(fmt.Sprintf("%s/%d", tc.name, piece), func(t *testing.T) {
				w := watch(t, tc.stored)
				if problem := w.update(`{"memory":`+tc.next+`}`, piece); problem != nil {
					t.Fatal(problem)
				}
				var got []string
				for _, s := range w.states {
					got = append(got, strings.Join(rowsOf(t, s), " "))
				}
				want := tc.want
				if piece > 1 && tc.name == "create" {
					got, want = got[len(got)-2:], want[1:] // the empty list may share a piece with the first row
				}
				if !slices.Equal(got, want) {
					t.Errorf("got %q, want %q", got, want)
				}
			})
		}
	}
}

// TestMemoryInOnePiece: a model that sends its arguments whole still sends one
// patch a row.
func TestMemoryInOnePiece(t *testing.T) {
	for _, args := range []string{
		`{"memory":` + list("Camp", "tent=1", "bag=2", "mug=4") + `}`,
		`{"memory":{"packing_list":{"items":[{"name":"tent","qty":1},{"name":"bag","qty":2},{"name":"mug","qty":4}],"title":"Camp"}}}`,
	} {
		w := watch(t, "")
		if problem := w.update(args, len(args)); problem != nil {
			t.Fatal(problem)
		}
		if len(w.states) != 3 {
			t.Errorf("%d patches: %q", len(w.states), w.states)
		}
	}
}

func TestMemoryRefusals(t *testing.T) {
	stored := list("Camp", "tent=1")
	for name, args := range map[string]string{
		"not JSON":       `{"memory":{"packing_list":{"title":"X","items":[{"name":"mug","qty":1},`,
		"no memory":      `{"packing_list":{"title":"X","items":[]}}`,
		"memory is text": `{"memory":"x"}`,
		"blank title":    `{"memory":` + list("", "mug=1") + `}`,
		"half an item":   `{"memory":{"packing_list":{"title":"X","items":[{"name":"mug"}]}}}`,
		"wrong type":     `{"memory":{"packing_list":{"title":"X","items":[{"name":"mug","qty":"many"}]}}}`,
		"unknown member": `{"memory":{"packing_list":{"title":"X","items":[]},"more":1}}`,
		"null list":      `{"memory":{"packing_list":{"title":"X","items":null}}}`,
	} {
		t.Run(name, func(t *testing.T) {
			w := watch(t, stored)
			if w.update(args, 5) == nil {
				t.Error("accepted")
			}
			if w.book.Dirty() || !jsonpatch.Equal(w.doc, []byte(stored)) {
				t.Errorf("memory is now %s", w.doc)
			}
		})
	}
}

func TestMemoryMergesAtTheTop(t *testing.T) {
	w := watch(t, list("Camp", "tent=1"))
	if problem := w.update(`{"memory":{"notes":["a","b"]}}`, 3); problem != nil {
		t.Fatal(problem)
	}
	if got := rowsOf(t, string(w.doc)); len(got) != 1 || len(w.states) < 2 {
		t.Errorf("state %s after %d patches", w.doc, len(w.states))
	}
}

func TestClientStateIsOnlyABase(t *testing.T) {
	valid := list("Camp", "tent=1")
	for _, tc := range []struct{ stored, sent, want string }{
		{"", valid, valid},
		{valid, list("Other", "mug=1"), valid},
		{"", `{"packing_list":{"title":"","items":[]}}`, "{}"},
		{"", `{}`, "{}"}, {"", `null`, "{}"}, {"", `[1]`, "{}"}, {"", ``, "{}"},
	} {
		w := watch(t, tc.stored)
		w.book.Adopt(json.RawMessage(tc.sent))
		if !jsonpatch.Equal(w.book.Snapshot(), []byte(tc.want)) {
			t.Errorf("stored %q, sent %q: %s", tc.stored, tc.sent, w.book.Snapshot())
		}
	}
}

func TestLongListsStayCheap(t *testing.T) {
	items := make([]string, 3*maxLiveRows)
	for i := range items {
		items[i] = fmt.Sprintf("item %d=1", i)
	}
	w := watch(t, "")
	if problem := w.update(`{"memory":`+list("Long", items...)+`}`, 64); problem != nil {
		t.Fatal(problem)
	}
	items = slices.Delete(items, 5, 6)
	if problem := w.update(`{"memory":`+list("Long", items...)+`}`, 64); problem != nil {
		t.Fatal(problem)
	}
}

// FuzzMemory writes one list over another, a letter a row. Whatever the lists
// and pieces: every state is valid (apply checks), rows that stay never leave,
// and the last state is what was written.
func FuzzMemory(f *testing.F) {
	f.Add("abc", "abcd", uint8(1))
	f.Add("abc", "cab", uint8(3))
	f.Add("aab", "aba", uint8(12))
	f.Add("abcdef", "xbyd", uint8(200))
	f.Fuzz(func(t *testing.T, before, after string, piece uint8) {
		if len(before)+len(after) > 60 {
			t.Skip("longer lists tell nothing new")
		}
		rows := func(letters string) []string {
			var out []string
			for i := range len(letters) {
				out = append(out, fmt.Sprintf("%x=%d", letters[i], i%3))
			}
			return out
		}
		w := watch(t, list("Camp", rows(before)...))
		if problem := w.update(`{"memory":`+list("Trip", rows(after)...)+`}`, max(1, int(piece))); problem != nil {
			t.Fatal(problem)
		}
		if got := rowsOf(t, string(w.doc)); !slices.Equal(got, append([]string{}, rows(after)...)) {
			t.Errorf("ends in %q, want %q", got, rows(after))
		}
		for _, state := range w.states {
			have := map[string]int{}
			for _, row := range rowsOf(t, state) {
				name, _, _ := strings.Cut(row, "=")
				have[name]++
			}
			for i := range len(before) {
				letter := before[i : i+1]
				name := fmt.Sprintf("%x", letter)
				if have[name] < min(strings.Count(before, letter), strings.Count(after, letter)) {
					t.Fatalf("%q to %q: row %s left in %s", before, after, name, state)
				}
			}
		}
	})
}
