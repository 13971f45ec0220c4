package view

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"cairn/agentclient"
	"cairn/agentclient/interrupt"
	"cairn/demos"
	"cairn/internal/testall"
	"cairn/internal/threadlog"
)

// watchedPage plays steps and holds what a tab that saw every frame shows against a
// reload: after each of them, with a subagent at the end of each run, since the arguments
// of a subagent's call are drawn when the call ends. It returns the view and the page.
func watchedPage(t *testing.T, d demos.Demo, steps []step) (*watched, string) {
	t.Helper()
	w := watchDemo(t, d)
	tab := newDOM(t, w.all())
	for i, s := range steps {
		w.row(s.kind, s.run, s.body)
		tab.apply(w.next())
		if s.kind != threadlog.KindEnd && strings.Contains(tab.String(), `"subagent-card"`) {
			continue
		}
		reload := watchDemo(t, d)
		for _, s := range steps[:i+1] {
			reload.row(s.kind, s.run, s.body)
		}
		if got, want := tab.String(), newDOM(t, reload.all()).String(); got != want {
			t.Fatalf("after row %d the tab differs from a reload:\n%s", i+1, diff(got, want))
		}
	}
	return w, tab.String()
}

func call(id string) string {
	return fmt.Sprintf(`{"type":"TOOL_CALL_START","toolCallId":%q,"toolCallName":"pay"}
{"type":"TOOL_CALL_ARGS","toolCallId":%q,"delta":"{}"}
{"type":"TOOL_CALL_END","toolCallId":%q}`, id, id, id)
}

// TestUnanswerablePauseIsOneCard that says so and what can be done, no card runs on
// after the run's end, and a message is taken.
func TestUnanswerablePauseIsOneCard(t *testing.T) {
	started := `{"type":"RUN_STARTED","threadId":"t","runId":"r1"}`
	two := call("d1") + "\n" + call("d2") + "\n"
	many := make([]string, interrupt.MaxPending+1)
	for i := range many {
		many[i] = fmt.Sprintf(`{"id":"i%d","reason":"x","toolCallId":"d%d"}`, i, i)
	}
	last := fmt.Sprintf("d%d", interrupt.MaxPending)
	inSubagent := strings.ReplaceAll(two, `"toolCallId"`, `"subagentRunId":"s1","toolCallId"`)
	for name, wire := range map[string]string{
		"one id twice":     two + paused(`[{"id":"i","reason":"tool_call","message":"Pay 1?","toolCallId":"d1"},{"id":"i","reason":"tool_call","message":"Pay 2?","toolCallId":"d2"}]`),
		"no id":            two + paused(`[{"reason":"tool_call","toolCallId":"d1"},{"id":"b","reason":"tool_call","toolCallId":"d2"}]`),
		"no id, no reason": call("d1") + "\n" + paused(`[{"toolCallId":"d1"}]`),
		"an empty list":    two + paused(`[]`),
		"nothing":          `{"type":"RUN_FINISHED","threadId":"t","runId":"r1","outcome":{"type":"interrupt"}}`,
		"chunks":           `{"type":"TOOL_CALL_CHUNK","toolCallId":"d1","toolCallName":"pay","delta":"{}"}` + "\n" + paused(`[{"id":"i","reason":"x","toolCallId":"d1"},{"id":"i","reason":"x"}]`),
		"too many":         two + call(last) + "\n" + paused("["+strings.Join(many, ",")+"]"),
		"of another thread": two + strings.Replace(paused(`[{"id":"i","reason":"x","toolCallId":"d1"},{"id":"j","reason":"x","toolCallId":"d2"}]`), `"threadId":"t"`,
			`"threadId":"other"`, 1),
		"in a subagent": `{"type":"SUBAGENT_STARTED","subagentRunId":"s1","name":"helper"}` + "\n" + inSubagent +
			paused(`[{"id":"i","reason":"x","toolCallId":"d1","subagentRunId":"s1"},{"id":"i","reason":"x","toolCallId":"d2","subagentRunId":"s1"}]`),
		"after a notice": two + notice(`"{\"toolCallId\":\"d1\"}"`) + "\n" + paused(`[{"id":"i","reason":"x","toolCallId":"d1"},{"id":"i","reason":"x","toolCallId":"d2"}]`),
	} {
		for _, d := range demos.All() {
			if name == "too many" && (d.Slug != "strands" || !testall.All()) {
				continue // it is slow
			}
			t.Run(name+"/"+d.Slug, func(t *testing.T) {
				steps := chain(ask(m1, "please", "r1"), events("r1", strings.Split(started+"\n"+wire, "\n")...), []step{end("r1", agentclient.OutcomeFinished)})
				w, page := watchedPage(t, d, steps)
				if n := strings.Count(page, `data-testid="approval-card"`); n != 1 {
					t.Fatalf("%d cards", n)
				}
				if card := w.approval(); card.Phase != cannotAnswer || !strings.Contains(card.Outcome, "You can go on with a new message") {
					t.Errorf("card %+v", card)
				}
				for _, never := range []string{`data-status="running"`, "run-error", `data-testid="approve"`, "Approve</button>"} {
					if strings.Contains(page, never) {
						t.Errorf("%s on the page:\n%s", never, page)
					}
				}
				if w.thread.Blocked(time.Now()) || w.thread.Status(time.Now()) != agentclient.StatusIdle {
					t.Errorf("blocked %v, %s", w.thread.Blocked(time.Now()), w.thread.Status(time.Now()))
				}
				w, page = watchedPage(t, d, chain(steps, ask(m2, "never mind", "r2"), answer("r2", "All right.")))
				if card := w.approval(); card.Phase != "expired" || strings.Contains(page, `data-status="running"`) || strings.Contains(page, "You can go on") {
					t.Errorf("once it was left: %+v", card)
				}
			})
		}
	}
}

