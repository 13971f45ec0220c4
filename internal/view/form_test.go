package view

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"cairn/agentclient"
	"cairn/agentclient/interrupt"
	"cairn/components"
	"cairn/demos"
	"cairn/internal/threadlog"
)

const (
	twoExpenses = `[{"id":"a","reason":"tool_call","toolCallId":"c1","metadata":{"agent_framework":{"function_call":{"name":"submit_expense","arguments":{"expense":{"vendor":"Blue Finch","amount_usd":220}}}}}},
		{"id":"b","reason":"tool_call","toolCallId":"c2","metadata":{"agent_framework":{"function_call":{"name":"submit_expense","arguments":{"expense":{"vendor":"Pixel Peak","amount_usd":340}}}}}}]`
	printing = `[{"id":"i","reason":"print","message":"Shall I?","responseSchema":{"properties":{"approved":{"type":"boolean"},"copies":{"type":"integer","minimum":1,"title":"<b>Copies"}},"required":["copies"]}}]`
)

// asking is a thread of the demo whose agent has paused with these interrupts.
func asking(t *testing.T, d demos.Demo, interrupts string) *watched {
	w := watchDemo(t, d)
	w.play(chain(ask(m1, "please", "r1"), events("r1", `{"type":"RUN_STARTED","threadId":"t","runId":"r1"}`, paused(interrupts)), []step{end("r1", agentclient.OutcomeFinished)}))
	return w
}

// TestAMixedDecisionIsJudgedByRequest: each request shows what was decided and what
// its own call's result proves; the panel marks the one it is about.
func TestAMixedDecisionIsJudgedByRequest(t *testing.T) {
	recorded := `{"type":"TOOL_CALL_RESULT","messageId":"x","toolCallId":"c1","content":"Expense recorded: $220.00 to Blue Finch (meals), queued."}`
	rejected := `{"type":"TOOL_CALL_RESULT","messageId":"y","toolCallId":"c2","content":"Error: Tool call invocation was rejected by user."}`
	swap := strings.NewReplacer(`"c1"`, `"c2"`, `"c2"`, `"c1"`)
	for name, c := range map[string]struct {
		events        []string
		first, second string
	}{
		"as decided":       {[]string{recorded, rejected}, "Recorded. $220.00 to Blue Finch", "Declined. Nothing was submitted."},
		"nothing":          {nil, "does not confirm", "did not say"},
		"the other's call": {[]string{swap.Replace(recorded), swap.Replace(rejected)}, "does not confirm", "reports a recorded expense"},
		"one":              {[]string{rejected}, "does not confirm", "Declined. Nothing was submitted."},
	} {
		t.Run(name, func(t *testing.T) {
			w := asking(t, demos.AgentFramework(), twoExpenses)
			each := append(agentclient.Alike(1, true), agentclient.Alike(1, false)...)
			a := w.thread.Open()
			w.play([]step{
				{threadlog.KindClaim, "r2", agentclient.ClaimData{Generation: 1, Resume: w.thread.Answer(a, each), Each: each}},
				{threadlog.KindRun, "r2", agentclient.RunData{Reason: agentclient.ReasonDecision}},
			})
			if card := w.approvalCard(a); card.Phase != "sending" || card.Requests[0].Outcome != "" || card.Requests[0].Groups != nil {
				t.Errorf("before its run: %+v", card)
			}
			w.play(chain(events("r2", `{"type":"RUN_STARTED","threadId":"t","runId":"r2"}`), events("r2", c.events...),
				events("r2", `{"type":"RUN_FINISHED","threadId":"t","runId":"r2"}`), []step{end("r2", agentclient.OutcomeFinished)}))
			card := w.approvalCard(a)
			if card.Phase != "approved" || card.Word != "1 of 2 approved" || card.Outcome != "" {
				t.Errorf("card %+v", card)
			}
			for i, want := range []components.ApprovalRequest{{Decided: "approved", Outcome: c.first}, {Decided: "declined", Outcome: c.second}} {
				if r := card.Requests[i]; r.Decided != want.Decided || !strings.Contains(r.Outcome, want.Outcome) {
					t.Errorf("request %d: %+v, want %+v", i, r, want)
				}
			}
			proven := map[string]int{"as decided": 2, "one": 1}[name]
			if got := w.panel.provenDecisions(); len(got) != proven {
				t.Errorf("%d proven, want %d", len(got), proven)
			}
		})
	}
}

