package view

import (
	"strings"
	"testing"

	"cairn/agentclient"
)

// TestFailuresAreSaidPlainly: every way a run ends badly has a sentence without
// codes, and what is offered fits what may have happened.
func TestFailuresAreSaidPlainly(t *testing.T) {
	for _, c := range []struct {
		end                  agentclient.EndData
		decision, toolResult bool
		maybeDone            bool
		says, label, warning string
	}{
		{end: agentclient.EndData{How: agentclient.EndNotSent}, says: "cannot be reached", label: "Retry"},
		{end: agentclient.EndData{How: agentclient.EndTruncated}, says: "connection to the agent broke", label: "Retry"},
		{end: agentclient.EndData{How: agentclient.EndStalled}, says: "went silent", label: "Retry"},
		{end: agentclient.EndData{How: agentclient.EndNotStream}, says: "not an agent", label: "Retry"},
		{end: agentclient.EndData{How: agentclient.EndMalformed}, says: "could not be read", label: "Retry"},
		{end: agentclient.EndData{How: agentclient.EndTooLarge}, says: "more than this server accepts", label: "Retry"},
		{end: agentclient.EndData{How: agentclient.EndShutdown}, says: "stopped", label: "Retry"},
		{end: agentclient.EndData{How: agentclient.EndLog}, says: "disk", label: "Retry"},
		{end: agentclient.EndData{How: agentclient.EndCrash}, says: "error of its own", label: "Retry"},
		{end: agentclient.EndData{How: agentclient.EndRefused, Status: 401}, says: "token", label: "Retry"},
		{end: agentclient.EndData{How: agentclient.EndRefused, Status: 404}, says: "no agent", label: "Retry"},
		{end: agentclient.EndData{How: agentclient.EndRefused, Status: 429}, says: "busy", label: "Retry"},
		{end: agentclient.EndData{How: agentclient.EndRefused, Status: 500}, says: "problem of its own", label: "Retry"},
		{end: agentclient.EndData{How: agentclient.EndAgentError, Code: "E_OOPS"}, says: "reported an error", label: "Retry"},
		{end: agentclient.EndData{How: agentclient.EndAgentError, Code: "model_rate_limited"}, says: "model behind the agent is busy", label: "Retry"},
		{end: agentclient.EndData{How: agentclient.EndAgentError, Code: "model_unauthorized"}, says: "key", label: "Retry"},
		{end: agentclient.EndData{How: agentclient.EndTruncated}, toolResult: true, says: "broke", label: "Send again", warning: "twice"},
		{end: agentclient.EndData{How: agentclient.EndTruncated}, decision: true, maybeDone: true, says: "broke", label: "Send again", warning: "may do it twice"},
		{end: agentclient.EndData{How: agentclient.EndNotSent}, decision: true, says: "reached", label: "Send again", warning: "safe"},
		{end: agentclient.EndData{How: agentclient.EndNotSent}, decision: true, maybeDone: true, says: "reached", label: "Send again", warning: "may do it twice"},
		{end: agentclient.EndData{How: agentclient.EndNoAnswer}, says: "in time", label: "Retry"},
		{end: agentclient.EndData{How: agentclient.EndAgentError, Code: "interrupt_already_resolved"}, decision: true, says: "already decided"},
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