// TestDecisionRunAsksMalformed leaves the decision in doubt, on its own card.
func TestDecisionRunAsksMalformed(t *testing.T) {
	for name, d := range map[string]demos.Demo{"strands": demos.Strands().Complete(), "langgraph": demos.LangGraph().Complete()} {
		for _, before := range []string{"", notice(`{"amount":1}`) + "\n"} {
			t.Run(fmt.Sprint(name, before != ""), func(t *testing.T) {
				wire := `{"type":"RUN_STARTED","threadId":"t","runId":"r2"}` + "\n" + call("d1") + "\n" + call("d2") + "\n" + before +
					strings.ReplaceAll(paused(`[{"id":"x","reason":"x","toolCallId":"d1"},{"id":"x","reason":"x","toolCallId":"d2"}]`), "r1", "r2")
				w, page := watchedPage(t, d, chain(ask(m1, "please", "r1"),
					events("r1", `{"type":"RUN_STARTED","threadId":"t","runId":"r1"}`, paused(`[{"id":"i","reason":"x"}]`)), []step{end("r1", agentclient.OutcomeFinished)},
					decide("r2", true), events("r2", strings.Split(wire, "\n")...), []step{end("r2", agentclient.OutcomeFinished)}))
				if card := w.approval(); card.Phase != "recovery-required" || !strings.Contains(card.Outcome, "not known whether your decision took effect") {
					t.Errorf("card %+v", card)
				}
				if strings.Contains(page, `data-status="running"`) || strings.Contains(page, "approved\"") {
					t.Errorf("page:\n%s", page)
				}
				if w.thread.Blocked(time.Now()) {
					t.Error("stuck")
				}
			})
		}
	}
}