// TestFormOfUnknownQuestion: in every demo, a question that it has no words for is
// shown in its agent's, with the form that the agent asks for.
func TestFormOfUnknownQuestion(t *testing.T) {
	for _, d := range append(demos.All(), fifth().Complete()) {
		if d.Slug == "mastra" {
			continue // it answers notices alone
		}
		w := asking(t, d, printing)
		html := drawn(components.ItemView(components.Item{Key: "p", Approval: ptr(w.approval())}))
		for _, part := range []string{"Shall I?", "&lt;b&gt;Copies", `name="q0-f0"`, `inputmode="decimal"`} {
			if !strings.Contains(html, part) {
				t.Errorf("%s: no %q in %s", d.Slug, part, html)
			}
		}
		q, err := w.question(1)
		if err != nil || q.Asked != 1 || !q.Answerable || q.OnlyDecline || len(q.Requests) != 1 || q.Requests[0].NoRoom {
			t.Fatalf("%s: %+v, %v", d.Slug, q, err)
		}
		answer, err := q.Requests[0].Form.Read(func(int) (string, bool) { return "3", true })
		if err != nil || string(answer) != `{"approved":true,"copies":3}` {
			t.Errorf("%s: %s, %v", d.Slug, answer, err)
		}
		for _, generation := range []int{0, 2} {
			if _, err := w.question(generation); !errors.Is(err, ErrNotOpen) {
				t.Errorf("%s: generation %d: %v", d.Slug, generation, err)
			}
		}
	}
}

// TestAFormWaitsForThePause: while the question may still change, nothing can be
// typed into it.
func TestAFormWaitsForThePause(t *testing.T) {
	w := watchDemo(t, demos.LangGraph())
	value, _ := json.Marshal(`{"kind":"refund_approval","amount":47.5,"customer_id":"cus_1","reason":"Twice"}`)
	w.play(chain(ask(m1, "please", "r1"), events("r1", `{"type":"RUN_STARTED","threadId":"t","runId":"r1"}`, notice(string(value)))))
	if card := w.approval(); card.Phase != "collecting" || card.Requests[0].Groups != nil {
		t.Errorf("while it arrives: %+v", card)
	}
	w.play(chain(events("r1", `{"type":"RUN_FINISHED","threadId":"t","runId":"r1"}`), []step{end("r1", agentclient.OutcomeFinished)}))
	if card := w.approval(); card.Phase != "pending" || len(card.Requests[0].Groups) != 1 {
		t.Errorf("once it is asked: %+v", card)
	}
}

// TestCardTitleOfMixedRequests: the words of one kind of request are not put over
// another, nor those for yes and no over a question that wants something else.
func TestCardTitleOfMixedRequests(t *testing.T) {
	i := strings.LastIndex(twoExpenses, "submit_expense")
	mixed := twoExpenses[:i] + strings.Replace(twoExpenses[i:], "submit", "delete", 1)
	for _, c := range []struct{ name, interrupts, title, hint string }{
		{"alike", twoExpenses, "Expense approval required", "Nothing is submitted until you approve."},
		{"mixed", mixed, "Approval required", "Nothing is done until you approve."},
		{"another", printing, "Approval required", "Nothing is done until you approve."},
		{"no yes or no", `[{"id":"i","reason":"name","message":"Which name?","responseSchema":{"type":"string"}}]`, "Answer required", ""},
	} {
		w := asking(t, demos.AgentFramework().Complete(), c.interrupts)
		if card := w.approval(); card.Title != c.title || card.Hint != c.hint {
			t.Errorf("%s: %q, %q", c.name, card.Title, card.Hint)
		}
	}
}

// TestUnansweredQuestion holds the decision on the one before it when its run
// broke off; that is no decision on this one.
func TestUnansweredQuestion(t *testing.T) {
	w := asking(t, demos.LangGraph().Complete(), printing)
	claim := func(run string, generation int, again bool) []step {
		return []step{
			{threadlog.KindClaim, run, agentclient.ClaimData{Generation: generation, Approved: true, Resume: json.RawMessage(`{"approved":true,"copies":1}`), Again: again}},
			{threadlog.KindRun, run, agentclient.RunData{Reason: agentclient.ReasonDecision}},
		}
	}
	w.play(chain(claim("r2", 1, false), events("r2", `{"type":"RUN_STARTED","threadId":"t","runId":"r2"}`, notice(`{"amount":1,"customer_id":"c"}`)), []step{end("r2", agentclient.OutcomeTruncated)}))
	if card := w.approval(); card.Phase != "recovery-required" || card.Requests[0].Decided != "" {
		t.Fatalf("broken off: %+v", card)
	}
	w.play(chain(claim("r3", 2, true), events("r3", `{"type":"RUN_STARTED","threadId":"t","runId":"r3"}`, `{"type":"RUN_FINISHED","threadId":"t","runId":"r3"}`), []step{end("r3", agentclient.OutcomeFinished)}))
	if card := w.approval(); card.Phase != "expired" || !strings.Contains(card.Outcome, "without a decision") || w.panel.provenDecisions() != nil {
		t.Errorf("in the end: %+v", card)
	}
}

