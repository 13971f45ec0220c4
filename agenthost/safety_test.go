package agenthost_test

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"sync"
	"testing"

	"cairn/agenthost"
	"cairn/agui"
)

// TestInterruptShape holds the two signals of a pause against each other and the
// measured shape (transcript 10).
func TestInterruptShape(t *testing.T) {
	s := newService(t)
	s.model.says(reserve)
	events := s.run(s.input("t1", "Reserve North Pines for two nights"))
	var value string
	if err := json.Unmarshal(find[*agui.Custom](t, events).Value, &value); err != nil {
		t.Fatalf("the value is no JSON string: %v", err)
	}
	type detail struct {
		Type, ToolCallID, ToolName, RunID, ResumeSchema string
		SuspendPayload, Args                            json.RawMessage
	}
	var legacy, native detail
	if err := json.Unmarshal([]byte(value), &legacy); err != nil {
		t.Fatal(err)
	}
	in := find[*agui.RunFinished](t, events).Outcome.Interrupts[0]
	if err := json.Unmarshal(in.Metadata["mastra"], &native); err != nil {
		t.Fatal(err)
	}
	if legacy.Type != "mastra_suspend" || legacy.ToolName != "reserve_campsite" || legacy.RunID != "run-1" || legacy.ToolCallID != "call_r" {
		t.Errorf("value %s", value)
	}
	if got := string(legacy.SuspendPayload); got != `{"site":"North Pines","nights":2,"total_usd":90}` {
		t.Errorf("payload %s", got)
	}
	if in.ID != "run-1::call_r" || in.Reason != "mastra:tool_suspend" || in.ToolCallID != "call_r" {
		t.Errorf("interrupt %+v", in)
	}
	want := `{"$schema":"http://json-schema.org/draft-07/schema#","type":"object","properties":{"approved":{"type":"boolean"}},"additionalProperties":false}`
	if legacy.ResumeSchema != want || string(in.ResponseSchema) != want {
		t.Errorf("schema %s", in.ResponseSchema)
	}
	native.ToolCallID = legacy.ToolCallID // the native detail names it outside
	if a, b := mustJSON(t, legacy), mustJSON(t, native); a != b {
		t.Errorf("the signals differ: %s and %s", a, b)
	}
}