// TestACancelledDecision: Cancel that the agent answers by cancelling its run is a clean
// no, and an approval that it answers so is not told as done. Nothing failed, and nothing
// can be sent again.
func TestACancelledDecision(t *testing.T) {
	question := `[{"id":"k","reason":"tool_call","message":"Pay 1?","toolCallId":"k1"}]`
	booked := `{"type":"TOOL_CALL_RESULT","messageId":"x","toolCallId":"k1","content":"Expense recorded: $220.00 to Blue Finch (meals), queued."}`
	for _, c := range []struct {
		name        string
		approved    bool
		before      []string
		phase, says string
	}{
		{"declined", false, nil, "declined", "You declined this, and the agent cancelled its work."},
		{"approved", true, nil, "recovery-required", "not known whether your decision took effect"},
		{"approved, with a result", true, []string{booked}, "recovery-required", "not known whether your decision took effect"},
	} {
		for _, d := range demos.All() {
			if d.Slug == "mastra" {
				continue // it answers notices alone
			}
			t.Run(c.name+"/"+d.Slug, func(t *testing.T) {
				steps := chain(ask(m1, "please", "r1"),
					events("r1", strings.Split(`{"type":"RUN_STARTED","threadId":"t","runId":"r1"}`+"\n"+call("k1")+"\n"+paused(question), "\n")...), []step{end("r1", agentclient.OutcomeFinished)},
					decide("r2", c.approved), events("r2", `{"type":"RUN_STARTED","threadId":"t","runId":"r2"}`), events("r2", c.before...),
					events("r2", `{"type":"RUN_FINISHED","threadId":"t","runId":"r2","outcome":{"type":"cancelled"}}`), []step{end("r2", agentclient.OutcomeFinished)})
				w, page := watchedPage(t, d, steps)
				card := w.approval()
				if card.Phase != c.phase || !strings.Contains(card.Outcome, c.says) {
					t.Errorf("card %+v", card)
				}
				for _, never := range []string{`data-status="running"`, "run-error", `data-testid="retry"`, "Approved<", "Recorded."} {
					if strings.Contains(page, never) {
						t.Errorf("%s on the page:\n%s", never, page)
					}
				}
				if w.thread.Blocked(time.Now()) || w.panel.provenDecisions() != nil || w.thread.Status(time.Now()) != agentclient.StatusIdle {
					t.Errorf("blocked %v, proven %v, %s", w.thread.Blocked(time.Now()), w.panel.provenDecisions(), w.thread.Status(time.Now()))
				}
			})
		}
	}
}

// TestAMixedDecisionThatWasCancelled says of each request what was decided.
func TestAMixedDecisionThatWasCancelled(t *testing.T) {
	w := asking(t, demos.AgentFramework().Complete(), twoExpenses)
	each := append(agentclient.Alike(1, true), agentclient.Alike(1, false)...)
	w.play(chain([]step{
		{threadlog.KindClaim, "r2", agentclient.ClaimData{Generation: 1, Resume: w.thread.Answer(w.thread.Open(), each), Each: each}},
		{threadlog.KindRun, "r2", agentclient.RunData{Reason: agentclient.ReasonDecision}},
	}, events("r2", `{"type":"RUN_STARTED","threadId":"t","runId":"r2"}`, `{"type":"RUN_FINISHED","threadId":"t","runId":"r2","outcome":{"type":"cancelled"}}`), []step{end("r2", agentclient.OutcomeFinished)}))
	if card := w.approval(); card.Phase != "recovery-required" || card.Word != "cancelled" || card.Requests[0].Decided != "approved" || card.Requests[1].Decided != "declined" {
		t.Errorf("card %+v", card)
	}
}

// TestAnExpiredPauseIsLeft by any message: until then the card says what can be done.
func TestAnExpiredPauseIsLeft(t *testing.T) {
	for _, d := range demos.All() {
		steps := chain(ask(m1, "please", "r1"), events("r1", strings.Split(`{"type":"RUN_STARTED","threadId":"t","runId":"r1"}`+"\n"+call("e1")+"\n"+
			paused(`[{"id":"e","reason":"tool_call","message":"Pay 1?","toolCallId":"e1","expiresAt":"2020-01-01T00:00:00Z"}]`), "\n")...), []step{end("r1", agentclient.OutcomeFinished)})
		w, page := watchedPage(t, d, steps)
		if card := w.approval(); d.Slug != "mastra" && (card.Phase != "expired" || !strings.Contains(card.Outcome, "You can go on") && !strings.Contains(card.Outcome, "you can go on")) {
			t.Errorf("%s: %+v", d.Slug, card)
		}
		if strings.Contains(page, `data-status="running"`) || strings.Contains(page, `data-testid="approve"`) {
			t.Errorf("%s:\n%s", d.Slug, page)
		}
		w, page = watchedPage(t, d, chain(steps, ask(m2, "never mind", "r2"), answer("r2", "All right.")))
		if card := w.approval(); card.Phase != "expired" || card.Outcome != "You went on without deciding this." || strings.Contains(page, `data-status="running"`) {
			t.Errorf("%s, once it was left: %+v", d.Slug, card)
		}
	}
}
