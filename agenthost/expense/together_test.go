package expense_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"cairn/agenthost/dialect"
	"cairn/agenthost/hosttest"
	"cairn/agui"
)

// obedient is a model that submits each line of what it is told, and then says
// "Done.".
func obedient(w http.ResponseWriter, r *http.Request) {
	var req struct {
		Messages []struct{ Role, Content string }
	}
	_ = json.NewDecoder(r.Body).Decode(&req)
	delta, why := map[string]any{"content": "Done."}, "stop"
	if last := req.Messages[len(req.Messages)-1]; last.Role == "user" {
		var calls []any
		for i, args := range strings.Split(last.Content, "\n") {
			calls = append(calls, map[string]any{"index": i, "id": fmt.Sprintf("call_%d", i), "type": "function",
				"function": map[string]any{"name": "submit_expense", "arguments": args}})
		}
		delta, why = map[string]any{"tool_calls": calls}, "tool_calls"
	}
	chunk, _ := json.Marshal(map[string]any{"choices": []any{map[string]any{"index": 0, "delta": delta, "finish_reason": why}}})
	w.Header().Set("Content-Type", "text/event-stream")
	_, _ = fmt.Fprintf(w, "data: %s\n\ndata: [DONE]\n\n", chunk)
}

// TestTogether: two expenses are asked about in one pause, wanted in one answer, and
// each becomes what was decided on it.
func TestTogether(t *testing.T) {
	c := talk(t, serve(t, http.HandlerFunc(obedient)), "t")
	asks := hosttest.Asked(t, c.Say(`{"expense":{"vendor":"A","category":"meals","amount_usd":1}}
{"expense":{"vendor":"B","category":"travel","amount_usd":2}}`), 2)
	a, b := asks[0], asks[1]
	if ev := hosttest.Last[*agui.RunError](t, c.Decide(hosttest.Decision(a, approved))); ev.Code != "resume_incomplete" {
		t.Errorf("one answer: %s", ev.Code)
	}
	events := c.Decide(hosttest.Decision(b, approved), hosttest.Decision(a, `{"approved":false}`))
	if got := strings.Join(hosttest.Results(events), "; "); got != "Expense recorded: $2.00 to B (travel), queued for reimbursement." {
		t.Errorf("results %q", got)
	}
	var told []string
	for _, m := range c.Messages[1:] {
		told = append(told, string(m.Role)+" "+m.ToolCallID+m.Content.Text())
	}
	want := []string{"assistant ", "tool call_0" + dialect.Rejected, "tool call_1Expense recorded: $2.00 to B (travel), queued for reimbursement.", "assistant Done."}
	if strings.Join(told, "\n") != strings.Join(want, "\n") {
		t.Errorf("messages\n%s", strings.Join(told, "\n"))
	}
}

// TestBadExpenses: what the model makes up is refused before anyone is asked.
func TestBadExpenses(t *testing.T) {
	s := serve(t, http.HandlerFunc(obedient))
	for i, args := range []string{
		`{}`, `{"expense":{}}`, `{"expense":{"vendor":"","category":"meals","amount_usd":1}}`,
		`{"expense":{"vendor":"A","category":"yachts","amount_usd":1}}`, `{"expense":{"vendor":"A","category":"meals","amount_usd":0}}`,
		`{"expense":{"vendor":"A","category":"meals","amount_usd":-1}}`, `{"expense":{"vendor":"A","category":"meals","amount_usd":100000.01}}`,
		`{"expense":{"vendor":"A","category":"meals","amount_usd":"1"}}`, `{"expense":{"vendor":"A","category":"meals","amount_usd":1,"approved":true}}`,
		`{"expense":{"vendor":"` + strings.Repeat("A", 121) + `","category":"meals","amount_usd":1}}`,
		`{"expense":{"vendor":"A","category":"meals","amount_usd":1,"memo":"` + strings.Repeat("A", 301) + `"}}`,
	} {
		events := talk(t, s, fmt.Sprint(i)).Say(args)
		if hosttest.Last[*agui.RunFinished](t, events).Outcome != nil {
			t.Errorf("%.90s is asked about", args)
		} else if got := hosttest.Results(events); len(got) != 1 || !strings.HasPrefix(got[0], "Error: Tool input validation failed for submit_expense.") {
			t.Errorf("%.90s: %q", args, got)
		}
		if state := hosttest.Last[*agui.StateSnapshot](t, events).Snapshot; string(state) != `{"expense":{}}` {
			t.Errorf("%.90s is shown: %s", args, state)
		}
	}
}
