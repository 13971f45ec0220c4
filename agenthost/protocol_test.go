package agenthost_test

import (
	"context"
	"encoding/json"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"cairn/agentclient"
	"cairn/agentclient/interrupt"
	"cairn/agenthost"
	"cairn/agenthost/hosttest"
	"cairn/agenthost/sqlite"
	"cairn/agenthost/trip"
	"cairn/agenthost/trip/ledger"
	"cairn/agui"
	"cairn/internal/probe"
)

// plainAgent has every kind of tool, a child and a working memory, and speaks the
// default dialect.
func plainAgent() *agenthost.Agent {
	type none struct{}
	look := agenthost.NewTool("look", "", func(context.Context, agenthost.Call[none]) (any, error) { return "a bear", nil })
	agent := &agenthost.Agent{Name: "plain", Instructions: "Go.", Tools: []*agenthost.Tool{look},
		Children: []*agenthost.Agent{{Name: "scout", Description: "Looks.", Instructions: "Look.", Tools: []*agenthost.Tool{look}}},
		Memory: agenthost.SchemaOf[struct {
			N int `json:"n"`
		}]()}
	for _, name := range []string{"pay", "book"} {
		tool := agenthost.NewTool(name, "", func(_ context.Context, c agenthost.Call[none]) (any, error) {
			if c.Resume == nil {
				return nil, agenthost.Suspend(map[string]string{"question": name + "?"})
			}
			var a trip.Approval
			if err := c.Resume.Decode(&a); err != nil || !a.Approved {
				return name + ": no", err
			}
			return name + ": yes", nil
		})
		tool.Resume = agenthost.SchemaOf[trip.Approval]()
		agent.Tools = append(agent.Tools, tool)
	}
	return agent
}

// TestProtocolEvents has the order of events of the default dialect. hosttest verifies
// each run strictly.
func TestProtocolEvents(t *testing.T) {
	const (
		called = "TOOL_CALL_START TOOL_CALL_ARGS TOOL_CALL_END"
		said   = "TEXT_MESSAGE_START TEXT_MESSAGE_CONTENT TEXT_MESSAGE_END"
	)
	call := func(id, name, args string) string {
		raw, _ := json.Marshal(args)
		return `{"index":` + id[1:] + `,"id":"` + id + `","function":{"name":"` + name + `","arguments":` + string(raw) + `}}`
	}
	calls := func(list ...string) string { return `"tool_calls":[` + strings.Join(list, ",") + `]` }
	type turn struct {
		model     []string
		decisions []string // in the order of the interrupts, "" to cancel; nil says something
		tools     string   // the client offers one
		want      string
	}
	for _, tc := range []struct {
		name  string
		turns []turn
	}{
		{"text", []turn{{model: []string{`"content":"Hi."`}, want: said}}},
		{"tool", []turn{{model: []string{`"content":"Let me look.",` + calls(call("c0", "look", "{}")), `"content":"A bear."`},
			want: said + " " + called + " TOOL_CALL_RESULT " + said}}},
		{"two tools", []turn{{model: []string{calls(call("c0", "look", "{}"), call("c1", "look", "{}")), `"content":"Bears."`},
			want: called + " " + called + " TOOL_CALL_RESULT TOOL_CALL_RESULT " + said}}},
		{"memory", []turn{{model: []string{calls(call("c0", "updateWorkingMemory", `{"memory":{"n":2}}`)), `"content":"Two."`},
			want: "STATE_SNAPSHOT STATE_DELTA " + said + " STATE_SNAPSHOT"}}},
		{"child", []turn{{model: []string{calls(call("c0", "agent-scout", `{"prompt":"go"}`)), calls(call("c1", "look", "{}")), `"content":"A bear."`, `"content":"Run."`},
			want: called + " SUBAGENT_STARTED TOOL_CALL_START@sub TOOL_CALL_ARGS@sub TOOL_CALL_END@sub TOOL_CALL_RESULT@sub TEXT_MESSAGE_START@sub TEXT_MESSAGE_CONTENT@sub TEXT_MESSAGE_END@sub SUBAGENT_FINISHED TOOL_CALL_RESULT " + said}}},
		{"child fails", []turn{{model: []string{calls(call("c0", "agent-scout", `{"prompt":"go"}`)), "", `"content":"Lost."`},
			want: called + " SUBAGENT_STARTED SUBAGENT_ERROR TOOL_CALL_RESULT " + said}}},
		{"client tool", []turn{{tools: "beep", model: []string{`"content":"Beep.",` + calls(call("c0", "beep", `{"times":1}`))}, want: said + " " + called}}},
		{"approved", []turn{
			{model: []string{calls(call("c0", "pay", "{}"))}, want: called},
			{decisions: []string{`{"approved":true}`}, model: []string{`"content":"Paid."`}, want: "TOOL_CALL_RESULT " + said}}},
		{"several requests, declined and cancelled", []turn{
			{model: []string{`"content":"Shall I?",` + calls(call("c0", "pay", "{}"), call("c1", "book", "{}"), call("c2", "look", "{}"))},
				want: said + " " + called + " TOOL_CALL_RESULT " + called + " " + called},
			{decisions: []string{`{"approved":false}`, ""}, model: []string{`"content":"Fine."`}, want: "TOOL_CALL_RESULT TOOL_CALL_RESULT " + said}}},
		{"the model fails", []turn{{model: []string{calls(call("c0", "look", "{}")), ""}, want: called + " TOOL_CALL_RESULT RUN_ERROR"}}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			var model []string
			for _, turn := range tc.turns {
				model = append(model, turn.model...)
			}
			talk := hosttest.Serve(t, map[string]*agenthost.Agent{"plain": plainAgent()}, hosttest.Saying(model...)).Talk(t, "plain", "t1")
			var events []agui.Event
			for _, turn := range tc.turns {
				edit := func(in *agui.RunAgentInput) {
					if turn.tools != "" {
						in.Tools = []agui.Tool{{Name: turn.tools, Description: "Beeps."}}
					}
				}
				if turn.decisions == nil {
					talk.Messages = append(talk.Messages, agui.Message{ID: "u1", Role: agui.RoleUser, Content: agui.TextContent("go")})
				} else {
					asked := hosttest.Asked(t, events, len(turn.decisions))
					edit = func(in *agui.RunAgentInput) {
						for i, d := range turn.decisions {
							in.Resume = append(in.Resume, hosttest.Decision(asked[i], d))
						}
					}
				}
				events = talk.Run(edit)
				want := "RUN_STARTED " + turn.want
				if !strings.HasSuffix(want, "RUN_ERROR") {
					want += " RUN_FINISHED"
				}
				if got := strings.ReplaceAll(types(events), "+", ""); got != want {
					t.Errorf("\n got %s\nwant %s", got, want)
				}
				checkAttribution(t, events)
			}
		})
	}
}

