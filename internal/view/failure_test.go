package view

import (
	"encoding/json"
	"html"
	"strings"
	"testing"

	"cairn/agentclient"
	"cairn/internal/threadlog"
)

// TestFailureSentences: every way a run ends badly has a sentence without
// codes, and what is offered fits what may have happened.
func TestFailureSentences(t *testing.T) {
	for _, c := range []struct {
		end                  agentclient.EndData
		decision, toolResult bool
		maybeDone            bool
		says, label, warning string
	}{
		{end: agentclient.EndData{Outcome: agentclient.OutcomeNotSent}, says: "cannot be reached", label: "Retry"},
		{end: agentclient.EndData{Outcome: agentclient.OutcomeTruncated}, says: "lost in the middle of its answer", label: "Retry"},
		{end: agentclient.EndData{Outcome: agentclient.OutcomeStalled}, says: "silent for too long", label: "Retry"},
		{end: agentclient.EndData{Outcome: agentclient.OutcomeNotStream}, says: "no agent", label: "Retry"},
		{end: agentclient.EndData{Outcome: agentclient.OutcomeMalformed}, says: "could not be read", label: "Retry"},
		{end: agentclient.EndData{Outcome: agentclient.OutcomeTooLarge}, says: "more than this server accepts", label: "Retry"},
		{end: agentclient.EndData{Outcome: agentclient.OutcomeShutdown}, says: "stopped", label: "Retry"},
		{end: agentclient.EndData{Outcome: agentclient.OutcomeNotStored}, says: "disk", label: "Retry"},
		{end: agentclient.EndData{Outcome: agentclient.OutcomeCrashed}, says: "error of its own", label: "Retry"},
		{end: agentclient.EndData{Outcome: agentclient.OutcomeRefused, Status: 401}, says: "token", label: "Retry"},
		{end: agentclient.EndData{Outcome: agentclient.OutcomeRefused, Status: 404}, says: "no agent", label: "Retry"},
		{end: agentclient.EndData{Outcome: agentclient.OutcomeRefused, Status: 429}, says: "busy", label: "Retry"},
		{end: agentclient.EndData{Outcome: agentclient.OutcomeRefused, Status: 500}, says: "problem of its own", label: "Retry"},
		{end: agentclient.EndData{Outcome: agentclient.OutcomeFailed, Code: "E_OOPS"}, says: "reported an error", label: "Retry"},
		{end: agentclient.EndData{Outcome: agentclient.OutcomeFailed, Code: "model_rate_limited"}, says: "model behind the agent is busy", label: "Retry"},
		{end: agentclient.EndData{Outcome: agentclient.OutcomeFailed, Code: "model_unauthorized"}, says: "key", label: "Retry"},
		{end: agentclient.EndData{Outcome: agentclient.OutcomeTruncated}, toolResult: true, says: "lost", label: "Send again", warning: "twice"},
		{end: agentclient.EndData{Outcome: agentclient.OutcomeTruncated}, decision: true, maybeDone: true, says: "lost", label: "Send again", warning: "may do it twice"},
		{end: agentclient.EndData{Outcome: agentclient.OutcomeNotSent}, decision: true, says: "reached", label: "Send again", warning: "safe"},
		{end: agentclient.EndData{Outcome: agentclient.OutcomeNotSent}, decision: true, maybeDone: true, says: "reached", label: "Send again", warning: "may do it twice"},
		{end: agentclient.EndData{Outcome: agentclient.OutcomeNoAnswer}, says: "in time", label: "Retry"},
		{end: agentclient.EndData{Outcome: agentclient.OutcomeFailed, Code: "interrupt_already_resolved"}, decision: true, says: "already decided"},
	} {
		w := watch(t)
		got := w.runError(&agentclient.Failure{End: c.end, Decision: c.decision, ToolRan: c.toolResult, MaybeDone: c.maybeDone, Latest: true})
		if !strings.Contains(got.Text, c.says) || got.RetryLabel != c.label || (got.Retry == "") != (c.label == "") || !strings.Contains(got.Warning, c.warning) || (c.warning == "") != (got.Warning == "") {
			t.Errorf("%+v: %+v", c, got)
		}
		if strings.Contains(got.Text, "HTTP") || c.end.Code != "" && strings.Contains(got.Text, c.end.Code) {
			t.Errorf("%+v: a code in %q", c.end, got.Text)
		}
		older := w.runError(&agentclient.Failure{End: c.end})
		if older.Retry != "" {
			t.Errorf("%+v: an older failure offers to send again", c.end)
		}
	}
}