func mustJSON(t *testing.T, v any) string {
	t.Helper()
	raw, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

const (
	reserved = `"Reserved North Pines for 2 night(s) — total $90. Confirmation TP-0288."`
	declined = `"Reservation for North Pines was declined by the user. Nothing was booked."`
)

// TestResumeAfterRestart answers on every transport, each after a restart.
func TestResumeAfterRestart(t *testing.T) {
	t.Parallel()
	id := "run-1::call_r"
	for name, tc := range map[string]struct {
		edit   func(map[string]any)
		result string
		booked int
	}{
		"command approve": {command(map[string]any{"approved": true}, "call_r", "run-1"), reserved, 1},
		"command decline": {command(map[string]any{"approved": false}, "call_r", "run-1"), declined, 0},
		"command empty":   {command(map[string]any{}, "call_r", "run-1"), declined, 0},
		"command false":   {command(false, "call_r", "run-1"), declined, 0},
		"event as JSON text": {func(in map[string]any) {
			in["forwardedProps"] = map[string]any{"command": map[string]any{"resume": map[string]any{"approved": true}, "interruptEvent": `{"toolCallId":"call_r","runId":"run-1"}`}}
		}, reserved, 1},
		"protocol approve":   {protocolResume(map[string]any{"interruptId": id, "status": "resolved", "payload": map[string]any{"approved": true}}), reserved, 1},
		"protocol cancelled": {protocolResume(map[string]any{"interruptId": id, "status": "cancelled"}), declined, 0},
		"both: command wins": {func(in map[string]any) {
			command(map[string]any{"approved": true}, "call_r", "run-1")(in)
			protocolResume(map[string]any{"interruptId": id, "status": "cancelled"})(in)
		}, reserved, 1},
	} {
		t.Run(name, func(t *testing.T) {
			s := newService(t)
			s.model.says(reserve)
			s.run(s.input("t1", "Reserve North Pines for two nights"))
			s.restart()
			s.model.says(modelAnswer{text: "Done."})
			events := s.run(s.input("t1", "", tc.edit))
			if got := types(events); got != "RUN_STARTED TOOL_CALL_RESULT TEXT_MESSAGE_CHUNK+ RUN_FINISHED" {
				t.Fatal(got)
			}
			res := find[*agui.ToolCallResult](t, events)
			if res.ToolCallID != "call_r" || res.Content.Text() != tc.result {
				t.Errorf("result %s of %s", res.Content.Text(), res.ToolCallID)
			}
			if got := s.bookings(); got != tc.booked {
				t.Errorf("%d bookings, want %d", got, tc.booked)
			}
			asked := s.model.asked()
			if got := asked[len(asked)-1].last(); got != tc.result {
				t.Errorf("the model was told %s", got)
			}
		})
	}
}

// TestWrongResumesConsumeNothing sends every wrong answer and then the right one.
func TestWrongResumesConsumeNothing(t *testing.T) {
	s := newService(t)
	s.model.says(reserve)
	s.run(s.input("t1", "Reserve North Pines for two nights"))
	yes := map[string]any{"approved": true}
	entry := func(id string, payload any) map[string]any {
		return map[string]any{"interruptId": id, "status": "resolved", "payload": payload}
	}
	for _, tc := range []struct {
		name, thread, code string
		edit               func(map[string]any)
	}{
		{"foreign thread", "t2", "interrupt_not_found", command(yes, "call_r", "run-1")},
		{"foreign thread, protocol", "t2", "interrupt_not_found", protocolResume(entry("run-1::call_r", yes))},
		{"wrong run", "t1", "interrupt_not_found", command(yes, "call_r", "run-9")},
		{"wrong call", "t1", "interrupt_wrong_call", command(yes, "call_x", "run-1")},
		{"bare call id", "t1", "interrupt_not_found", protocolResume(entry("call_r", yes))},
		{"true", "t1", "invalid_resume", command(true, "call_r", "run-1")},
		{"text", "t1", "invalid_resume", command("yes", "call_r", "run-1")},
		{"mistyped", "t1", "invalid_resume", command(map[string]any{"approved": "yes"}, "call_r", "run-1")},
		{"unknown member", "t1", "invalid_resume", command(map[string]any{"decision": "approve"}, "call_r", "run-1")},
		{"null", "t1", "invalid_resume", command(nil, "call_r", "run-1")},
		{"no event", "t1", "invalid_resume", func(in map[string]any) {
			in["forwardedProps"] = map[string]any{"command": map[string]any{"resume": yes}}
		}},
		{"event without ids", "t1", "invalid_resume", command(yes, "", "")},
		{"broken event text", "t1", "invalid_resume", func(in map[string]any) {
			in["forwardedProps"] = map[string]any{"command": map[string]any{"resume": yes, "interruptEvent": "{"}}
		}},
		{"no payload", "t1", "invalid_resume", protocolResume(map[string]any{"interruptId": "run-1::call_r", "status": "resolved"})},
		{"an unknown one too", "t1", "interrupt_not_found", func(in map[string]any) {
			in["resume"] = []any{entry("run-1::call_r", yes), entry("run-1::call_s", yes)}
		}},
		{"twice", "t1", "invalid_resume", func(in map[string]any) {
			in["resume"] = []any{entry("run-1::call_r", yes), entry("run-1::call_r", yes)}
		}},
		{"empty array and a message", "t1", "interrupt_pending", func(in map[string]any) { in["resume"] = []any{} }},
		{"a message", "t1", "interrupt_pending", func(map[string]any) {}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			wantError(t, s.run(s.input(tc.thread, "hello", tc.edit)), tc.code)
		})
	}
	if s.bookings() != 0 {
		t.Fatal("a wrong answer booked")
	}
	s.model.says(modelAnswer{text: "Booked."})
	s.run(s.input("t1", "", command(yes, "call_r", "run-1")))
	if s.bookings() != 1 {
		t.Fatal("the right answer did not book")
	}
}

