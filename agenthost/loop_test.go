package agenthost_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"cairn/agenthost"
	"cairn/agenthost/trip"
	"cairn/agui"
)

func toolAgent(tools ...*agenthost.Tool) *agenthost.Agent {
	return &agenthost.Agent{Name: "tester", Instructions: "Test.", Tools: tools}
}

// TestToolFailures: whatever a tool does, its call gets a result and the run
// goes on, and inner texts stay inside.
func TestToolFailures(t *testing.T) {
	type none struct{}
	mk := func(name string, f func() (any, error)) *agenthost.Tool {
		return agenthost.NewTool(name, "", func(context.Context, agenthost.Call[none]) (any, error) { return f() })
	}
	s := newAgentService(t, toolAgent(
		mk("fails", func() (any, error) { return nil, errors.New("password is hunter2") }),
		mk("refuses", func() (any, error) { return nil, agenthost.Refuse("The site is closed.") }),
		mk("panics", func() (any, error) { panic("hunter2") }),
		mk("unencodable", func() (any, error) { return make(chan int), nil }),
		mk("suspends", func() (any, error) { return nil, agenthost.Suspend("hunter2") }),
	))
	for name, want := range map[string]string{
		"fails":       `{"error":true,"message":"The tool fails failed."}`,
		"refuses":     `{"error":true,"message":"The site is closed."}`,
		"panics":      `{"error":true,"message":"The tool panics failed."}`,
		"unencodable": `{"error":true,"message":"The tool unencodable failed."}`,
		"suspends":    `{"error":true,"message":"The tool suspends failed."}`,
		"unknown":     `{"error":true,"message":"There is no tool unknown."}`,
	} {
		s.model.says(modelAnswer{calls: []modelCall{{"c", name, "{}"}}}, modelAnswer{text: "Sorry."})
		events := s.run(s.input("t-"+name, "go"))
		if got := types(events); got != "RUN_STARTED TOOL_CALL_START TOOL_CALL_ARGS TOOL_CALL_END TOOL_CALL_RESULT TEXT_MESSAGE_CHUNK+ RUN_FINISHED" {
			t.Errorf("%s: %s", name, got)
		}
		if got := find[*agui.ToolCallResult](t, events).Content.Text(); got != want {
			t.Errorf("%s: %s", name, got)
		}
	}
}

func TestStepLimit(t *testing.T) {
	s := newAgentService(t, toolAgent())
	again := modelAnswer{calls: []modelCall{{"c", "unknown", "{}"}}}
	s.model.says(again, again, again)
	events := s.run(s.input("t1", "go"))
	if e, ok := events[len(events)-1].(*agui.RunError); !ok || e.Code != "step_limit" {
		t.Errorf("events %s", types(events))
	}
	ids := map[string]bool{}
	for _, ev := range events {
		if e, ok := ev.(*agui.ToolCallStart); ok {
			if ids[e.ToolCallID] {
				t.Errorf("call id %s is used twice", e.ToolCallID)
			}
			ids[e.ToolCallID] = true
		}
	}
}

// TestClientTool: arguments stream, the run ends without a result (measured
// transcript 86), and the result in the next request reaches the model.
func TestClientTool(t *testing.T) {
	s := newService(t)
	tools := func(in map[string]any) {
		in["tools"] = []any{map[string]any{"name": "show_map", "description": "Shows a map", "parameters": map[string]any{"type": "object"}}}
	}
	s.model.says(modelAnswer{calls: []modelCall{{"call_s", "show_map", `{"place":"North Pines","zoom":12,"layers":["trails","water"]}`}}})
	events := s.run(s.input("t1", "show me", tools))
	got, want := strings.ReplaceAll(types(events), "TOOL_CALL_ARGS ", ""), strings.ReplaceAll(types(captured(t, "86-client-tool")), "TOOL_CALL_ARGS ", "")
	if got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	var args strings.Builder
	pieces := 0
	for _, ev := range events {
		if e, ok := ev.(*agui.ToolCallArgs); ok {
			args.WriteString(e.Delta)
			pieces++
		}
	}
	if args.String() != `{"place":"North Pines","zoom":12,"layers":["trails","water"]}` || pieces < 2 {
		t.Errorf("%d pieces: %s", pieces, args.String())
	}
	s.model.says(modelAnswer{text: "There it is."})
	s.run(s.input("t1", "", tools, func(in map[string]any) {
		in["messages"] = []any{
			map[string]any{"id": "1", "role": "user", "content": "show me"},
			map[string]any{"id": "2", "role": "assistant", "toolCalls": []any{map[string]any{"id": "call_s", "type": "function", "function": map[string]any{"name": "show_map", "arguments": "{}"}}}},
			map[string]any{"id": "3", "role": "tool", "toolCallId": "call_s", "content": "shown"},
		}
	}))
	asked := s.model.asked()
	if got := asked[len(asked)-1].last(); got != "shown" {
		t.Errorf("the model was told %q", got)
	}
}