// TestTheSentenceFitsTheCause: it names what went wrong and the setting to change, and
// never an address or a value.
func TestTheSentenceFitsTheCause(t *testing.T) {
	const dial = `agent run: connect: Post "http://agent.internal:8101/x?key=s3cret": dial tcp 10.0.0.7:8101: `
	for _, c := range []struct {
		end        agentclient.EndData
		says, also string
		not        string
	}{
		{agentclient.EndData{Outcome: agentclient.OutcomeNotSent, Detail: dial + "connect: connection refused"}, "nothing listens", "AG_UI_AGENT_URL", "in time"},
		{agentclient.EndData{Outcome: agentclient.OutcomeNotSent, Detail: dial + "lookup agent.internal: no such host"}, "host name", "AG_UI_AGENT_URL", "in time"},
		{agentclient.EndData{Outcome: agentclient.OutcomeNotSent, Detail: dial + "tls: failed to verify certificate: x509: certificate signed by unknown authority"}, "certificate", "Nothing was sent", "in time"},
		{agentclient.EndData{Outcome: agentclient.OutcomeNotSent, Detail: dial + "i/o timeout"}, "in time", "Nothing was sent", "listens"},
		{agentclient.EndData{Outcome: agentclient.OutcomeNotSent}, "cannot be reached. Nothing", "", "in time"},
		{agentclient.EndData{Outcome: agentclient.OutcomeNotSent, Cause: agentclient.CauseRefused, Detail: "EOF"}, "nothing listens", "AG_UI_AGENT_URL", "in time"},
		{agentclient.EndData{Outcome: agentclient.OutcomeNotSent, Cause: agentclient.CauseUnknownHost}, "host name", "AG_UI_AGENT_URL", "in time"},
		{agentclient.EndData{Outcome: agentclient.OutcomeNotSent, Cause: agentclient.CauseUnreachable}, "no way to its network", "AG_UI_AGENT_URL", "in time"},
		{agentclient.EndData{Outcome: agentclient.OutcomeNotSent, Cause: agentclient.CauseTLS}, "certificate", "AG_UI_AGENT_URL", "in time"},
		{agentclient.EndData{Outcome: agentclient.OutcomeNotSent, Cause: agentclient.CauseTimeout}, "in time", "Nothing was sent", "lost"},
		{agentclient.EndData{Outcome: agentclient.OutcomeNoAnswer, Cause: agentclient.CauseDropped, Detail: "i/o timeout"}, "lost before it answered", "", "in time"},
		{agentclient.EndData{Outcome: agentclient.OutcomeNoAnswer, Cause: agentclient.CauseTimeout, Detail: "EOF"}, "did not answer in time", "", "lost"},
		{agentclient.EndData{Outcome: agentclient.OutcomeNoAnswer, Detail: "the moon is full"}, "failed before it answered", "", "in time"},
		{agentclient.EndData{Outcome: agentclient.OutcomeTruncated, Cause: agentclient.CauseUnfinished}, "before it had finished", "", "lost"},
		{agentclient.EndData{Outcome: agentclient.OutcomeTruncated, Cause: agentclient.CauseDropped}, "lost in the middle", "", "in time"},
		{agentclient.EndData{Outcome: agentclient.OutcomeNoAnswer, Detail: `agent run: connect: Post "http://agent.internal": EOF`}, "lost before it answered", "", "in time"},
		{agentclient.EndData{Outcome: agentclient.OutcomeNoAnswer, Detail: `agent run: connect: read tcp 10.0.0.7:8101: read: connection reset by peer`}, "lost before it answered", "", "in time"},
		{agentclient.EndData{Outcome: agentclient.OutcomeNoAnswer, Detail: `agent run: connect: no answer in time`}, "did not answer in time", "", "lost"},
		{agentclient.EndData{Outcome: agentclient.OutcomeNoAnswer}, "did not answer in time", "", "lost"},
		{agentclient.EndData{Outcome: agentclient.OutcomeTruncated, Status: 200, Detail: "agent run: truncated: unexpected EOF"}, "lost in the middle of its answer", "", "in time"},
		{agentclient.EndData{Outcome: agentclient.OutcomeTruncated, Status: 200, Detail: "agent run: truncated: the stream ended before the run did"}, "before it had finished", "", "lost"},
		{agentclient.EndData{Outcome: agentclient.OutcomeStalled}, "silent", "", "lost"},
		{agentclient.EndData{Outcome: agentclient.OutcomeRefused, Status: 401}, "token", "AG_UI_INTERNAL_TOKEN, or token_env", "AGENT_URL"},
		{agentclient.EndData{Outcome: agentclient.OutcomeRefused, Status: 403}, "token", "AG_UI_INTERNAL_TOKEN, or token_env", "AGENT_URL"},
		{agentclient.EndData{Outcome: agentclient.OutcomeRefused, Status: 404}, "no agent at the configured address", "AG_UI_AGENT_URL, or url", "token"},
		{agentclient.EndData{Outcome: agentclient.OutcomeRefused, Status: 405}, "configured address", "AG_UI_AGENT_URL, or url", "token"},
		{agentclient.EndData{Outcome: agentclient.OutcomeRefused, Status: 301}, "leads on to another", "final one in AG_UI_AGENT_URL", "token"},
		{agentclient.EndData{Outcome: agentclient.OutcomeRefused, Status: 308}, "leads on to another", "final one in AG_UI_AGENT_URL", "token"},
		{agentclient.EndData{Outcome: agentclient.OutcomeRefused, Status: 413}, "larger", "new one", "address"},
		{agentclient.EndData{Outcome: agentclient.OutcomeRefused, Status: 429}, "busy", "", "address"},
		{agentclient.EndData{Outcome: agentclient.OutcomeRefused, Status: 422}, "refused the request", "", "token"},
		{agentclient.EndData{Outcome: agentclient.OutcomeRefused, Status: 500}, "problem of its own", "", "address"},
		{agentclient.EndData{Outcome: agentclient.OutcomeRefused, Status: 502}, "could not reach it", "", "problem"},
		{agentclient.EndData{Outcome: agentclient.OutcomeRefused, Status: 503}, "not available", "", "problem"},
		{agentclient.EndData{Outcome: agentclient.OutcomeRefused, Status: 504}, "in time", "", "problem"},
		{agentclient.EndData{Outcome: agentclient.OutcomeNotStream, Status: 200, Detail: "agent run: not-sse: text/html"}, "no agent", "AG_UI_AGENT_URL", "token"},
		{agentclient.EndData{Outcome: "of another version"}, "did not finish", "", "agent"},
	} {
		got := sentence(c.end)
		if !strings.Contains(got, c.says) || !strings.Contains(got, c.also) || c.not != "" && strings.Contains(got, c.not) {
			t.Errorf("%+v: %s", c.end, got)
		}
		for _, secret := range []string{"s3cret", "agent.internal", "8101", "http"} {
			if strings.Contains(got, secret) {
				t.Errorf("%+v: %s in %s", c.end, secret, got)
			}
		}
	}
}