// TestDoubleApproveBooksOnce repeats a decision at the moments that booked twice
// in Mastra: together, during the run, after it, and after a restart.
func TestDoubleApproveBooksOnce(t *testing.T) {
	s := newService(t)
	s.model.says(reserve)
	s.run(s.input("t1", "Reserve North Pines for two nights"))
	approve := command(map[string]any{"approved": true}, "call_r", "run-1")
	s.model.says(modelAnswer{text: "Booked."})
	bodies := make([]map[string]any, 8)
	for i := range bodies {
		bodies[i] = s.input("t1", "", approve)
	}
	var wg sync.WaitGroup
	for _, body := range bodies {
		wg.Go(func() {
			events := s.run(body)
			switch got := types(events); got {
			case "RUN_STARTED TOOL_CALL_RESULT TEXT_MESSAGE_CHUNK+ RUN_FINISHED", "RUN_STARTED TOOL_CALL_RESULT RUN_FINISHED":
			default:
				if e, ok := events[len(events)-1].(*agui.RunError); !ok || e.Code != "thread_busy" {
					t.Errorf("events %s", got)
				}
			}
		})
	}
	wg.Wait()
	for range 2 {
		events := s.run(s.input("t1", "", approve))
		if got := types(events); got != "RUN_STARTED TOOL_CALL_RESULT RUN_FINISHED" {
			t.Errorf("a repeat returned %s", got)
		}
		if got := find[*agui.ToolCallResult](t, events).Content.Text(); got != reserved {
			t.Errorf("a repeat returned %s", got)
		}
		s.restart()
	}
	wantError(t, s.run(s.input("t1", "", command(map[string]any{"approved": false}, "call_r", "run-1"))), "interrupt_already_resolved")
	if got := s.bookings(); got != 1 {
		t.Errorf("%d bookings", got)
	}
}

// TestRepeatGoesOnWhereItBroke repeats a decision whose run failed after the tool
// ran: the tool does not run again, the model answers at last.
func TestRepeatGoesOnWhereItBroke(t *testing.T) {
	s := newService(t)
	s.model.says(reserve)
	s.run(s.input("t1", "Reserve North Pines for two nights"))
	approve := command(map[string]any{"approved": true}, "call_r", "run-1")
	s.model.says(modelAnswer{status: 500})
	if got := types(s.run(s.input("t1", "", approve))); got != "RUN_STARTED TOOL_CALL_RESULT RUN_ERROR" {
		t.Fatal(got)
	}
	s.restart()
	s.model.says(modelAnswer{text: "Booked after all."})
	events := s.run(s.input("t1", "", approve))
	if text(events) != "Booked after all." || s.bookings() != 1 {
		t.Errorf("%s, %d bookings", types(events), s.bookings())
	}
}

// TestUnseenResultReachesTheModel: the resumed run failed and the user writes on
// without its result; the model must still know what was booked.
func TestUnseenResultReachesTheModel(t *testing.T) {
	s := newService(t)
	s.model.says(reserve)
	s.run(s.input("t1", "Reserve North Pines for two nights"))
	approve := command(map[string]any{"approved": true}, "call_r", "run-1")
	s.model.says(modelAnswer{status: 500})
	s.run(s.input("t1", "", approve))
	s.model.says(modelAnswer{text: "It is."})
	s.run(s.input("t1", "is it booked?"))
	asked := s.model.asked()
	msgs := asked[len(asked)-1].Messages
	if len(msgs) != 4 || msgs[1].ToolCalls[0].Function.Name != "reserve_campsite" || msgs[2].Content != reserved || msgs[3].Content != "is it booked?" {
		t.Errorf("the model was told %+v", msgs)
	}
	if got := types(s.run(s.input("t1", "", approve))); got != "RUN_STARTED TOOL_CALL_RESULT RUN_FINISHED" {
		t.Errorf("a late repeat returned %s", got)
	}
}

