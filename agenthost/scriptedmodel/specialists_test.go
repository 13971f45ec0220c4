package scriptedmodel

import (
	"encoding/json"
	"strings"
	"testing"
)

// The instructions the demos' agents run with; what a runtime adds differs.
const (
	mastraForecaster  = "You are a weather forecaster. You are given a campsite and dates; answer with a forecast of three bullets. Be brief."
	strandsScheduler  = "You are a meeting scheduler for a small team.\nWhen you are asked when people are free, call research_availability with their names."
	strandsResearch   = "You are the availability researcher. You are given names and dates and answer\nin at most three short bullets when those people can meet."
	mafCopilot        = "You are an expense copilot. Answer in one short sentence.\n- When asked to research the policy, call research_policy first."
	mafResearch       = "You research the travel and expense policy for an expense copilot.\nAnswer with exactly three short bullets: the limit, the receipt, the risk."
	langgraphDesk     = "You are the refund desk of a small software company.\n- For a question about the refund policy, delegate with task to the refund_researcher."
	langgraphResearch = "You research the refund policy for the refund desk. The policy: Duplicate charges are refunded in full within 60 days. " +
		"Chargebacks are refunded once, after the bank's claim is attached. Unused time is refunded by the day. Every refund is approved by an operator.\nAnswer with at most three short bullets."
)

// TestSpecialists: a child answers as itself, whatever tools it has and whatever
// its parent's instructions say in a second system message.
func TestSpecialists(t *testing.T) {
	for _, c := range []struct{ name, system, second, tools, prompt, want string }{
		{"forecaster", mastraForecaster, plannerSays, `{"type":"function","function":{"name":"updateWorkingMemory"}}`, "Zion, Friday to Sunday", "- **Friday:**"},
		{"availability", strandsResearch, "", "", "When can Ada, Grace meet, next week? Answer in at most three bullets.", "Ada and Grace are all free"},
		{"availability, parent's words", strandsResearch, strandsScheduler, "", "When can Ada meet on Thursday?", "- **Thursday"},
		{"availability, named", "You help out.\nYour name is availability_researcher.", "", "", "Ada", "three"},
		{"policy", mafResearch, "", "", "travel, $900.00. The limit for travel is $1500; a receipt is needed for every amount.", "- **Limit:** up to $1,500.00 an expense, so $900.00 is within it"},
		{"policy, above", mafResearch, mafCopilot, "", "meals, $301.", "so $301.00 needs a manager's approval"},
		{"refund policy", langgraphResearch, "", "", "What does the refund policy say about: Chargeback?", "- Chargebacks are refunded once, after the bank's claim is attached"},
		{"refund policy, by name", "You are refund_researcher.", "", "", "Duplicate charge", "- Duplicate charges are refunded in full"},
	} {
		t.Run(c.name, func(t *testing.T) {
			msgs := []string{msg("system", c.system)}
			if c.second != "" {
				msgs = append(msgs, msg("system", c.second))
			}
			msgs = append(msgs, msg("user", c.prompt))
			body := `{"model":"m","tools":[` + c.tools + `],"messages":[` + strings.Join(msgs, ",") + `]}`
			var res completion
			w := post(t.Context(), New(Config{NoDelay: true}), body)
			if err := json.Unmarshal(w.Body.Bytes(), &res); err != nil || res.Choices[0].Message.Content == nil {
				t.Fatalf("%v %s", err, w.Body)
			}
			text := *res.Choices[0].Message.Content
			lines := strings.Split(text, "\n")
			if len(lines) != 3 || !strings.HasPrefix(lines[0], "- ") || c.want != "three" && !strings.Contains(lines[0], c.want) {
				t.Errorf("got %q, want %q in the first of three bullets", text, c.want)
			}
		})
	}
}

// TestKnowsTheDemo: an agent is known by its tools, or failing that by the first
// system message.
func TestKnowsTheDemo(t *testing.T) {
	hello := map[string]string{
		"meeting": "Hello! Shall I check a weekday's", "expense": "Hello! Shall I look up", "refund": "Hello! Tell me the customer", "trip": "Hello! Shall we start a packing list", "none": "I am the built-in scripted model and only know the demos' four agents",
	}
	second := msg("system", mafCopilot)
	if w := post(t.Context(), New(Config{NoDelay: true}), `{"model":"m","messages":[`+msg("system", "You are a pirate.")+","+second+","+msg("user", "hello")+`]}`); !strings.Contains(w.Body.String(), hello["none"]) {
		t.Errorf("a second system message counts: %s", w.Body)
	}
	for _, c := range []struct{ name, system, tools, want string }{
		{"scheduler", strandsScheduler, "", "meeting"},
		{"copilot", mafCopilot, "", "expense"},
		{"desk", langgraphDesk, "", "refund"},
		{"planner", plannerSays, "", "trip"},
		{"tools over words", "You are helpful.", "check_availability book_meeting", "meeting"},
		{"tools over another's words", "You never speak of a refund or of camping.", "submit_expense", "expense"},
		{"prefixed tools", "You are helpful.", "mcp__reserve_campsite", "trip"},
		{"desk with its tools", langgraphDesk, "lookup_customer task draft_refund", "refund"},
		{"copilot with its tools", mafCopilot, "lookup_expense_policy submit_expense research_policy", "expense"},
		{"scheduler with its tools", strandsScheduler, "check_availability book_meeting research_availability", "meeting"},
		{"nobody", "You are a pirate.", "parrot", "none"},
		{"nothing", "", "", "none"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var tools []string
			for name := range strings.FieldsSeq(c.tools) {
				tools = append(tools, `{"type":"function","function":{"name":"`+name+`"}}`)
			}
			body := `{"model":"m","tools":[` + strings.Join(tools, ",") + `],"messages":[` + msg("system", c.system) + "," + msg("user", "hello") + `]}`
			if w := post(t.Context(), New(Config{NoDelay: true}), body); !strings.Contains(w.Body.String(), hello[c.want]) {
				t.Errorf("got %s, want %s", w.Body, c.want)
			}
		})
	}
}