// TestPanelOutOfSync: from a delta that does not apply to the next snapshot, in a
// patch and after a reload.
func TestPanelOutOfSync(t *testing.T) {
	w := watch(t)
	w.steps(ask(m1, "Pack", "r1"))
	w.next()
	page := newDOM(t, w.all())
	const says = "may differ from the agent's"
	for i, c := range []struct {
		event   string
		differs bool
	}{
		{`{"type":"RUN_STARTED","threadId":"t","runId":"r1"}`, false},
		{`{"type":"STATE_SNAPSHOT","snapshot":{"packing_list":{"title":"Trip","items":[{"name":"Tent","qty":1}]}}}`, false},
		{`{"type":"STATE_DELTA","delta":[{"op":"replace","path":"/packing_list/items/4/qty","value":3}]}`, true},
		{`{"type":"STATE_DELTA","delta":[{"op":"add","path":"/packing_list/items/-","value":{"name":"Stove","qty":1}}]}`, true},
		{`{"type":"RUN_FINISHED","threadId":"t","runId":"r1"}`, true},
		{`{"type":"STATE_SNAPSHOT","snapshot":{"packing_list":{"title":"Trip","items":[]}}}`, false},
	} {
		if i == 5 {
			w.row(threadlog.KindEnd, "r1", agentclient.EndData{Outcome: agentclient.OutcomeFinished})
			w.steps(ask("8b9d4c1e-0d0c-4f6c-9a15-6c1d2f3a4b5c", "Again", "r2"))
			if page.apply(w.next()); !strings.Contains(html.UnescapeString(page.Shown()), says) {
				t.Error("forgotten by the next run")
			}
		}
		w.row(threadlog.KindEvent, "r", json.RawMessage(c.event))
		page.apply(w.next())
		reload := newDOM(t, w.all()).Shown()
		if got := strings.Contains(html.UnescapeString(page.Shown()), says); got != c.differs || page.Shown() != reload {
			t.Errorf("after %s: %v, as after a reload: %v", c.event, got, page.Shown() == reload)
		}
	}
}