// TestShutdownEndsRuns: an open run ends with RUN_ERROR, a new one is refused.
func TestShutdownEndsRuns(t *testing.T) {
	s := newService(t)
	s.model.says(modelAnswer{text: "one two", hang: true})
	resp, err := http.DefaultClient.Do(s.request(context.Background(), s.input("t1", "hello")))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	readUntil(t, resp.Body, "TEXT_MESSAGE_CHUNK")
	if err := s.host.Shutdown(context.Background()); err != nil {
		t.Fatal(err)
	}
	events := readEvents(t, resp.Body)
	if e, ok := events[len(events)-1].(*agui.RunError); !ok || e.Code != "shutting_down" {
		t.Errorf("the run ended with %s", types(events))
	}
	after, err := http.DefaultClient.Do(s.request(context.Background(), s.input("t1", "hello")))
	if err != nil {
		t.Fatal(err)
	}
	_ = after.Body.Close()
	if after.StatusCode != 503 {
		t.Errorf("a run after shutdown: %d", after.StatusCode)
	}
}

// TestModelFailures: each way a model fails has its code, and its words and key
// stay out of the stream.
func TestModelFailures(t *testing.T) {
	t.Parallel()
	for code, answer := range map[string]modelAnswer{
		"model_error":        {status: 500},
		"model_rate_limited": {status: 429},
		"model_unauthorized": {status: 401},
		"model_incomplete":   {text: "one two", cut: true},
	} {
		t.Run(code, func(t *testing.T) {
			s := newService(t)
			s.model.says(answer)
			events := s.run(s.input("t1", "hello"))
			e, ok := events[len(events)-1].(*agui.RunError)
			if !ok || e.Code != code {
				t.Fatalf("%s, %+v", types(events), e)
			}
			if strings.Contains(e.Message, "secret") || strings.Contains(e.Message, "sk-") {
				t.Errorf("message %q", e.Message)
			}
			s.model.says(modelAnswer{text: "fine"})
			if got := text(s.run(s.input("t1", "hello"))); got != "fine" {
				t.Errorf("the thread then returned %q", got)
			}
		})
	}
	t.Run("model_unavailable", func(t *testing.T) {
		s := newService(t)
		s.model.server.Close()
		events := s.run(s.input("t1", "hello"))
		wantError(t, events, "model_unavailable")
	})
}

func TestNewRefuses(t *testing.T) {
	if _, err := agenthost.New(agenthost.Config{}); !errors.Is(err, agenthost.ErrNoToken) {
		t.Errorf("without a token: %v", err)
	}
	store := newService(t).store
	tool := agenthost.NewTool("x", "", func(context.Context, agenthost.Call[chan int]) (any, error) { return nil, nil })
	for name, a := range map[string]*agenthost.Agent{
		"no instructions":  {Name: "a"},
		"schema":           {Name: "a", Instructions: "i", Tools: []*agenthost.Tool{tool}},
		"reserved name":    {Name: "a", Instructions: "i", Tools: []*agenthost.Tool{agenthost.NewTool("updateWorkingMemory", "", func(context.Context, agenthost.Call[struct{}]) (any, error) { return nil, nil })}},
		"child's children": {Name: "a", Instructions: "i", Children: []*agenthost.Agent{{Name: "b", Instructions: "i", Children: []*agenthost.Agent{{Name: "c", Instructions: "i"}}}}},
	} {
		if _, err := agenthost.New(agenthost.Config{Token: "t", Store: store, Agents: map[string]*agenthost.Agent{"a": a}}); err == nil {
			t.Errorf("%s was accepted", name)
		}
	}
}