// checkAttribution checks the members that are easily forgotten.
func checkAttribution(t *testing.T, events []agui.Event) {
	t.Helper()
	texts, opened := map[string]bool{}, map[string]bool{}
	for _, ev := range events {
		switch e := ev.(type) {
		case *agui.RunStarted:
			if e.ProtocolVersion != agui.ProtocolVersion {
				t.Errorf("version %q", e.ProtocolVersion)
			}
		case *agui.TextMessageStart:
			if texts[e.MessageID] {
				t.Errorf("message %s is opened twice", e.MessageID)
			}
			texts[e.MessageID] = true
		case *agui.ToolCallStart:
			if e.ParentMessageID == "" {
				t.Errorf("call %s has no message", e.ToolCallID)
			}
			opened[e.ToolCallID] = true
		case *agui.ToolCallResult:
			if e.Role != agui.RoleTool || !json.Valid([]byte(e.Content.Text())) {
				t.Errorf("result %+v", e)
			}
			delete(opened, e.ToolCallID)
		case *agui.SubagentStarted:
			if e.Name != "scout" || e.ParentToolCallID == "" || e.ParentMessageID == "" || e.Description == "" {
				t.Errorf("subagent %+v", e)
			}
		case *agui.RunFinished:
			if e.Outcome == nil {
				t.Fatal("a run without an outcome")
			}
			waits := e.Outcome.PendingToolCallIDs
			for _, in := range e.Outcome.Interrupts {
				waits = append(waits, in.ToolCallID)
				if in.ID == "" || in.Reason != "tool_call" || in.Message == "" || !strings.Contains(string(in.ResponseSchema), "approved") ||
					!strings.Contains(string(in.Metadata["payload"]), "?") {
					t.Errorf("interrupt %+v", in)
				}
			}
			for _, id := range waits {
				if !opened[id] {
					t.Errorf("%s was not called, or has a result", id)
				}
				delete(opened, id)
			}
			if len(opened) > 0 {
				t.Errorf("calls without a result: %v", opened)
			}
		}
	}
}

