package agenthost_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"cairn/agenthost"
	"cairn/agui"
)

// TestAfter: the last step asks when the model has answered, and its value ends the
// run without the model, once.
func TestAfter(t *testing.T) {
	s := newAgentService(t, desk())
	s.model.says(modelAnswer{text: "Hello."})
	posing := func(in map[string]any) { in["tools"] = []any{map[string]any{"name": "sign", "description": ""}} }
	if got := types(s.run(s.input("t1", "hello", posing))); got != "RUN_STARTED TEXT_MESSAGE_CHUNK+ RUN_FINISHED" {
		t.Errorf("nothing to sign: %s", got)
	}
	if offered := s.model.asked()[0].Tools; len(offered) != 2 {
		t.Errorf("a client's tool takes the name of the last step: %+v", offered)
	}
	s.model.says(slipCall("draft", "2"), modelAnswer{text: "Drafted."})
	events := s.run(s.input("t1", "draft"))
	if got, want := types(events), "RUN_STARTED TOOL_CALL_START TOOL_CALL_ARGS TOOL_CALL_END TOOL_CALL_RESULT STATE_SNAPSHOT TEXT_MESSAGE_CHUNK+ CUSTOM STATE_SNAPSHOT RUN_FINISHED"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if got, want := states(events), `{"slip":{"amount":2}} {"said":"asked","slip":{"amount":2}}`; got != want {
		t.Errorf("shows %s, want %s", got, want)
	}
	outcome := find[*agui.RunFinished](t, events).Outcome
	if outcome == nil || len(outcome.Interrupts) != 1 {
		t.Fatalf("does not ask: %+v", outcome)
	}
	var asked struct {
		Mastra struct {
			SuspendPayload json.RawMessage `json:"suspendPayload"`
		} `json:"mastra"`
	}
	if raw, err := json.Marshal(outcome.Interrupts[0].Metadata); err != nil || json.Unmarshal(raw, &asked) != nil || string(asked.Mastra.SuspendPayload) != `{"amount":2}` {
		t.Errorf("asks with %s (%v)", asked.Mastra.SuspendPayload, err)
	}
	s.restart()
	requests := len(s.model.asked())
	decide := protocolResume(map[string]any{"interruptId": "x", "status": "resolved", "payload": map[string]any{"approved": true}})
	const signed = `{"said":"signed","slip":{"amount":2}}`
	for _, want := range []string{signed + " " + signed, signed} { // told when it is written and at the end, then at the end
		events = s.run(s.input("t1", "", decide))
		text := ""
		for _, ev := range events {
			if c, ok := ev.(*agui.TextMessageChunk); ok {
				text += *c.Delta
			}
		}
		if text != "Signed." {
			t.Errorf("says %q in %s", text, types(events))
		}
		if got := states(events); got != want {
			t.Errorf("shows %s, want %s", got, want)
		}
	}
	if n := len(s.model.asked()); n != requests {
		t.Errorf("the model was asked %d times more", n-requests)
	}
}

// TestLastStepThatFails: the run fails and says so, nothing of it is shared, and a
// decision it failed on is not carried out again; the thread goes on.
func TestLastStepThatFails(t *testing.T) {
	type paper struct {
		Said string `json:"said,omitempty"`
	}
	ran, fails := 0, true
	after := agenthost.NewTool("sign", "", func(_ context.Context, call agenthost.Call[paper]) (any, error) {
		if ran++; call.Resume == nil && !fails {
			return nil, agenthost.Suspend("?")
		}
		call.Share("said", "signed")
		return nil, agenthost.Refuse("The pen is dry.")
	})
	after.Resume = agenthost.SchemaOf[struct{}]()
	s := newAgentService(t, &agenthost.Agent{Name: "desk", Instructions: "Sign.", Shared: agenthost.SchemaOf[paper](), After: after})
	failed := func(events []agui.Event) {
		t.Helper()
		if e, ok := events[len(events)-1].(*agui.RunError); !ok || e.Code != "last_step_failed" || strings.Contains(e.Message, "pen") || states(events) != "" {
			t.Errorf("%s, %+v, state %s", types(events), e, states(events))
		}
	}
	s.model.says(modelAnswer{text: "Well."})
	failed(s.run(s.input("t1", "sign")))
	fails = false
	s.model.says(modelAnswer{text: "Well."})
	if got := types(s.run(s.input("t1", "sign"))); got != "RUN_STARTED TEXT_MESSAGE_CHUNK+ CUSTOM RUN_FINISHED" {
		t.Fatal(got)
	}
	key := s.lastInterrupt("t1").InterruptKey
	for range 2 {
		failed(s.run(s.input("t1", "", answers(key.RunID+"::"+key.ToolCallID+"={}"))))
	}
	if ran != 3 {
		t.Errorf("ran %d times", ran)
	}
	s.model.says(modelAnswer{text: "Well."})
	if got := types(s.run(s.input("t1", "and now?"))); got != "RUN_STARTED TEXT_MESSAGE_CHUNK+ CUSTOM RUN_FINISHED" {
		t.Error(got)
	}
	asked := s.model.asked()
	if heard := asked[len(asked)-1].Messages; len(heard) != 4 || !strings.Contains(heard[2].Content, "pen is dry") {
		t.Errorf("the model hears %+v", heard)
	}
}