// TestWhatTheModelIsTold: instructions first, memory in them, only what belongs
// in a conversation after, results right behind their calls.
func TestWhatTheModelIsTold(t *testing.T) {
	s := newService(t)
	s.model.says(create, modelAnswer{text: "Started."})
	s.run(s.input("t1", "start a list"))
	s.restart()
	s.model.says(modelAnswer{text: "Yes."})
	s.run(s.input("t1", "", func(in map[string]any) {
		in["context"] = []any{map[string]any{"description": "today", "value": "Monday"}}
		in["messages"] = []any{
			map[string]any{"id": "1", "role": "user", "content": []any{map[string]any{"type": "text", "text": "start a list"}}},
			map[string]any{"id": "r", "role": "reasoning", "content": "hmm"},
			map[string]any{"id": "2", "role": "assistant", "content": "Started.", "toolCalls": []any{
				map[string]any{"id": "lost", "type": "function", "function": map[string]any{"name": "check_conditions", "arguments": "{}"}}}},
			map[string]any{"id": "c", "role": "assistant", "content": "child", "subagentRunId": "x:sub"},
			map[string]any{"id": "a", "role": "activity", "activityType": "x", "content": map[string]any{}},
			map[string]any{"id": "o", "role": "tool", "toolCallId": "orphan", "content": "x"},
			map[string]any{"id": "4", "role": "user", "content": "is it there?"},
		}
	}))
	asked := s.model.asked()
	var got []string
	for _, m := range asked[len(asked)-1].Messages {
		got = append(got, m.Role)
	}
	if strings.Join(got, " ") != "system system user assistant tool user" {
		t.Fatalf("roles %v", got)
	}
	msgs := asked[len(asked)-1].Messages
	if !strings.Contains(msgs[0].Content, `Current working memory (JSON): {"packing_list":{"items":[{"name":"tent","qty":1},`) {
		t.Errorf("system prompt %s", msgs[0].Content)
	}
	if !strings.Contains(msgs[1].Content, "today: Monday") || msgs[4].ToolCallID != "lost" {
		t.Errorf("messages %+v", msgs)
	}
	var names []string
	for _, tool := range asked[0].Tools {
		names = append(names, tool.Function.Name)
	}
	if strings.Join(names, " ") != "check_conditions reserve_campsite agent-weather_forecaster updateWorkingMemory" {
		t.Errorf("tools %v", names)
	}
}

// TestChildSeesOnlyItsPrompt and uses no tool of its parent.
func TestChildSeesOnlyItsPrompt(t *testing.T) {
	s := newService(t)
	s.model.says(modelAnswer{calls: []modelCall{{"call_d", "agent-weather_forecaster", `{"prompt":"Forecast for North Pines."}`}}},
		modelAnswer{text: "- sun"}, modelAnswer{text: "Sunny."})
	s.run(s.input("t1", "What is the forecast? My PIN is 1234."))
	child := s.model.asked()[1]
	if !child.isChild() || len(child.Messages) != 2 || child.last() != "Forecast for North Pines." || len(child.Tools) != 0 {
		t.Errorf("the child was told %+v", child)
	}
}

// TestTwoPausesInOneStep: one decision at a time; both results come, in order.
func TestTwoPausesInOneStep(t *testing.T) {
	s := newService(t)
	s.model.says(modelAnswer{calls: []modelCall{
		{"call_1", "reserve_campsite", `{"site":"North Pines","nights":2}`},
		{"call_c", "check_conditions", `{"location":"Half Dome"}`},
		{"call_2", "reserve_campsite", `{"site":"Upper Pines","nights":1}`}}})
	if got := types(s.run(s.input("t1", "both"))); got != "RUN_STARTED TOOL_CALL_START TOOL_CALL_ARGS TOOL_CALL_END TOOL_CALL_RESULT CUSTOM RUN_FINISHED" {
		t.Fatal(got)
	}
	events := s.run(s.input("t1", "", command(map[string]any{"approved": true}, "call_1", "run-1")))
	if got := types(events); got != "RUN_STARTED TOOL_CALL_RESULT CUSTOM RUN_FINISHED" {
		t.Fatal(got)
	}
	if id := find[*agui.RunFinished](t, events).Outcome.Interrupts[0].ID; id != "run-2::call_2" {
		t.Errorf("second interrupt %s", id)
	}
	if got := types(s.run(s.input("t1", "", command(map[string]any{"approved": true}, "call_1", "run-1")))); got != "RUN_STARTED TOOL_CALL_RESULT RUN_FINISHED" {
		t.Errorf("a repeat of the first returned %s", got)
	}
	s.model.says(modelAnswer{text: "One of two."})
	s.run(s.input("t1", "", command(map[string]any{"approved": false}, "call_2", "run-2")))
	asked := s.model.asked()
	msgs := asked[len(asked)-1].Messages
	if len(msgs) != 6 || msgs[5].ToolCallID != "call_2" || msgs[3].Content != reserved || s.bookings() != 1 {
		t.Errorf("the model was told %+v, %d bookings", msgs, s.bookings())
	}
}

