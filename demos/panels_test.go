package demos

import (
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"cairn/agentclient/jsonpatch"
)

// text is what a person reads in the panel's body, its marks in brackets.
func text(t *testing.T, p Panel) string {
	t.Helper()
	var b strings.Builder
	if err := p.View().Body.Render(context.Background(), &b); err != nil {
		t.Fatal(err)
	}
	s := regexp.MustCompile(`<span class="state-mark"[^>]*><span[^>]*>[^<]*</span>([^<]*)</span>`).ReplaceAllString(b.String(), " [$1] ")
	s = regexp.MustCompile(`<[^>]*>`).ReplaceAllString(s, " ")
	return strings.ReplaceAll(strings.Join(strings.Fields(s), " "), "[ ", "[")
}

// parsed is a state as a panel reads it.
func parsed(state string) jsonpatch.Value {
	return jsonpatch.ParseValue(json.RawMessage(state))
}

// panelStep is a state and what may be shown then; the empty panel's text is "".
type panelStep struct {
	state    string
	running  bool
	shows    string
	updating bool
}

// TestPanelsHoldBackWhatIsPassing walks states the real runtimes pass through, and
// half-written ones.
func TestPanelsHoldBackWhatIsPassing(t *testing.T) {
	const (
		tuesday  = "Tuesday 10:00 15:00"
		thursday = "Thursday 09:30"
		pending  = "Booking [pending] Topic Review Slot Tuesday 10:00"
		dinner   = "Expense Vendor Blue Finch Category meals Amount $220.00 Memo Team dinner"
		drafted  = "Refund [drafted] Customer cus_1 Amount $47.50 Reason Twice"
	)
	for _, c := range []struct {
		demo  Demo
		steps []panelStep
	}{
		{Strands(), []panelStep{
			{`{}`, false, "", false},
			{`{}`, true, "", true},
			{`{"availability":{"day":"Tuesday","slots":["10:00","15:00"]},"booking":null}`, true, tuesday, true},
			// each hook of the TypeScript bridge reports its own part alone
			{`{"booking":{"topic":"Review","slot":"Tuesday 10:00","status":"pending"}}`, true, "Tuesday 10:00 (this one) 15:00 " + pending, true},
			{`{"availability":{"day":"Tuesday","slots":["10:00","15:00"]},"booking":{"topic":"Review","slot":"Tuesday 10:00","status":"pending"}}`, false, "Tuesday 10:00 (this one) 15:00 " + pending, false},
			{`{}`, true, "Tuesday 10:00 (this one) 15:00 " + pending, true},
			{`{"availability":{"day":"Tuesday","slots":["15:00"]},"booking":{"topic":"Review","slot":"Tuesday 10:00","status":"booked"}}`, true, "Tuesday 10:00 (this one) 15:00 " + strings.Replace(pending, "pending", "booked", 1), true},
			{`{"availability":{"day":"Thursday","slots":["09:30"]},"booking":{"topic":"Review","slot":""}}`, true, thursday + " " + strings.Replace(pending, "pending", "booked", 1), true},
			{`{"availability":{"day":"Tuesday","slots":["15:00"]},"booking":{"topic":"Review","slot":"Tuesday 15:00","status":"declined"}}`, false, "Tuesday 15:00 Booking [declined] Topic Review Slot Tuesday 15:00", false},
			{`{"availability":{"day":"Sunday","slots":[]}}`, false, "Sunday Nothing free that day.", false},
			{`{}`, false, "", false},
		}},
		{AgentFramework(), []panelStep{
			{`{"expense":{}}`, true, "", true},
			{`{"expense":{"vendor":"Blue"}}`, true, "Expense Vendor Blue", false},
			{`{"expense":{"vendor":"Blue Finch","category":"meals"}}`, true, "Expense Vendor Blue Finch Category meals", false},
			{`{"expense":{"vendor":"Blue Finch","category":"meals","amount_usd":2}}`, true, "Expense Vendor Blue Finch Category meals", false},
			{`{"expense":{"vendor":"Blue Finch","category":"meals","amount_usd":220,"memo":"Team"}}`, true, "Expense Vendor Blue Finch Category meals Amount $220.00 Memo Team", false},
			{`{"expense":{"vendor":"Blue Finch","category":"meals","amount_usd":220,"memo":"Team dinner"}}`, false, dinner, false},
			// a second one is written from the start
			{`{"expense":{}}`, true, dinner, true},
			{`{"expense":{"vendor":"Pixel"}}`, true, dinner, true},
			{`{"expense":{"vendor":"Blue F","category":"meals","amount_usd":220,"memo":"Team dinner"}}`, true, dinner, true},
			{`{"expense":{"vendor":"Pixel Peak","category":"equipment","amount_usd":340,"memo":""}}`, true, dinner, true},
			{`{"expense":{"vendor":"Pixel Peak","category":"equipment","amount_usd":340,"memo":"27-inch"}}`, true, "Expense Vendor Pixel Peak Category equipment Amount $340.00 Memo 27-inch", false},
			{`{"expense":{"vendor":"Pixel Peak","amount_usd":340}}`, false, "Expense Vendor Pixel Peak Amount $340.00", false},
			{`{"expense":{"amount_usd":340}}`, false, "", false},
		}},
		{LangGraph(), []panelStep{
			{`{"messages":[{"content":"secret words"}],"tools":[]}`, true, "", true},
			{`{"messages":[],"refund":{"customer_id":"cus_1","amount":47.5,"reason":"Twice","status":"pending"}}`, false, drafted, false},
			// at a node's end there is only what it wrote; a run may break off there
			{`{"messages":[],"tools":[]}`, true, drafted, false},
			{`{"messages":[],"tools":[]}`, false, drafted, false},
			{`{"refund":null}`, true, drafted, true},
			{`{"refund":{"customer_id":"cus_1"}}`, true, drafted, true},
			{`{"refund":{"customer_id":"cus_1","amount":47.5,"reason":"Twice","status":"issued","refund_id":"re_1"}}`, true, strings.Replace(drafted, "drafted", "issued", 1) + " Refund ID re_1", false},
			{`{"refund":{"customer_id":"cus_1","amount":47.5,"reason":"Twice","status":"cancelled"}}`, false, strings.Replace(drafted, "drafted", "cancelled", 1), false},
			{`{"refund":null}`, false, "", false},
		}},
	} {
		p := c.demo.NewPanel()
		empty := text(t, p)
		for i, s := range c.steps {
			p.Update(Shared{State: parsed(s.state), Running: s.running})
			want := s.shows
			if want == "" {
				want = empty
			}
			if got, v := text(t, p), p.View(); got != want || v.Updating != s.updating {
				t.Errorf("%s step %d %s:\n shows %q (updating %t)\n want  %q (%t)", c.demo.Slug, i, s.state, got, v.Updating, want, s.updating)
			}
		}
	}
}

