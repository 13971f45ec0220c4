package demos

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"

	"cairn/agentclient/conversation"
	"cairn/agentclient/jsonpatch"
	"cairn/agui"
	"cairn/components"
	"cairn/internal/testall"
)

// html is a panel as it is drawn.
func html(t *testing.T, p Panel) string {
	t.Helper()
	var b strings.Builder
	if err := components.PanelView(p.View()).Render(context.Background(), &b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// with is a conversation with this state, in a run.
func with(state string) *conversation.Conversation {
	c := conversation.New()
	c.Apply(&agui.RunStarted{})
	c.Apply(&agui.StateSnapshot{Snapshot: json.RawMessage(state)})
	return c
}

// TestADeltaCostsWhatItChanges compares what deltas and the panel after each allocate
// beside a small list and a large one. Bytes, unlike time, come out the same on a busy
// machine.
func TestADeltaCostsWhatItChanges(t *testing.T) {
	items := func(n int) string { return `[` + strings.Repeat(`,{"name":"tent","qty":1}`, n)[1:] + `]` }
	slots := func(n int) string { return `[` + strings.Repeat(`,"10:00"`, n)[1:] + `]` }
	for name, tt := range map[string]struct {
		panel func() Panel
		state func(n int) string
		delta string // %d is an item
	}{
		"an item of the packing list": {Mastra().NewPanel, func(n int) string { return `{"packing_list":{"title":"t","items":` + items(n) + `}}` },
			`[{"op":"replace","path":"/packing_list/items/%d/qty","value":2}]`},
		"beside the packing list": {Mastra().NewPanel, func(n int) string { return `{"packing_list":{"title":"t","items":` + items(n) + `},"count":0}` },
			`[{"op":"replace","path":"/count","value":%d}]`},
		"a slot": {Strands().NewPanel, func(n int) string { return `{"availability":{"day":"Monday","slots":` + slots(n) + `}}` },
			`[{"op":"replace","path":"/availability/slots/%d","value":"11:00"}]`},
		"beside an expense": {AgentFramework().NewPanel, func(n int) string {
			return `{"expense":{"vendor":"v","rest":` + items(n) + `},"more":` + items(n) + `}`
		},
			`[{"op":"replace","path":"/more/%d/qty","value":2}]`},
		"within a refund": {LangGraph().NewPanel, func(n int) string { return `{"refund":{"customer_id":"c","amount":1,"rest":` + items(n) + `}}` },
			`[{"op":"replace","path":"/refund/rest/%d/qty","value":2}]`},
		"a tree": {Demo{}.Complete().NewPanel, func(n int) string { return `{"a":` + items(n) + `,"b":` + items(n) + `}` },
			`[{"op":"replace","path":"/a/%d/qty","value":2}]`},
	} {
		t.Run(name, func(t *testing.T) {
			cost := func(n int) uint64 {
				c, p := with(tt.state(n)), tt.panel()
				step := func(i int) {
					c.Apply(&agui.StateDelta{Delta: fmt.Appendf(nil, tt.delta, i)})
					p.Update(Shared{State: c.Shared(), Running: true})
				}
				step(0)
				var before, after runtime.MemStats
				runtime.ReadMemStats(&before)
				for i := range 100 {
					step(i)
				}
				runtime.ReadMemStats(&after)
				if c.NoteCount() > 0 {
					t.Fatal(c.Notes())
				}
				return after.TotalAlloc - before.TotalAlloc
			}
			small, large := cost(maxRows), cost(100*maxRows)
			t.Logf("%d bytes for 100 deltas when small, %d when large", small, large)
			if large > small+small/2+64<<10 {
				t.Errorf("100 deltas allocate %d bytes when small, %d when large", small, large)
			}
		})
	}
}

// TestHugePanelsAreBounded: whatever the state is, a panel's HTML is.
func TestHugePanelsAreBounded(t *testing.T) {
	long := strings.Repeat(`<&\"'`, 200_000)
	var keys strings.Builder
	for i := range 100_000 {
		fmt.Fprintf(&keys, `,"key %d":{"v":%d}`, i, i)
	}
	deep := func(open, shut string) string { return strings.Repeat(open, 9_000) + strings.Repeat(shut, 9_000) }
	fill := func(form, v string) string { return strings.ReplaceAll(form, "?", v) }
	states := map[string]string{
		"20,000 items":     `{"packing_list":{"title":"t","items":[` + strings.Repeat(`,{"name":"tent <&>","qty":1e308}`, 20_000)[1:] + `]}}`,
		"long names":       `{"packing_list":{"title":"` + long + `","items":[` + strings.Repeat(`,{"name":"`+long[:4000]+`","qty":1}`, 1_000)[1:] + `]}}`,
		"long strings":     fill(`{"availability":{"day":"?","slots":["?","?"]},"booking":{"topic":"?","slot":"?","status":"?"},"expense":{"vendor":"?","memo":"?"},"refund":{"customer_id":"?","amount":1,"status":"?"}}`, long),
		"100,000 keys":     `{` + keys.String()[1:] + `}`,
		"keys of 1 MB":     `{"` + long + `":1,"a` + long + `":{"` + long + `":2}}`,
		"deep lists":       deep(`[`, `]`),
		"deep objects":     strings.Repeat(`{"packing_list":`, 9_000) + `1` + strings.Repeat(`}`, 9_000),
		"deep in a member": `{"packing_list":{"title":"t","items":` + deep(`[`, `]`) + `},"refund":` + deep(`[`, `]`) + `}`,
		"a long array":     `[` + strings.Repeat(`"`+long[:1000]+`",`, 2_000) + `1]`,
	}
	for _, d := range append(All(), Demo{}.Complete()) {
		for _, name := range testall.Sample(t, slices.Sorted(maps.Keys(states)), 4) {
			state := states[name]
			c, p := with(state), d.NewPanel()
			for range 3 {
				p.Update(Shared{State: c.Shared(), Running: true})
			}
			p.Update(Shared{State: c.Shared()})
			if n := len(html(t, p)); n > 256<<10 || n == 0 || len(p.View().Summary) > 2*maxShown+40 {
				t.Errorf("%s, %s: %d bytes of HTML, summary of %d", d.Slug, name, n, len(p.View().Summary))
			}
		}
	}
	p := Mastra().NewPanel()
	p.Update(Shared{State: parsed(states["20,000 items"])})
	if h := html(t, p); strings.Count(h, `data-testid="packing-item"`) != maxRows || !strings.Contains(h, "and 19,800 more") || !strings.Contains(h, "t · 20000 items") {
		t.Errorf("20,000 items are drawn as %.300s…", h)
	}
}

// TestALongListHoldsBack: beyond the rows that are read, a list may not shrink while a
// run goes on.
func TestALongListHoldsBack(t *testing.T) {
	list := func(from, n int) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, `,{"name":"item %d","qty":1}`, from+i)
		}
		return `{"packing_list":{"title":"t","items":[` + b.String()[1:] + `]}}`
	}
	p := Mastra().NewPanel()
	for i, step := range []struct {
		state    string
		running  bool
		summary  string
		updating bool
	}{
		{list(0, 300), false, "t · 300 items", false},
		{list(0, 299), true, "t · 300 items", true},
		{list(0, 150), true, "t · 300 items", true},
		{list(-1, 301), true, "t · 301 items", false}, // one came before
		{list(0, 150), false, "t · 150 items", false},
		{list(1, 149), true, "t · 150 items", true},
	} {
		p.Update(Shared{State: parsed(step.state), Running: step.running})
		if v := p.View(); v.Summary != step.summary || v.Updating != step.updating {
			t.Errorf("step %d: %q, updating %t", i, v.Summary, v.Updating)
		}
	}
}

