package web_test

import (
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"cairn/agentclient"
	"cairn/internal/runner"
	"cairn/internal/thread"
	"cairn/internal/threadlog"
)

const (
	twoExpenses = `[{"id":"<i>1","reason":"tool_call","toolCallId":"c1","metadata":{"agent_framework":{"function_call":{"name":"submit_expense","arguments":{"expense":{"vendor":"Blue Finch","amount_usd":220}}}}}},
		{"id":"i2","reason":"tool_call","toolCallId":"c2","metadata":{"agent_framework":{"function_call":{"name":"submit_expense","arguments":{"expense":{"vendor":"Pixel Peak","amount_usd":340}}}}}}]`
	oneColour = `[{"id":"i","reason":"input_required","message":"Which?","metadata":{"options":["Red","Blue"]}}]`
	oneName   = `[{"id":"i","reason":"input_required","message":"What is your name?"}]`
	oneRefund = `[{"id":"i","reason":"refund","metadata":{"langgraph":{"raw":{"kind":"refund_approval","amount":47.5,"customer_id":"cus_a8x2k","reason":"Twice"}}}}]`
)

// asked is a conversation of the demo whose agent has paused with these interrupts;
// base is where its forms post to.
func (b *browser) asked(demo, interrupts string) (loc, base string) {
	b.t.Helper()
	loc = b.startIn(demo, "please")
	id := loc[strings.LastIndex(loc, "/")+1:]
	row := func(kind threadlog.Kind, body any) {
		all, err := b.log.Read(b.t.Context(), id, 1, 0)
		if err == nil {
			_, err = b.log.Append(b.t.Context(), id, int64(len(all)), thread.NewRow(kind, "r1", body))
		}
		if err != nil {
			b.t.Fatal(err)
		}
	}
	row(threadlog.KindRun, agentclient.RunData{Reason: agentclient.ReasonMessage})
	row(threadlog.KindEvent, json.RawMessage(`{"type":"RUN_STARTED","threadId":"t","runId":"r1"}`))
	row(threadlog.KindEvent, json.RawMessage(`{"type":"RUN_FINISHED","threadId":"t","runId":"r1","outcome":{"type":"interrupt","interrupts":`+interrupts+`}}`))
	row(threadlog.KindEnd, agentclient.EndData{Outcome: agentclient.OutcomeFinished})
	b.runner.calls = nil
	return loc, "/t/" + id + "/interrupts/1"
}

// TestADecision: what is posted reaches the runner as the agent will get it, once.
func TestADecision(t *testing.T) {
	b := newSite(t).browser()
	for _, c := range []struct{ demo, interrupts, form, call string }{
		{"langgraph", oneRefund, "decision=approve&q0-f0=47.50", `decide {"approved":true}`},
		{"langgraph", oneRefund, "decision=approve&q0-f0=40", `decide {"approved":true,"amount":40}`},
		{"langgraph", oneRefund, "decision=cancel&q0-f0=a+lot", `decide {"approved":false}`},
		{"langgraph", oneColour, "decision=choose-1", `decide "Blue"`},
		{"langgraph", oneName, "decision=approve&q0-f0=Ada", `decide "Ada"`},
		{"langgraph", oneName, "decision=cancel&q0-f0=", `decide `},
		{"maf", twoExpenses, "decision=approve", `decide {"approved":true} {"approved":true}`},
		{"maf", twoExpenses, "decision=cancel&q0-decision=approve", `decide {"approved":false} {"approved":false}`},
		{"maf", twoExpenses, "decision=each&q0-decision=approve&q1-decision=cancel", `decide {"approved":true} {"approved":false}`},
	} {
		for _, script := range []bool{false, true} {
			loc, action := b.asked(c.demo, c.interrupts)
			form, _ := url.ParseQuery(c.form)
			var header []string
			want := http.StatusSeeOther
			if script {
				header, want = []string{"HX-Request", "true"}, http.StatusNoContent
			}
			if a := b.do("POST", action, form, header...); a.StatusCode != want || !script && a.Header.Get("Location") != loc {
				t.Errorf("%s: %d to %q", c.form, a.StatusCode, a.Header.Get("Location"))
			}
			if got := strings.Join(b.runner.calls, "; "); got != c.call {
				t.Errorf("%s: calls %s, want %s", c.form, got, c.call)
			}
		}
	}
}

