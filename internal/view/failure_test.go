package view

import (
	"encoding/json"
	"html"
	"strings"
	"testing"

	"cairn/internal/thread"
	"cairn/internal/threadlog"
)

// TestFailuresAreSaidPlainly: every way a run ends badly has a sentence without
// codes, and what is offered fits what may have happened.
func TestFailuresAreSaidPlainly(t *testing.T) {
	for _, c := range []struct {
		end                  thread.EndData
		decision, toolResult bool
		maybeDone            bool
		says, label, warning string
	}{
		{end: thread.EndData{How: thread.EndNotSent}, says: "cannot be reached", label: "Retry"},
		{end: thread.EndData{How: thread.EndTruncated}, says: "lost in the middle of its answer", label: "Retry"},
		{end: thread.EndData{How: thread.EndStalled}, says: "silent for too long", label: "Retry"},
		{end: thread.EndData{How: thread.EndNotStream}, says: "no agent", label: "Retry"},
		{end: thread.EndData{How: thread.EndMalformed}, says: "could not be read", label: "Retry"},
		{end: thread.EndData{How: thread.EndTooLarge}, says: "more than this server accepts", label: "Retry"},
		{end: thread.EndData{How: thread.EndShutdown}, says: "stopped", label: "Retry"},
		{end: thread.EndData{How: thread.EndLog}, says: "disk", label: "Retry"},
		{end: thread.EndData{How: thread.EndCrash}, says: "error of its own", label: "Retry"},
		{end: thread.EndData{How: thread.EndRefused, Status: 401}, says: "token", label: "Retry"},
		{end: thread.EndData{How: thread.EndRefused, Status: 404}, says: "no agent", label: "Retry"},
		{end: thread.EndData{How: thread.EndRefused, Status: 429}, says: "busy", label: "Retry"},
		{end: thread.EndData{How: thread.EndRefused, Status: 500}, says: "problem of its own", label: "Retry"},
		{end: thread.EndData{How: thread.EndAgentError, Code: "E_OOPS"}, says: "reported an error", label: "Retry"},
		{end: thread.EndData{How: thread.EndAgentError, Code: "model_rate_limited"}, says: "model behind the agent is busy", label: "Retry"},
		{end: thread.EndData{How: thread.EndAgentError, Code: "model_unauthorized"}, says: "key", label: "Retry"},
		{end: thread.EndData{How: thread.EndTruncated}, toolResult: true, says: "lost", label: "Send again", warning: "twice"},
		{end: thread.EndData{How: thread.EndTruncated}, decision: true, maybeDone: true, says: "lost", label: "Send again", warning: "may do it twice"},
		{end: thread.EndData{How: thread.EndNotSent}, decision: true, says: "reached", label: "Send again", warning: "safe"},
		{end: thread.EndData{How: thread.EndNotSent}, decision: true, maybeDone: true, says: "reached", label: "Send again", warning: "may do it twice"},
		{end: thread.EndData{How: thread.EndNoAnswer}, says: "in time", label: "Retry"},
		{end: thread.EndData{How: thread.EndAgentError, Code: "interrupt_already_resolved"}, decision: true, says: "already decided"},
	} {
		w := watch(t)
		got := w.runError(&thread.Failure{End: c.end, Decision: c.decision, ToolRan: c.toolResult, MaybeDone: c.maybeDone, Latest: true})
		if !strings.Contains(got.Text, c.says) || got.RetryLabel != c.label || (got.Retry == "") != (c.label == "") || !strings.Contains(got.Warning, c.warning) || (c.warning == "") != (got.Warning == "") {
			t.Errorf("%+v: %+v", c, got)
		}
		if strings.Contains(got.Text, "HTTP") || c.end.Code != "" && strings.Contains(got.Text, c.end.Code) {
			t.Errorf("%+v: a code in %q", c.end, got.Text)
		}
		older := w.runError(&thread.Failure{End: c.end})
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
		end        thread.EndData
		says, also string
		not        string
	}{
		{thread.EndData{How: thread.EndNotSent, Detail: dial + "connect: connection refused"}, "nothing listens", "AG_UI_AGENT_URL", "in time"},
		{thread.EndData{How: thread.EndNotSent, Detail: dial + "lookup agent.internal: no such host"}, "host name", "AG_UI_AGENT_URL", "in time"},
		{thread.EndData{How: thread.EndNotSent, Detail: dial + "tls: failed to verify certificate: x509: certificate signed by unknown authority"}, "certificate", "Nothing was sent", "in time"},
		{thread.EndData{How: thread.EndNotSent, Detail: dial + "i/o timeout"}, "in time", "Nothing was sent", "listens"},
		{thread.EndData{How: thread.EndNotSent}, "cannot be reached. Nothing", "", "in time"},
		{thread.EndData{How: thread.EndNoAnswer, Detail: `agent run: connect: Post "http://agent.internal": EOF`}, "lost before it answered", "", "in time"},
		{thread.EndData{How: thread.EndNoAnswer, Detail: `agent run: connect: read tcp 10.0.0.7:8101: read: connection reset by peer`}, "lost before it answered", "", "in time"},
		{thread.EndData{How: thread.EndNoAnswer, Detail: `agent run: connect: no answer in time`}, "did not answer in time", "", "lost"},
		{thread.EndData{How: thread.EndNoAnswer}, "did not answer in time", "", "lost"},
		{thread.EndData{How: thread.EndTruncated, Status: 200, Detail: "agent run: truncated: unexpected EOF"}, "lost in the middle of its answer", "", "in time"},
		{thread.EndData{How: thread.EndTruncated, Status: 200, Detail: "agent run: truncated: the stream ended before the run did"}, "before it had finished", "", "lost"},
		{thread.EndData{How: thread.EndStalled}, "silent", "", "lost"},
		{thread.EndData{How: thread.EndRefused, Status: 401}, "token", "AG_UI_INTERNAL_TOKEN, or token_env", "AGENT_URL"},
		{thread.EndData{How: thread.EndRefused, Status: 403}, "token", "AG_UI_INTERNAL_TOKEN, or token_env", "AGENT_URL"},
		{thread.EndData{How: thread.EndRefused, Status: 404}, "no agent at the configured address", "AG_UI_AGENT_URL, or url", "token"},
		{thread.EndData{How: thread.EndRefused, Status: 405}, "configured address", "AG_UI_AGENT_URL, or url", "token"},
		{thread.EndData{How: thread.EndRefused, Status: 301}, "leads on to another", "final one in AG_UI_AGENT_URL", "token"},
		{thread.EndData{How: thread.EndRefused, Status: 308}, "leads on to another", "final one in AG_UI_AGENT_URL", "token"},
		{thread.EndData{How: thread.EndRefused, Status: 413}, "larger", "new one", "address"},
		{thread.EndData{How: thread.EndRefused, Status: 429}, "busy", "", "address"},
		{thread.EndData{How: thread.EndRefused, Status: 422}, "refused the request", "", "token"},
		{thread.EndData{How: thread.EndRefused, Status: 500}, "problem of its own", "", "address"},
		{thread.EndData{How: thread.EndRefused, Status: 502}, "could not reach it", "", "problem"},
		{thread.EndData{How: thread.EndRefused, Status: 503}, "not available", "", "problem"},
		{thread.EndData{How: thread.EndRefused, Status: 504}, "in time", "", "problem"},
		{thread.EndData{How: thread.EndNotStream, Status: 200, Detail: "agent run: not-sse: text/html"}, "no agent", "AG_UI_AGENT_URL", "token"},
		{thread.EndData{How: "of another version"}, "did not finish", "", "agent"},
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

// TestPanelSaysThatItDiffers: from a delta that does not apply to the next snapshot, in a
// patch and after a reload.
func TestPanelSaysThatItDiffers(t *testing.T) {
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
			w.row(threadlog.KindEnd, "r1", thread.EndData{How: thread.EndClean})
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