// TestTheSameRefundTwice: the state that shows the first one does not show the second.
func TestTheSameRefundTwice(t *testing.T) {
	w := watchDemo(t, demos.LangGraph().Complete())
	for i, want := range []string{"Refunded. $47.50 to cus_1, refund re_1.", "does not confirm a refund"} {
		n := strconv.Itoa(i)
		state := `{"type":"STATE_SNAPSHOT","snapshot":{"refund":{"customer_id":"cus_1","amount":47.5,"status":"issued","refund_id":"re_1"}}}`
		w.play(chain(ask("m"+n, "please", "a"+n), events("a"+n, `{"type":"RUN_STARTED","threadId":"t","runId":"a`+n+`"}`,
			notice(`{"kind":"refund_approval","amount":47.5,"customer_id":"cus_1"}`), `{"type":"RUN_FINISHED","threadId":"t","runId":"a`+n+`"}`), []step{end("a"+n, agentclient.OutcomeFinished)}))
		w.play([]step{
			{threadlog.KindClaim, "b" + n, agentclient.ClaimData{Generation: i + 1, Approved: true, Resume: json.RawMessage(`{"approved":true}`)}},
			{threadlog.KindRun, "b" + n, agentclient.RunData{Reason: agentclient.ReasonDecision}},
		})
		w.play(chain(events("b"+n, `{"type":"RUN_STARTED","threadId":"t","runId":"b`+n+`"}`, state, `{"type":"RUN_FINISHED","threadId":"t","runId":"b`+n+`"}`), []step{end("b"+n, agentclient.OutcomeFinished)}))
		if card := w.approval(); card.Phase != "approved" || !strings.Contains(card.Outcome, want) {
			t.Errorf("refund %d: %+v", i+1, card)
		}
	}
}

// TestAQuestionIsWordedOnce for all who look at it, and anew when it changes.
func TestAQuestionIsWordedOnce(t *testing.T) {
	d, calls := demos.LangGraph().Complete(), 0
	words := d.Approval
	d.Approval = func(p interrupt.Pending) demos.Approval { calls++; return words(p) }
	w := watchDemo(t, d)
	w.play(chain(ask(m1, "please", "r1"), events("r1", `{"type":"RUN_STARTED","threadId":"t","runId":"r1"}`, notice(`{"amount":1,"customer_id":"c"}`))))
	first := w.approval().Requests[0].Rows[0]
	w.play(chain(events("r1", paused(`[{"id":"i","reason":"refund","metadata":{"langgraph":{"raw":{"amount":2,"customer_id":"c"}}}}]`)), []step{end("r1", agentclient.OutcomeFinished)}))
	second := w.approval().Requests[0].Rows[0]
	calls = 0
	for range 3 {
		w.all()
		_, _ = w.question(1)
	}
	if calls != 0 || first == second {
		t.Errorf("%d times; %v, then %v", calls, first, second)
	}
}

func ptr[T any](v T) *T { return &v }

// TestManyRequests: of more requests than a person will fill in, the first have a form
// and each of the others says that there is no room for it.
func TestManyRequests(t *testing.T) {
	var all []string
	for i := range 3 * maxForms {
		all = append(all, strings.Replace(printing[1:len(printing)-1], `"id":"i"`, fmt.Sprintf(`"id":"i%d"`, i), 1))
	}
	w := asking(t, demos.Strands(), "["+strings.Join(all, ",")+"]")
	forms := 0
	for _, r := range w.approval().Requests {
		forms += len(r.Groups)
	}
	if forms != maxForms {
		t.Errorf("%d forms", forms)
	}
	q, err := w.question(1)
	if err != nil || len(q.Requests) != 3*maxForms || q.OnlyDecline {
		t.Fatalf("%d requests, %v", len(q.Requests), err)
	}
	for i, r := range q.Requests {
		if r.NoRoom != (i >= maxForms) {
			t.Errorf("request %d: no room %v", i, r.NoRoom)
		}
	}
}