// TestReservationLimits: the tool's own schema refuses, without asking anyone.
func TestReservationLimits(t *testing.T) {
	for _, args := range []string{`{"site":"North Pines","nights":15}`, `{"site":"North Pines","nights":0}`, `{"site":"","nights":1}`, `{"nights":1}`, `nonsense`} {
		s := newService(t)
		s.model.says(modelAnswer{calls: []modelCall{{"c", "reserve_campsite", args}}}, modelAnswer{text: "No."})
		events := s.run(s.input("t1", "go"))
		if got := find[*agui.ToolCallResult](t, events).Content.Text(); !strings.HasPrefix(got, `{"error":true,"message":"Tool input validation failed`) {
			t.Errorf("%s: %s", args, got)
		}
	}
}

// TestLedger: what is booked is what was approved.
func TestLedger(t *testing.T) {
	s := newService(t)
	s.model.says(modelAnswer{calls: []modelCall{{"c", "reserve_campsite", `{"site":"Upper Pines","nights":14}`}}}, modelAnswer{text: "Done."})
	s.run(s.input("t1", "go"))
	s.run(s.input("t1", "", command(trip.Approval{Approved: true}, "c", "run-1")))
	b := s.reservations()
	if len(b) != 1 || b[0].ThreadID != "t1" || b[0].Site != "Upper Pines" || b[0].Nights != 14 || b[0].TotalUSD != 630 || b[0].Confirmation != "TP-1488" {
		t.Errorf("ledger %+v", b)
	}
}

// TestUsage adds up the answers of a run, its child's included.
func TestUsage(t *testing.T) {
	s := newService(t)
	s.model.says(modelAnswer{calls: []modelCall{{"call_d", "agent-weather_forecaster", `{"prompt":"x"}`}}},
		modelAnswer{text: "- sun"}, modelAnswer{text: "Sunny."})
	usage := find[*agui.RunFinished](t, s.run(s.input("t1", "forecast"))).Usage
	if len(usage) != 1 || usage[0].InputTokens != 30 || usage[0].OutputTokens != 9 || usage[0].TotalTokens != 39 {
		t.Errorf("usage %+v", usage)
	}
}

// TestReasoningIsShown: what the model thinks is told as reasoning, before the answer or
// the call that it leads to, and not sent back.
func TestReasoningIsShown(t *testing.T) {
	s := newAgentService(t, toolAgent(agenthost.NewTool("look", "", func(context.Context, agenthost.Call[struct{}]) (any, error) { return "ok", nil })))
	s.model.says(modelAnswer{thinks: "First look", calls: []modelCall{{"c", "look", "{}"}}}, modelAnswer{thinks: "Then say", text: "Done."}, modelAnswer{thinks: "Cut", cut: true})
	const thought = "REASONING_START REASONING_MESSAGE_START REASONING_MESSAGE_CONTENT REASONING_MESSAGE_END REASONING_END "
	events := s.run(s.input("t", "go"))
	if got := types(events); got != "RUN_STARTED "+thought+"TOOL_CALL_START TOOL_CALL_ARGS TOOL_CALL_END TOOL_CALL_RESULT "+thought+"TEXT_MESSAGE_CHUNK+ RUN_FINISHED" {
		t.Error(got)
	}
	if got := find[*agui.ReasoningMessageContent](t, events).Delta; got != "First look" {
		t.Errorf("thought %q", got)
	}
	for _, req := range s.model.asked() {
		for _, m := range req.Messages {
			if strings.Contains(m.Content, "First") {
				t.Errorf("sent back: %+v", m)
			}
		}
	}
	if got := types(s.run(s.input("t2", "go"))); got != "RUN_STARTED "+thought+"RUN_ERROR" {
		t.Error(got)
	}
}