// TestADecisionThatDoesNotFit stores and sends nothing, says what to change, and keeps
// what was typed: in a script's page by leaving it alone, else on a page anew.
func TestADecisionThatDoesNotFit(t *testing.T) {
	s := newSite(t)
	b, actions := s.browser(), map[string]string{}
	for _, c := range []struct{ demo, interrupts, form, says, field string }{
		{"langgraph", oneRefund, "", "choose Approve or Cancel", ""},
		{"langgraph", oneRefund, "decision=maybe&q0-f0=40", "choose Approve or Cancel", ""},
		{"langgraph", oneRefund, "decision=each&q0-f0=40", "choose Approve or Cancel", ""},
		{"langgraph", oneRefund, "decision=approve&q0-f0=0", "Amount to refund must be more than 0", "q0-f0"},
		{"langgraph", oneRefund, "decision=approve&q0-f0=100001", "at most 100000", "q0-f0"},
		{"langgraph", oneRefund, "decision=approve&q0-f0=1.005", "at most 2 digits after the point", "q0-f0"},
		{"langgraph", oneRefund, "decision=approve&q0-f0=%3Cb%3E", "is not a number", "q0-f0"},
		{"langgraph", oneRefund, "decision=approve", "fill in Amount to refund", "q0-f0"},
		{"langgraph", oneRefund, "decision=approve&q0-f0=40&q0-f1=x", "nobody asked for", ""},
		{"langgraph", oneRefund, "decision=approve&q0-f0=40&q0-f0=50", "nobody asked for", ""},
		{"langgraph", oneRefund, "decision=approve&q0-f0=40&amount=50", "nobody asked for", ""},
		{"maf", twoExpenses, "decision=each&q0-decision=approve", "Approve or Decline for request 2", "q1-decision"},
		{"maf", twoExpenses, "decision=each&q0-decision=approve&q1-decision=maybe", "for request 2", "q1-decision"},
		{"maf", twoExpenses, "decision=each&q0-decision=approve&q1-decision=cancel&q2-decision=cancel", "nobody asked for", ""},
	} {
		action := actions[c.demo]
		if action == "" {
			_, action = b.asked(c.demo, c.interrupts)
			actions[c.demo] = action
		}
		form, _ := url.ParseQuery(c.form)
		a := b.do("POST", action, form, "HX-Request", "true")
		if a.StatusCode != http.StatusUnprocessableEntity || !strings.Contains(a.body, c.says) || a.Header.Get("X-Field") != c.field {
			t.Errorf("%q by script: %d, field %q: %s", c.form, a.StatusCode, a.Header.Get("X-Field"), a.body)
		}
		a = b.do("POST", action, form)
		if a.StatusCode != http.StatusUnprocessableEntity || !strings.Contains(a.body, c.says) || strings.Contains(a.body, `approval-error" role="alert" hidden`) {
			t.Errorf("%q: %d, without the sentence", c.form, a.StatusCode)
		}
		if typed := form.Get("q0-f0"); typed != "" && !strings.Contains(a.body, `name="q0-f0" value="`+strings.NewReplacer("<", "&lt;", ">", "&gt;").Replace(typed)+`"`) {
			t.Errorf("%q: what was typed is gone", c.form)
		}
		if c.field != "" && strings.Count(a.body, `aria-invalid="true"`) == 0 {
			t.Errorf("%q: no field is marked", c.form)
		}
		if strings.Contains(a.body, `&lt;i&gt;1`) {
			t.Error("an interrupt's id is on the page")
		}
		if len(s.runner.calls) != 0 {
			t.Errorf("%q: calls %s", c.form, s.runner.calls)
		}
	}
}

// TestAStaleDecision changes nothing; people are shown how things stand.
func TestAStaleDecision(t *testing.T) {
	s := newSite(t)
	b := s.browser()
	_, action := b.asked("langgraph", oneRefund)
	form := url.Values{"decision": {"approve"}, "q0-f0": {"40"}}
	another := strings.TrimSuffix(action, "1") + "2"
	for _, path := range []string{another, action} {
		if path == action {
			s.runner.err = runner.ErrStale
		}
		if a := b.do("POST", path, form); a.StatusCode != http.StatusSeeOther {
			t.Errorf("without scripts: %d", a.StatusCode)
		}
		if a := b.do("POST", path, form, "HX-Request", "true"); a.StatusCode != http.StatusConflict {
			t.Errorf("by script: %d", a.StatusCode)
		}
	}
	if len(s.runner.calls) != 0 {
		t.Errorf("calls %s", s.runner.calls)
	}
	if a := b.do("POST", strings.TrimSuffix(action, "1")+"x", form); a.StatusCode != http.StatusNotFound {
		t.Errorf("no number: %d", a.StatusCode)
	}
}