// TestProtocolDecisions: a wrong, late or repeated answer of the default dialect ends
// as the guide lists it.
func TestProtocolDecisions(t *testing.T) {
	agent := plainAgent()
	agent.Tools[1].DecideWithin = time.Nanosecond // pay
	pay := `"tool_calls":[{"index":0,"id":"c1","function":{"name":"pay","arguments":"{}"}}]`
	book := strings.ReplaceAll(pay, "pay", "book")
	host := hosttest.Serve(t, map[string]*agenthost.Agent{"plain": agent}, hosttest.Saying(pay, book, `"content":"Booked."`))
	code := func(events []agui.Event) string { return hosttest.Last[*agui.RunError](t, events).Code }
	answer := func(q agui.Interrupt, payload string) func(*agui.RunAgentInput) {
		return func(in *agui.RunAgentInput) { in.Resume = []agui.ResumeEntry{hosttest.Decision(q, payload)} }
	}
	const yes = `{"approved":true}`

	late := host.Talk(t, "plain", "late")
	asked := hosttest.Asked(t, late.Say("pay"), 1)[0]
	if asked.ExpiresAt == "" {
		t.Error("no expiresAt")
	}
	if got := code(late.Run(answer(asked, yes))); got != "interrupt_expired" {
		t.Error(got)
	}
	talk := host.Talk(t, "plain", "t1")
	asked = hosttest.Asked(t, talk.Say("book"), 1)[0]
	if got := code(talk.Run(nil)); got != "interrupt_pending" {
		t.Error(got)
	}
	if got := code(talk.Run(answer(asked, "7"))); got != "invalid_resume" {
		t.Error(got)
	}
	for range 2 { // the second runs nothing
		if got := hosttest.Results(talk.Run(answer(asked, yes))); len(got) != 1 || got[0] != `"book: yes"` {
			t.Error(got)
		}
	}
	if got := code(talk.Run(answer(asked, `{"approved":false}`))); got != "interrupt_already_resolved" {
		t.Error(got)
	}
}

// planner serves the trip planner in the default dialect, on the model without a key.
func planner(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "agent.db")
	store, err := sqlite.Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = store.Close() })
	bookings, err := ledger.Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = bookings.Close() })
	model := httptest.NewServer(hosttest.Scripted())
	t.Cleanup(model.Close)
	agent := trip.New(bookings)
	agent.Dialect = nil
	host, err := agenthost.New(agenthost.Config{Token: testToken, Agents: map[string]*agenthost.Agent{"plain": agent}, Store: store,
		Model: agenthost.ModelConfig{BaseURL: model.URL + "/v1"}})
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(host)
	t.Cleanup(server.Close)
	return server.URL + "/agent/plain"
}

// TestProtocolProbe: the probe finds every surface in the default dialect, and no
// violation.
func TestProtocolProbe(t *testing.T) {
	t.Parallel()
	s, err := probe.LoadScenario("mastra")
	if err != nil {
		t.Fatal(err)
	}
	s.Name, s.Transport = "plain", interrupt.TransportProtocol
	rec, err := probe.Run(t.Context(), probe.Config{URL: planner(t), Token: testToken, Scenario: s,
		Profile: interrupt.Profile{Payload: []string{"native.metadata.payload"}}})
	if err != nil {
		t.Fatal(err)
	}
	m := probe.Evaluate(rec)
	for _, s := range m.Surfaces {
		if s.Name == probe.SurfaceConcurrency {
			continue // it needs a model that is slower than the probe
		}
		if s.Status != probe.Supported || s.Cause != probe.CauseNone {
			t.Errorf("%+v", s)
		}
	}
	if len(m.Violations) > 0 || m.Broken() || len(m.Surfaces) < 8 {
		t.Errorf("%d surfaces, violations %v", len(m.Surfaces), m.Violations)
	}
}

// TestProtocolStrictClient: a strict client reads a run of the default dialect.
func TestProtocolStrictClient(t *testing.T) {
	client, err := agentclient.New(agentclient.Config{URL: planner(t), Token: testToken, Strict: true})
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, err := range client.Run(t.Context(), agui.RunAgentInput{ThreadID: "t1", RunID: "r1",
		Messages: []agui.Message{{ID: "u1", Role: agui.RoleUser, Content: agui.TextContent("What is the weather forecast for North Pines this weekend?")}}}) {
		if n++; err != nil {
			t.Fatal(err)
		}
	}
	if n < 10 {
		t.Errorf("%d events", n)
	}
}
