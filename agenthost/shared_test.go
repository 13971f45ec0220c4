package agenthost_test

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"testing"

	"cairn/agenthost"
	"cairn/agenthost/trip"
	"cairn/agui"
)

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

// TestSharedWithoutAQuestion: a tool that may ask and does not, and a last step that
// speaks at once, show what they share like any other.
func TestSharedWithoutAQuestion(t *testing.T) {
	type paper struct {
		Said string `json:"said,omitempty"`
	}
	tool := func(name, value string) *agenthost.Tool {
		tool := agenthost.NewTool(name, "", func(_ context.Context, call agenthost.Call[paper]) (any, error) {
			call.Share("said", name)
			return value, nil
		})
		tool.Resume = agenthost.SchemaOf[struct{}]()
		return tool
	}
	s := newAgentService(t, &agenthost.Agent{Name: "desk", Instructions: "Say.", Shared: agenthost.SchemaOf[paper](),
		Tools: []*agenthost.Tool{tool("say", "said")}, After: tool("sign", " Signed.")})
	s.model.says(modelAnswer{calls: []modelCall{{"call_s", "say", "{}"}}}, modelAnswer{text: "Well."})
	events := s.run(s.input("t1", "say"))
	if got, want := states(events), `{"said":"say"} {"said":"sign"} {"said":"sign"}`; got != want || text(events) != "Well. Signed." {
		t.Errorf("shows %s and says %q", got, text(events))
	}
}

// TestSharedStateOfAnUnsentQuestion: the client left while a tool asked. Neither the
// question nor the state that shows it is kept, so that no page waits for a decision
// that nobody can make.
func TestSharedStateOfAnUnsentQuestion(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	var served context.Context
	type note struct {
		Waits bool `json:"waits"`
	}
	tool := agenthost.NewTool("ask", "", func(_ context.Context, call agenthost.Call[struct{}]) (any, error) {
		call.Share("waits", call.Resume == nil)
		cancel()
		<-served.Done()
		return nil, agenthost.Suspend("?")
	})
	tool.Resume = agenthost.SchemaOf[struct{}]()
	s := newAgentService(t, &agenthost.Agent{Name: "asker", Instructions: "Ask.", Tools: []*agenthost.Tool{tool}, Shared: agenthost.SchemaOf[note]()})
	inner := s.server.Config.Handler
	s.server.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		served = r.Context()
		inner.ServeHTTP(w, r)
	})
	s.model.says(modelAnswer{calls: []modelCall{{"call_a", "ask", "{}"}}})
	s.runUntilGone(ctx, s.input("t1", "ask"))
	s.restart()
	thread := agenthost.Thread{Agent: trip.Topic, ID: "t1"}
	state, err := s.store.Memory(t.Context(), thread)
	asked, err2 := s.store.Interrupts(t.Context(), thread)
	if err != nil || err2 != nil || (state != nil) != (len(asked) > 0) {
		t.Errorf("state %s and %d questions, %v %v", state, len(asked), err, err2)
	}
}