// TestTrustedAgentsWordTheirErrors: as text, without secrets and cut; other agents' texts
// are not shown.
func TestTrustedAgentsWordTheirErrors(t *testing.T) {
	const budget = "Your monthly budget is used up. Ask your administrator."
	for name, c := range map[string]struct {
		message, says string
		trusted       bool
	}{
		"trusted":     {budget, budget, true},
		"not trusted": {budget, "The agent reported an error and stopped.", false},
		"no words":    {"  ", "The agent reported an error and stopped.", true},
		"a secret":    {"token s3cret is wrong", "token *** is wrong", true},
		"markup":      {"<b>no</b>", "&lt;b&gt;no&lt;/b&gt;", true},
		"hidden":      {"a\u202eb", "a⟨U+202E⟩b", true},
	} {
		t.Run(name, func(t *testing.T) {
			w := watch(t)
			if c.trusted {
				w.hub.errors = map[string]func(string) string{"mastra": func(s string) string { return strings.ReplaceAll(s, "s3cret", "***") }}
			}
			w.steps(ask(m1, "Go", "r1"))
			message, _ := json.Marshal(c.message)
			for _, e := range []string{
				`{"type":"RUN_STARTED","threadId":"t","runId":"r1"}`, `{"type":"SUBAGENT_STARTED","subagentRunId":"s","name":"clerk"}`,
				`{"type":"SUBAGENT_ERROR","subagentRunId":"s","message":` + string(message) + `}`, `{"type":"RUN_ERROR","message":` + string(message) + `}`,
			} {
				w.row(threadlog.KindEvent, "r1", json.RawMessage(e))
			}
			w.row(threadlog.KindEnd, "r1", agentclient.EndData{Outcome: agentclient.OutcomeFinished})
			page := htmlOf(w.now())
			if !strings.Contains(page, `data-testid="run-error"`) || !strings.Contains(page, c.says) || !c.trusted && strings.Contains(page, c.message) {
				t.Errorf("%s", page)
			}
			if n := strings.Count(page, c.says); c.says == budget && n != 2 {
				t.Errorf("said %d times, want by the run and by the subagent", n)
			}
		})
	}
	w := watch(t)
	w.hub.errors = map[string]func(string) string{"mastra": func(s string) string { return s }}
	if got := w.itsWords(strings.Repeat("x", 1<<20)); len(got) > 4*maxError {
		t.Errorf("%d bytes", len(got))
	}
}