// TestProvenDecisionMarksItsOwn: where the state leaves it open, the proven decision
// says how it stands; one on something else says nothing.
func TestProvenDecisionMarksItsOwn(t *testing.T) {
	for _, c := range []struct {
		demo           Demo
		state, payload string
		approved       bool
		mark           string
	}{
		{Strands(), `{"booking":{"topic":"Review","slot":"Tue 10:00","status":"pending"}}`, `{"topic":"Review","slot":"Tue 10:00"}`, true, "booked"},
		{Strands(), `{"booking":{"topic":"Review","slot":"Tue 10:00","status":"pending"}}`, `{"topic":"Review","slot":"Tue 10:00"}`, false, "declined"},
		{Strands(), `{"booking":{"topic":"Review","slot":"Tue 15:00","status":"pending"}}`, `{"topic":"Review","slot":"Tue 10:00"}`, true, "pending"},
		{Strands(), `{"booking":{"topic":"Review","slot":"Tue 10:00","status":"declined"}}`, `{"topic":"Review","slot":"Tue 10:00"}`, true, "declined"},
		{AgentFramework(), `{"expense":{"vendor":"A","amount_usd":2,"memo":"m"}}`, `{"expense":{"vendor":"A","amount_usd":2,"memo":"m"}}`, true, "recorded"},
		{AgentFramework(), `{"expense":{"vendor":"A","amount_usd":2,"memo":"m"}}`, `{"expense":{"vendor":"A","amount_usd":2,"memo":"m"}}`, false, "declined"},
		{AgentFramework(), `{"expense":{"vendor":"A","amount_usd":2,"memo":"m"}}`, `{"expense":{"vendor":"A","amount_usd":3,"memo":"m"}}`, true, ""},
		{AgentFramework(), `{"expense":{"vendor":"B","amount_usd":2,"memo":"m"}}`, `{"expense":{"vendor":"A","amount_usd":2,"memo":"m"}}`, true, ""},
	} {
		p := c.demo.NewPanel()
		p.Update(Shared{State: parsed(c.state), Decided: []Decided{{Asked: asked(c.payload), Approved: c.approved}}})
		got := ""
		if _, after, ok := strings.Cut(text(t, p), "["); ok {
			got, _, _ = strings.Cut(after, "]")
		}
		if got != c.mark {
			t.Errorf("%s %s after %s, %t: %q, want %q", c.demo.Slug, c.state, c.payload, c.approved, got, c.mark)
		}
	}
}