// TestSharedThatDoesNotFit: what is no JSON or not what the schema says is the tool's
// failure, which the model hears of and the thread outlives; there is no question with it.
func TestSharedThatDoesNotFit(t *testing.T) {
	type slip struct {
		Amount int `json:"amount"`
	}
	type paper struct {
		Slip *slip `json:"slip"`
	}
	for name, wrong := range map[string]any{"no JSON": func() {}, "another type": "text", "another member": nil} {
		member := "slip"
		if wrong == nil {
			member = "slop"
		}
		asks := false // the tool shares it when it asks, else when it has its answer
		tool := agenthost.NewTool("ask", "", func(_ context.Context, call agenthost.Call[struct{}]) (any, error) {
			if asks == (call.Resume == nil) {
				call.Share(member, wrong)
			}
			if call.Resume == nil {
				return nil, agenthost.Suspend("?")
			}
			return "done", nil
		})
		tool.Resume = agenthost.SchemaOf[struct{}]()
		s := newAgentService(t, &agenthost.Agent{Name: "asker", Instructions: "Ask.", Tools: []*agenthost.Tool{tool}, Shared: agenthost.SchemaOf[paper]()})
		call := modelAnswer{calls: []modelCall{{"call_a", "ask", "{}"}}}
		s.model.says(call)
		s.run(s.input("t1", "ask"))
		for range 2 { // the second time it is replayed
			s.model.says(modelAnswer{text: "Sorry."})
			events := s.run(s.input("t1", "", answers("run-1::call_a={}")))
			if got := find[*agui.ToolCallResult](t, events).Content.Text(); !strings.Contains(got, "ask failed") || states(events) != "" {
				t.Errorf("%s, when it was answered: %s, state %s", name, got, states(events))
			}
		}
		asks = true
		s = newAgentService(t, s.agent)
		s.model.says(call, modelAnswer{text: "Sorry."})
		events := s.run(s.input("t1", "ask"))
		if got := types(events); got != "RUN_STARTED TOOL_CALL_START TOOL_CALL_ARGS TOOL_CALL_END TOOL_CALL_RESULT TEXT_MESSAGE_CHUNK+ RUN_FINISHED" {
			t.Errorf("%s, when it asked: %s", name, got)
		}
	}
}

// TestChildSharesNothing: a child's tool has no part in the state of its parent.
func TestChildSharesNothing(t *testing.T) {
	type paper struct {
		Said string `json:"said,omitempty"`
	}
	say := agenthost.NewTool("say", "", func(_ context.Context, call agenthost.Call[struct{}]) (any, error) {
		var before string
		knows, err := call.Shared("said", &before)
		call.Share("said", "mine")
		return knows, err
	})
	agent := &agenthost.Agent{Name: "parent", Instructions: "Delegate.", Tools: []*agenthost.Tool{say}, Shared: agenthost.SchemaOf[paper](),
		Children: []*agenthost.Agent{{Name: "child", Description: "Says.", Instructions: "Say.", Tools: []*agenthost.Tool{say}}}}
	s := newAgentService(t, agent)
	said := modelAnswer{calls: []modelCall{{"call_s", "say", "{}"}}}
	s.model.says(said, modelAnswer{text: "Said."})
	s.run(s.input("t1", "say"))
	s.model.says(modelAnswer{calls: []modelCall{{"call_d", "agent-child", `{"prompt":"say"}`}}}, said, modelAnswer{text: "Said."}, modelAnswer{text: "Fine."})
	events := s.run(s.input("t1", "delegate"))
	if got := find[*agui.ToolCallResult](t, events).Content.Text(); got != "false" || states(events) != `{"said":"mine"}` {
		t.Errorf("the child knows: %s, state %s", got, states(events))
	}
}

// full is a store with no room for a state.
type full struct{ agenthost.Store }

func (full) SaveMemory(context.Context, agenthost.Thread, json.RawMessage) error {
	return errors.New("no room")
}

// TestSharedCannotBeKept: the run fails, and does not say of a call that was carried out
// that it was not.
func TestSharedCannotBeKept(t *testing.T) {
	agent := desk()
	s := newAgentService(t, agent)
	host, err := agenthost.New(agenthost.Config{Token: testToken, Agents: map[string]*agenthost.Agent{trip.Topic: agent},
		Model: agenthost.ModelConfig{BaseURL: s.model.server.URL}, Store: full{s.store}})
	if err != nil {
		t.Fatal(err)
	}
	s.server.Config.Handler = host
	s.model.says(slipCall("draft", "2"))
	events := s.run(s.input("t1", "draft"))
	if got := find[*agui.ToolCallResult](t, events).Content.Text(); got != `"drafted"` {
		t.Errorf("result %s", got)
	}
	if e := find[*agui.RunError](t, events); e.Code != "internal" || states(events) != "" {
		t.Errorf("%s, state %s", e.Code, states(events))
	}
}