// TestPanelsAreWhatTheStateIs: a panel that followed every change shows what a new one
// shows of the state at the end.
func TestPanelsAreWhatTheStateIs(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	values := []string{`1`, `null`, `"text"`, `"` + strings.Repeat("long ", 100) + `"`, `[]`, `{}`, `[1,[2],{"a":3}]`, `{"name":"tent","qty":2}`,
		`{"title":"t","items":[{"name":"tent","qty":1},{"name":"hut","qty":2}]}`, `{"day":"Monday","slots":["10:00","11:00"]}`,
		`{"vendor":"v","amount_usd":2,"memo":"m"}`, `{"customer_id":"c","amount":2,"status":"pending"}`, `[` + strings.Repeat(`"row",`, 150) + `1]`}
	paths := []string{"", "/packing_list", "/packing_list/items", "/packing_list/items/0", "/packing_list/items/1/name", "/packing_list/items/-", "/packing_list/title",
		"/availability", "/availability/slots", "/availability/slots/0", "/booking", "/expense", "/expense/memo", "/refund", "/refund/amount", "/a", "/a/0", "/a/-", "/b"}
	for _, d := range append(All(), Demo{}.Complete()) {
		c, p := with(`{}`), d.NewPanel()
		for i := range 3_000 {
			switch op := random.IntN(40); {
			case op == 0:
				c.Apply(&agui.RunFinished{})
				c.Apply(&agui.RunStarted{})
			case op == 1:
				c.Apply(&agui.RunError{})
				c.Apply(&agui.RunStarted{})
			case op < 30:
				c.Apply(&agui.StateDelta{Delta: fmt.Appendf(nil, `[{"op":"add","path":%q,"value":%s}]`, paths[random.IntN(len(paths))], values[random.IntN(len(values))])})
			case op < 35:
				c.Apply(&agui.StateDelta{Delta: fmt.Appendf(nil, `[{"op":"remove","path":%q}]`, paths[1+random.IntN(len(paths)-1)])})
			default:
				c.Apply(&agui.StateDelta{Delta: fmt.Appendf(nil, `[{"op":"copy","from":%q,"path":%q}]`, paths[random.IntN(len(paths))], paths[random.IntN(len(paths))])})
			}
			p.Update(Shared{State: c.Shared()})
			if d.Slug == "langgraph" && c.Shared().Kind() == jsonpatch.KindObject && c.Shared().Member("refund").Kind() == jsonpatch.KindNone {
				continue // it shows the last one
			}
			again := d.NewPanel()
			again.Update(Shared{State: jsonpatch.ParseValue(c.State())})
			if got, want := html(t, p), html(t, again); got != want {
				t.Fatalf("%s, change %d, state %s:\n%s\nwant\n%s", d.Slug, i, c.State(), got, want)
			}
		}
	}
}
