package agenthost_test

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"testing"

	"cairn/agenthost"
	"cairn/agenthost/dialect"
	"cairn/agenthost/trip"
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
		t.Errorf("bad arguments give %s", got)
	}
}

// TestSharedWithAQuestionNobodyHears: the client left while a tool asked. Neither the
// question nor the state that shows it is kept, so that no page waits for a decision
// that nobody can make.
func TestSharedWithAQuestionNobodyHears(t *testing.T) {
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
// failure, which the model hears of and the thread outlives; nobody is asked with it.
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
