package agenthost_test

import (
	"strings"
	"testing"

	"cairn/agenthost"
	"cairn/agui"
)

// TestHandover: a child can be a tool of its own name and arguments.
func TestHandover(t *testing.T) {
	type route struct {
		From string `json:"from"`
		To   string `json:"to"`
		Days int    `json:"days,omitempty"`
	}
	agent := &agenthost.Agent{Name: "parent", Instructions: "Delegate.", Children: []*agenthost.Agent{{
		Name: "scout", Description: "Looks.", Instructions: "Look.",
		As: agenthost.NewHandover("scout_route", "Has a way looked at.", func(r route) string { return "From " + r.From + " to " + r.To + "." }),
	}}}
	s := newAgentService(t, agent)
	const unreadable = `{"from":"A","to":"B","days":1e0}` // an integer to the schema, not to Go
	s.model.says(modelAnswer{calls: []modelCall{{"call_0", "scout_route", unreadable}}}, modelAnswer{text: "Sorry."})
	if got := types(s.run(s.input("t0", "way"))); got != "RUN_STARTED TOOL_CALL_START TOOL_CALL_ARGS TOOL_CALL_END TOOL_CALL_RESULT "+answered {
		t.Error(got)
	}
	s.model.says(modelAnswer{calls: []modelCall{{"call_1", "scout_route", `{"from":"A","to":"B"}`}}}, modelAnswer{text: "Fine."}, modelAnswer{text: "Go."},
		modelAnswer{calls: []modelCall{{"call_2", "scout_route", `{"from":"A"}`}}}, modelAnswer{text: "Sorry."})
	if got := types(s.run(s.input("t1", "way"))); got != "RUN_STARTED "+told+says+returns+answered {
		t.Error(got)
	}
	asked := s.model.asked()[2:]
	if got := asked[1].last(); got != "From A to B." {
		t.Errorf("the child is told %q", got)
	}
	if got := asked[0].Tools[0].Function.Name; got != "scout_route" {
		t.Errorf("the model is offered %q", got)
	}
	if got := find[*agui.ToolCallResult](t, s.run(s.input("t1", "way"))).Content.Text(); !strings.Contains(got, "validation failed") {
		t.Errorf("bad arguments returned %s", got)
	}
}