// TestHostileStateBreaksNoPanel: whatever the state is, the panel is drawn, is not
// huge, and markup in it stays text.
func TestHostileStateBreaksNoPanel(t *testing.T) {
	const bad = `<b onclick=alert(1)>\u202e`
	huge := strings.Repeat("x", 1<<16)
	fill := func(form string, v any) string { return strings.ReplaceAll(form, "?", fmt.Sprint(v)) }
	forms := []string{
		`{"availability":{"day":"?","slots":["?","?"]},"booking":{"topic":"?","slot":"?","status":"?"}}`,
		`{"expense":{"vendor":"?","category":"?","amount_usd":1e308,"memo":"?"}}`,
		`{"refund":{"customer_id":"?","amount":-1e308,"reason":"?","status":"?","refund_id":"?"}}`,
		`{"packing_list":{"title":"?","items":[{"name":"?","qty":1}]}}`,
	}
	var states []string
	for _, f := range forms {
		states = append(states, fill(f, bad), fill(f, huge), strings.ReplaceAll(f, `"?"`, "7"), strings.ReplaceAll(f, `"?"`, "null"), strings.ReplaceAll(f, `"?"`, `{"a":[]}`), f[:len(f)/2])
	}
	states = append(states, ``, `null`, `[]`, `"x"`, `7`, `{"availability":[],"booking":"x","expense":[1],"refund":true,"packing_list":0}`,
		`{"availability":{"day":"Tuesday","slots":[`+strings.Repeat(`"10:00",`, 20_000)+`"11:00"]}}`)
	for _, d := range []Demo{Strands(), AgentFramework(), LangGraph()} {
		marked := false
		for _, running := range []bool{true, false} {
			for _, state := range states {
				p := d.NewPanel()
				p.Update(Shared{State: parsed(state), Running: running})
				p.Update(Shared{State: parsed(state), Running: running})
				v := p.View()
				var b strings.Builder
				if err := v.Body.Render(context.Background(), &b); err != nil {
					t.Fatal(err)
				}
				if b.Len() > 20_000 || len(v.Summary) > 2*maxShown+40 || b.Len() == 0 || v.Summary == "" {
					t.Errorf("%s: %.60s… is drawn in %d bytes, summary of %d", d.Slug, state, b.Len(), len(v.Summary))
				}
				if strings.Contains(b.String(), "<b ") {
					t.Errorf("%s: %.60s became markup", d.Slug, state)
				}
				marked = marked || strings.Contains(b.String(), "&lt;b ")
			}
		}
		if !marked {
			t.Errorf("%s shows nothing of the hostile text: the test proves nothing", d.Slug)
		}
	}
}
