package expense_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"cairn/agenthost"
	"cairn/agenthost/dialect"
	"cairn/agenthost/expense"
	"cairn/agenthost/hosttest"
	"cairn/agui"
)

// talk is a conversation of a client that makes a state up.
func talk(t *testing.T, s *hosttest.Service, thread string) *hosttest.Talk {
	c := s.Talk(t, expense.Topic, thread)
	c.Claims = json.RawMessage(`{"expense":{"vendor":"the client's"}}`)
	return c
}

// serve serves the copilot on a model.
func serve(t *testing.T, model http.Handler) *hosttest.Service {
	t.Helper()
	return hosttest.Serve(t, map[string]*agenthost.Agent{expense.Topic: expense.New()}, model)
}

const (
	dinner   = "File a team dinner expense: $220 at Blue Finch Bistro, 6 attendees"
	filled   = `{"expense":{"amount_usd":220,"category":"meals","memo":"Team dinner, 6 attendees","vendor":"Blue Finch Bistro"}}`
	filed    = "Expense recorded: $220.00 to Blue Finch Bistro (meals), queued for reimbursement."
	approved = `{"approved":true}`
)

// TestDecisions: what becomes of an expense by the answer, each time it is given.
func TestDecisions(t *testing.T) {
	s := serve(t, hosttest.Scripted())
	for _, tc := range []struct{ name, payload, result, says, state string }{
		{"approved", approved, filed, "has been submitted", filled},
		{"declined", `{"approved":false}`, "", "not submitted, as you declined", filled},
		{"cancelled", "", "", "not submitted, as you declined", filled},
		{"changed", `{"approved":true,"expense":{"vendor":"Blue Finch Bistro","category":"meals","amount_usd":90}}`,
			"Expense recorded: $90.00 to Blue Finch Bistro (meals), queued for reimbursement.", "has been submitted",
			`{"expense":{"amount_usd":90,"category":"meals","vendor":"Blue Finch Bistro"}}`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			c := talk(t, s, tc.name)
			events := c.Say(dinner)
			in := hosttest.Asked(t, events, 1)[0]
			if state := events[2].(*agui.StateSnapshot).Snapshot; string(state) != `{"expense":{}}` {
				t.Errorf("begins with %s", state)
			}
			if state := hosttest.Last[*agui.StateSnapshot](t, events).Snapshot; string(state) != filled {
				t.Errorf("state %s", state)
			}
			if len(hosttest.Results(events)) != 0 {
				t.Error("done before it was decided")
			}
			events = c.Decide(hosttest.Decision(in, tc.payload))
			if got := strings.Join(hosttest.Results(events), "; "); got != tc.result {
				t.Errorf("result %q, want %q", got, tc.result)
			}
			if !strings.Contains(c.LastWord(), tc.says) {
				t.Errorf("says %q", c.LastWord())
			}
			if state := hosttest.Last[*agui.StateSnapshot](t, events).Snapshot; string(state) != tc.state {
				t.Errorf("state %s, want %s", state, tc.state)
			}
			refused := false
			for _, m := range c.Messages {
				refused = refused || m.Role == agui.RoleTool && m.Content.Text() == dialect.Rejected
			}
			if refused != (tc.result == "") {
				t.Errorf("rejection among the messages: %t", refused)
			}
			if got := strings.Join(hosttest.Results(c.Decide(hosttest.Decision(in, tc.payload))), "; "); got != tc.result {
				t.Errorf("again %q, want %q", got, tc.result)
			}
		})
	}
}

// TestBadDecisions: a decision that does not fit leaves the question open.
func TestBadDecisions(t *testing.T) {
	c := talk(t, serve(t, hosttest.Scripted()), "t")
	in := hosttest.Asked(t, c.Say(dinner), 1)[0]
	for _, payload := range []string{`{}`, `true`, `{"approved":"yes"}`, `{"approved":true,"expense":{"vendor":"","category":"meals","amount_usd":1}}`,
		`{"approved":true,"expense":{"vendor":"A","category":"meals","amount_usd":0}}`, `{"approved":true,"amount_usd":1}`} {
		if ev := hosttest.Last[*agui.RunError](t, c.Decide(hosttest.Decision(in, payload))); ev.Code != "invalid_resume" {
			t.Errorf("%s: %s", payload, ev.Code)
		}
	}
	if got := strings.Join(hosttest.Results(c.Decide(hosttest.Decision(in, approved))), ""); got != filed {
		t.Errorf("afterwards %q", got)
	}
}

// TestPolicy: from the tool, and from the researcher, who is given it.
func TestPolicy(t *testing.T) {
	s := serve(t, hosttest.Scripted())
	c := talk(t, s, "lookup")
	if got := hosttest.Results(c.Say("What is the expense policy for equipment?")); len(got) != 1 || got[0] != "The limit for equipment is $800; a receipt is needed for every amount." {
		t.Errorf("%q", got)
	}
	c = talk(t, s, "research")
	events := c.Say("I want to file $900 of conference travel; research the policy first")
	if child := hosttest.Last[*agui.SubagentStarted](t, events); child.Name != "policy_researcher" || !strings.HasPrefix(child.Description, "travel, $900.00. The limit for travel is $1500;") {
		t.Errorf("%+v", child)
	}
	if got := hosttest.Results(events); len(got) != 1 || strings.Count(got[0], "- ") != 3 || !strings.Contains(got[0], "1,500") {
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
