package demos

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"cairn/agentclient/interrupt"
)

func TestOutcomeComesFromTheToolsResult(t *testing.T) {
	const booked = "Reserved North Pines for 2 night(s) — total $90. Confirmation TP-0288."
	const declined = "Reservation for North Pines was declined by the user. Nothing was booked."
	for _, c := range []struct {
		approved bool
		results  []string
		says     string
		proven   bool
	}{
		{true, []string{booked}, "Booked. Confirmation TP-0288.", true},
		{true, nil, "does not confirm a booking", false},
		{true, []string{"Sure, it is booked!"}, "does not confirm a booking", false},
		{true, []string{declined}, "does not confirm a booking", false},
		{false, []string{declined}, "Declined. Nothing was booked.", true},
		{false, nil, "did not say that nothing was booked", false},
		{false, []string{booked}, "the agent reports confirmation TP-0288", false},
	} {
		says, proven := Mastra().Outcome(c.approved, Evidence{Results: c.results})
		if !strings.Contains(says, c.says) || proven != c.proven {
			t.Errorf("approved %t, %q: %q, %t", c.approved, c.results, says, proven)
		}
	}
}

func TestApprovalWordsThePayload(t *testing.T) {
	for payload, want := range map[string]string{
		`{"site":"North Pines","nights":2,"total_usd":90}`: "[{Campsite North Pines} {Nights 2} {Total $90.00}]",
		`{"site":"A","nights":14,"total_usd":1234567.5}`:   "[{Campsite A} {Nights 14} {Total $1,234,567.50}]",
		`{"site":"A"}`:                       "[{Campsite A}]",
		`{"nights":2}`:                       "[]",
		`{"site":7}`:                         "[]",
		`{"site":"<b>","total_usd":-1234.5}`: "[{Campsite <b>} {Total -$1,234.50}]",
		``:                                   "[]",
	} {
		got := Mastra().Approval(interrupt.Pending{ToolName: "reserve_campsite", Payload: json.RawMessage(payload)})
		if fmt.Sprint(got.Rows) != want || got.Title == "" || got.Hint == "" {
			t.Errorf("%s: %v", payload, got.Rows)
		}
	}
}

func TestToolSummary(t *testing.T) {
	for result, want := range map[string]string{
		`{"location":"Half Dome","forecast":"Clear skies","high_c":18,"low_c":4}`: "Half Dome — clear skies, 18° / 4°",
		`{"location":"Half Dome","forecast":"Étendue"}`:                           "Half Dome — étendue",
		`{"forecast":"Rain"}`: "Rain",
		`"Rain"`:              "",
		`{}`:                  "",
	} {
		if got := Mastra().ToolSummary("check_conditions", "", result); got != want {
			t.Errorf("%s: %q", result, got)
		}
	}
	if got := Mastra().ToolSummary("other", "", `{"forecast":"Rain"}`); got != "" {
		t.Errorf("another tool: %q", got)
	}
}

// TestPackingPanelHoldsTheLastCompleteList walks the states the real runtime passes
// through (measured) and what may be shown at each.
func TestPackingPanelHoldsTheLastCompleteList(t *testing.T) {
	p := Mastra().NewPanel()
	for i, c := range []struct {
		state    string
		running  bool
		shows    string
		updating bool
	}{
		{`{}`, false, "", false},
		{`{}`, true, "", true},
		{`{"packing_list":{"title":""}}`, true, "", true},
		{`{"packing_list":{"title":"Weekend camp"}}`, true, "Weekend camp:", false},
		{`{"packing_list":{"title":"Weekend camping","items":[{"name":"t"}]}}`, true, "Weekend camp:", true},
		{`{"packing_list":{"title":"Weekend camping","items":[{"name":"tent","qty":1}]}}`, true, "Weekend camping: tent 1", false},
		{`{"packing_list":{"title":"Weekend camping","items":[{"name":"tent","qty":1}]}}`, false, "Weekend camping: tent 1", false},
		// a second run rewrites the list from the start
		{`{}`, true, "Weekend camping: tent 1", true},
		{`{"packing_list":{"title":"Weekend camp","items":[{"name":"tent","qty":1}]}}`, true, "Weekend camping: tent 1", true},
		{`{"packing_list":{"title":"Weekend camping","items":[]}}`, true, "Weekend camping: tent 1", true},
		{`{"packing_list":{"title":"Weekend camping","items":[{"name":"tent","qty":1},{"name":"stove","qty":0.5}]}}`, true, "Weekend camping: tent 1, stove 0.5", false},
		{`[]`, true, "Weekend camping: tent 1, stove 0.5", true},
		{`{"packing_list":{"title":7}}`, true, "Weekend camping: tent 1, stove 0.5", true},
		// what the agent removed goes when the run ends
		{`{"packing_list":{"title":"Weekend camping","items":[{"name":"stove","qty":2}]}}`, true, "Weekend camping: tent 1, stove 0.5", true},
		{`{"packing_list":{"title":"Weekend camping","items":[{"name":"stove","qty":2},{"name":"half"}]}}`, false, "Weekend camping: stove 2", false},
		{`{}`, false, "", false},
	} {
		p.Update(Shared{State: parsed(c.state), Running: c.running})
		v := p.View()
		if got := shown(p.(*packingPanel)); got != c.shows || v.Updating != c.updating {
			t.Errorf("step %d %s: shows %q (updating %t), want %q (%t)", i, c.state, got, v.Updating, c.shows, c.updating)
		}
	}
}

func shown(p *packingPanel) string {
	if p.list.shown.Title == "" {
		return ""
	}
	var items []string
	for _, it := range p.list.shown.Items {
		items = append(items, fmt.Sprint(it.Name, " ", *it.Qty))
	}
	return strings.TrimSpace(p.list.shown.Title + ": " + strings.Join(items, ", "))
}
