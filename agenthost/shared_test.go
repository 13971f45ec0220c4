package agenthost_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"cairn/agenthost"
	"cairn/agenthost/dialect"
	"cairn/agui"
)

// desk is an agent whose tools share a state and whose last step waits for a
// decision on what they drafted.
func desk() *agenthost.Agent {
	type slip struct {
		Amount int `json:"amount"`
	}
	type paper struct {
		Slip *slip  `json:"slip,omitempty"`
		Said string `json:"said,omitempty"`
	}
	type answer struct {
		Approved bool `json:"approved"`
	}
	draft := agenthost.NewTool("draft", "", func(_ context.Context, call agenthost.Call[slip]) (any, error) {
		var before slip
		if has, err := call.Shared("slip", &before); err != nil || has {
			return nil, agenthost.Refuse("One at a time.")
		}
		call.Share("slip", call.Args)
		return "drafted", nil
	})
	fail := agenthost.NewTool("fail", "", func(_ context.Context, call agenthost.Call[slip]) (any, error) {
		call.Share("slip", call.Args)
		return nil, errors.New("no")
	})
	after := agenthost.NewTool("sign", "", func(_ context.Context, call agenthost.Call[paper]) (any, error) {
		switch {
		case call.Args.Slip == nil:
			return nil, nil
		case call.Resume == nil:
			call.Share("said", "asked")
			return nil, agenthost.Suspend(call.Args.Slip)
		}
		var a answer
		if err := call.Resume.Decode(&a); err != nil {
			return nil, err
		}
		call.Share("said", "signed")
		return "Signed.", nil
	})
	after.Resume = agenthost.SchemaOf[answer]()
	return &agenthost.Agent{Name: "desk", Instructions: "Draft.", Tools: []*agenthost.Tool{draft, fail},
		Shared: agenthost.SchemaOf[paper](), After: after, Dialect: bareAnswers{}}
}

// bareAnswers is Mastra's dialect, but an answer does not say what it is to.
type bareAnswers struct{ dialect.Mastra }

func (d bareAnswers) Answers(in agui.RunAgentInput) ([]dialect.Answer, error) {
	list, err := d.Mastra.Answers(in)
	for i := range list {
		list[i].Interrupt = ""
	}
	return list, err
}

func slipCall(name, amount string) modelAnswer {
	return modelAnswer{calls: []modelCall{{"call_" + name, name, `{"amount":` + amount + `}`}}}
}

// states are the snapshots of a run.
func states(events []agui.Event) string {
	var list []string
	for _, ev := range events {
		if s, ok := ev.(*agui.StateSnapshot); ok {
			list = append(list, string(s.Snapshot))
		}
	}
	return strings.Join(list, " ")
}

// TestShared: what tools share is kept and shown, is not taken from a client, and
// is forgotten when the tool fails.
func TestShared(t *testing.T) {
	agent := desk()
	agent.After = nil
	s := newAgentService(t, agent)
	claims := func(in map[string]any) { in["state"] = map[string]any{"slip": map[string]any{"amount": 9}} }

	s.model.says(slipCall("fail", "1"), modelAnswer{text: "No."})
	if got := states(s.run(s.input("t1", "fail", claims))); got != "" {
		t.Errorf("after a failed call: %s", got)
	}
	s.model.says(slipCall("draft", "2"), modelAnswer{text: "Done."})
	events := s.run(s.input("t1", "draft", claims))
	if got, want := types(events), "RUN_STARTED TOOL_CALL_START TOOL_CALL_ARGS TOOL_CALL_END TOOL_CALL_RESULT STATE_SNAPSHOT TEXT_MESSAGE_CHUNK+ STATE_SNAPSHOT RUN_FINISHED"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if got, want := states(events), `{"slip":{"amount":2}} {"slip":{"amount":2}}`; got != want {
		t.Errorf("shows %s, want %s", got, want)
	}
	s.restart()
	s.model.says(slipCall("draft", "3"), modelAnswer{text: "No."})
	events = s.run(s.input("t1", "again"))
	if got := find[*agui.ToolCallResult](t, events).Content.Text(); !strings.Contains(got, "One at a time.") {
		t.Errorf("a tool does not see what another shared: %s", got)
	}
	if got, want := states(events), `{"slip":{"amount":2}}`; got != want {
		t.Errorf("a refused call shows %s, want %s", got, want)
	}
}

// TestAfter: the last step asks when the model has answered, and its value ends the
// run without the model, once.
func TestAfter(t *testing.T) {
	s := newAgentService(t, desk())
	s.model.says(modelAnswer{text: "Hello."})
	if got := types(s.run(s.input("t1", "hello"))); got != "RUN_STARTED TEXT_MESSAGE_CHUNK+ RUN_FINISHED" {
		t.Errorf("nothing to sign: %s", got)
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
	for range 2 {
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
		if got, want := states(events[len(events)-2:]), `{"said":"signed","slip":{"amount":2}}`; got != want {
			t.Errorf("shows %s at the end, want %s", got, want)
		}
	}
	if n := len(s.model.asked()); n != requests {
		t.Errorf("the model was asked %d times more", n-requests)
	}
}

// TestHandover: a child can be a tool of its own name and arguments.
func TestHandover(t *testing.T) {
	type route struct {
		From string `json:"from"`
		To   string `json:"to"`
	}
	agent := &agenthost.Agent{Name: "parent", Instructions: "Delegate.", Children: []*agenthost.Agent{{
		Name: "scout", Description: "Looks.", Instructions: "Look.",
		As: agenthost.NewHandover("scout_route", "Has a way looked at.", func(r route) string { return "From " + r.From + " to " + r.To + "." }),
	}}}
	s := newAgentService(t, agent)
	s.model.says(modelAnswer{calls: []modelCall{{"call_1", "scout_route", `{"from":"A","to":"B"}`}}}, modelAnswer{text: "Fine."}, modelAnswer{text: "Go."},
		modelAnswer{calls: []modelCall{{"call_2", "scout_route", `{"from":"A"}`}}}, modelAnswer{text: "Sorry."})
	if got := types(s.run(s.input("t1", "way"))); got != "RUN_STARTED "+told+says+returns+answered {
		t.Error(got)
	}
	asked := s.model.asked()
	if got := asked[1].last(); got != "From A to B." {
		t.Errorf("the child is told %q", got)
	}
	if got := asked[0].Tools[0].Function.Name; got != "scout_route" {
		t.Errorf("the model is offered %q", got)
	}
	if got := find[*agui.ToolCallResult](t, s.run(s.input("t1", "way"))).Content.Text(); !strings.Contains(got, "validation failed") {
		t.Errorf("bad arguments give %s", got)
	}
}
