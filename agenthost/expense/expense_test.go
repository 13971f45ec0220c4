package expense_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"

	"cairn/agenthost"
	"cairn/agenthost/dialect"
	"cairn/agenthost/expense"
	"cairn/agenthost/scriptedmodel"
	"cairn/agenthost/sqlite"
	"cairn/agui"
	"cairn/agui/sse"
)

// service is the copilot at work.
type service struct {
	t    *testing.T
	url  string
	runs int
}

func newService(t *testing.T) *service {
	t.Helper()
	return serve(t, scriptedmodel.New(scriptedmodel.Config{NoDelay: true}))
}

// serve serves the copilot on a model.
func serve(t *testing.T, h http.Handler) *service {
	t.Helper()
	model := httptest.NewServer(h)
	t.Cleanup(model.Close)
	store, err := sqlite.Open(context.Background(), filepath.Join(t.TempDir(), "agent.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = store.Close() })
	host, err := agenthost.New(agenthost.Config{Token: "t", Store: store, Agents: map[string]*agenthost.Agent{expense.Topic: expense.New()},
		Model: agenthost.ModelConfig{BaseURL: model.URL + "/v1"}})
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(host)
	t.Cleanup(server.Close)
	return &service{t: t, url: server.URL + "/agent/" + expense.Topic}
}

// talk is a conversation as a client keeps it: the last snapshot of the messages.
type talk struct {
	*service
	thread   string
	messages []agui.Message
}

func (s *service) talk(thread string) *talk { return &talk{service: s, thread: thread} }

func (c *talk) say(text string) []agui.Event {
	c.messages = append(c.messages, agui.Message{ID: "u-" + text, Role: agui.RoleUser, Content: agui.TextContent(text)})
	return c.run(nil)
}

func (c *talk) run(resume []agui.ResumeEntry) []agui.Event {
	c.t.Helper()
	c.runs++
	body, err := json.Marshal(map[string]any{"threadId": c.thread, "runId": fmt.Sprint("run-", c.runs), "messages": c.messages,
		"state": map[string]any{"expense": map[string]any{"vendor": "the client's"}}, "tools": []any{}, "context": []any{}, "forwardedProps": map[string]any{}, "resume": resume})
	if err != nil {
		c.t.Fatal(err)
	}
	req, err := http.NewRequest(http.MethodPost, c.url, bytes.NewReader(body))
	if err != nil {
		c.t.Fatal(err)
	}
	req.Header.Set("X-Internal-Token", "t")
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		c.t.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	var events []agui.Event
	for r := sse.NewReader(res.Body, sse.Limits{}); ; {
		frame, err := r.Next()
		if err != nil {
			break
		}
		ev, err := agui.Decode([]byte(frame.Data))
		if err != nil {
			c.t.Fatal(err)
		}
		if m, ok := ev.(*agui.MessagesSnapshot); ok {
			c.messages = m.Messages
		}
		events = append(events, ev)
	}
	if len(events) == 0 {
		c.t.Fatalf("status %d", res.StatusCode)
	}
	return events
}

func (c *talk) decide(in agui.Interrupt, payload string) []agui.Event {
	return c.run([]agui.ResumeEntry{decision(in, payload)})
}

// decision answers a question; no payload is a person who declined to answer.
func decision(in agui.Interrupt, payload string) agui.ResumeEntry {
	if payload == "" {
		return agui.ResumeEntry{InterruptID: in.ID, Status: agui.ResumeCancelled}
	}
	return agui.ResumeEntry{InterruptID: in.ID, Status: agui.ResumeResolved, Payload: json.RawMessage(payload)}
}

// last is the newest event of a type.
func last[E agui.Event](t *testing.T, events []agui.Event) E {
	t.Helper()
	for i := len(events) - 1; i >= 0; i-- {
		if ev, ok := events[i].(E); ok {
			return ev
		}
	}
	var none E
	t.Fatalf("no %T", none)
	return none
}

func asked(t *testing.T, events []agui.Event) agui.Interrupt {
	t.Helper()
	out := last[*agui.RunFinished](t, events).Outcome
	if out == nil || len(out.Interrupts) != 1 {
		t.Fatalf("asks %+v", out)
	}
	return out.Interrupts[0]
}

func results(events []agui.Event) (list []string) {
	for _, ev := range events {
		if r, ok := ev.(*agui.ToolCallResult); ok {
			list = append(list, r.Content.Text())
		}
	}
	return list
}

func (c *talk) answer() string { return c.messages[len(c.messages)-1].Content.Text() }

const (
	dinner   = "File a team dinner expense: $220 at Blue Finch Bistro, 6 attendees"
	filled   = `{"expense":{"amount_usd":220,"category":"meals","memo":"Team dinner, 6 attendees","vendor":"Blue Finch Bistro"}}`
	filed    = "Expense recorded: $220.00 to Blue Finch Bistro (meals), queued for reimbursement."
	approved = `{"approved":true}`
)

// TestDecisions: what becomes of an expense by the answer, each time it is given.
func TestDecisions(t *testing.T) {
	s := newService(t)
	for _, tc := range []struct{ name, payload, result, says, state string }{
		{"approved", approved, filed, "has been submitted", filled},
		{"declined", `{"approved":false}`, "", "not submitted, as you declined", filled},
		{"cancelled", "", "", "not submitted, as you declined", filled},
		{"changed", `{"approved":true,"expense":{"vendor":"Blue Finch Bistro","category":"meals","amount_usd":90}}`,
			"Expense recorded: $90.00 to Blue Finch Bistro (meals), queued for reimbursement.", "has been submitted",
			`{"expense":{"amount_usd":90,"category":"meals","vendor":"Blue Finch Bistro"}}`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			c := s.talk(tc.name)
			events := c.say(dinner)
			in := asked(t, events)
			if state := events[2].(*agui.StateSnapshot).Snapshot; string(state) != `{"expense":{}}` {
				t.Errorf("begins with %s", state)
			}
			if state := last[*agui.StateSnapshot](t, events).Snapshot; string(state) != filled {
				t.Errorf("state %s", state)
			}
			if len(results(events)) != 0 {
				t.Error("done before it was decided")
			}
			events = c.decide(in, tc.payload)
			if got := strings.Join(results(events), "; "); got != tc.result {
				t.Errorf("result %q, want %q", got, tc.result)
			}
			if !strings.Contains(c.answer(), tc.says) {
				t.Errorf("says %q", c.answer())
			}
			if state := last[*agui.StateSnapshot](t, events).Snapshot; string(state) != tc.state {
				t.Errorf("state %s, want %s", state, tc.state)
			}
			refused := false
			for _, m := range c.messages {
				refused = refused || m.Role == agui.RoleTool && m.Content.Text() == dialect.Rejected
			}
			if refused != (tc.result == "") {
				t.Errorf("rejection among the messages: %t", refused)
			}
			if got := strings.Join(results(c.decide(in, tc.payload)), "; "); got != tc.result {
				t.Errorf("again %q, want %q", got, tc.result)
			}
		})
	}
}

// TestBadDecisions: a decision that does not fit leaves the question open.
func TestBadDecisions(t *testing.T) {
	c := newService(t).talk("t")
	in := asked(t, c.say(dinner))
	for _, payload := range []string{`{}`, `true`, `{"approved":"yes"}`, `{"approved":true,"expense":{"vendor":"","category":"meals","amount_usd":1}}`,
		`{"approved":true,"expense":{"vendor":"A","category":"meals","amount_usd":0}}`, `{"approved":true,"amount_usd":1}`} {
		if ev := last[*agui.RunError](t, c.decide(in, payload)); ev.Code != "invalid_resume" {
			t.Errorf("%s: %s", payload, ev.Code)
		}
	}
	if got := strings.Join(results(c.decide(in, approved)), ""); got != filed {
		t.Errorf("afterwards %q", got)
	}
}

// TestPolicy: from the tool, and from the researcher, who is given it.
func TestPolicy(t *testing.T) {
	s := newService(t)
	c := s.talk("lookup")
	if got := results(c.say("What is the expense policy for equipment?")); len(got) != 1 || got[0] != "The limit for equipment is $800; a receipt is needed for every amount." {
		t.Errorf("%q", got)
	}
	c = s.talk("research")
	events := c.say("I want to file $900 of conference travel; research the policy first")
	if child := last[*agui.SubagentStarted](t, events); child.Name != "policy_researcher" || !strings.HasPrefix(child.Description, "travel, $900.00. The limit for travel is $1500;") {
		t.Errorf("%+v", child)
	}
	if got := results(events); len(got) != 1 || strings.Count(got[0], "- ") != 3 || !strings.Contains(got[0], "1,500") {
		t.Errorf("%q", got)
	}
	for category, want := range map[string]string{
		" Meals": "The limit for meals is $300; a receipt is needed above $25.",
		"yachts": "There is no limit of its own for yachts: the general limit is $200 with a receipt.",
		"":       "There is no limit of its own for this: the general limit is $200 with a receipt.",
	} {
		if got := expense.Policy(category); got != want {
			t.Errorf("%q: %s", category, got)
		}
	}
}
