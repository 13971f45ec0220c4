package agenthost_test

import (
	"net/http/httptest"
	"strings"
	"testing"

	"cairn/agenthost"
	"cairn/agenthost/scriptedmodel"
	"cairn/agui"
)

// TestScriptedModel runs the main job on the model that needs no key.
func TestScriptedModel(t *testing.T) {
	s := newService(t)
	model := httptest.NewServer(scriptedmodel.New(scriptedmodel.Config{NoDelay: true}))
	t.Cleanup(model.Close)
	s.useModel(agenthost.ModelConfig{BaseURL: model.URL + "/v1"})

	events := s.run(s.input("t1", "Start a packing list for a weekend with a tent and two sleeping bags"))
	if got := types(events); got != "RUN_STARTED STATE_SNAPSHOT STATE_DELTA+ TEXT_MESSAGE_CHUNK+ STATE_SNAPSHOT RUN_FINISHED" {
		t.Errorf("list: %s", got)
	}
	events = s.run(s.input("t1", "Please add a lantern"))
	last := events[len(events)-2].(*agui.StateSnapshot)
	if n := strings.Count(string(last.Snapshot), `"name"`); n != 3 {
		t.Errorf("list is %s", last.Snapshot)
	}
	events = s.run(s.input("t2", "What are the trail conditions at Half Dome?"))
	if got := types(events); got != "RUN_STARTED TOOL_CALL_START TOOL_CALL_ARGS TOOL_CALL_END TOOL_CALL_RESULT TEXT_MESSAGE_CHUNK+ RUN_FINISHED" {
		t.Errorf("conditions: %s", got)
	}
	events = s.run(s.input("t2", "What is the weather forecast for North Pines this weekend?"))
	if got := types(events); got != types(captured(t, "73-subagent-delegation")) {
		t.Errorf("forecast: %s", got)
	}
	if got := find[*agui.SubagentFinished](t, events); strings.Count(string(got.Result), "- ") != 3 {
		t.Errorf("forecast is %s", got.Result)
	}
	events = s.run(s.input("t3", "Reserve North Pines for two nights"))
	in := find[*agui.RunFinished](t, events).Outcome.Interrupts[0]
	runID, _, _ := strings.Cut(in.ID, "::")
	events = s.run(s.input("t3", "", command(map[string]any{"approved": true}, in.ToolCallID, runID)))
	if got := find[*agui.ToolCallResult](t, events).Content.Text(); got != reserved || s.bookings() != 1 {
		t.Errorf("%s, %d bookings", got, s.bookings())
	}
	if !strings.Contains(text(events), "TP-0288") {
		t.Errorf("answer %q", text(events))
	}
}
