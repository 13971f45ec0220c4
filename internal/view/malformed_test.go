package view

import (
	"encoding/json"
	"testing"
	"time"

	"cairn/agentclient"
	"cairn/demos"
	"cairn/internal/threadlog"
)

// malformed are pauses that nobody can answer safely: the events after RUN_STARTED,
// and how the run was recorded to end.
var malformed = map[string]struct {
	events []string
	how    agentclient.Outcome
}{
	"no id":                  {[]string{paused(`[{"reason":"confirm","toolCallId":"c"}]`)}, agentclient.OutcomeFinished},
	"an empty id":            {[]string{paused(`[{"id":"","reason":"confirm","toolCallId":"c"}]`)}, agentclient.OutcomeFinished},
	"an id that is a number": {[]string{paused(`[{"id":7,"reason":"confirm"}]`)}, agentclient.OutcomeFinished},
	"an empty list":          {[]string{paused(`[]`)}, agentclient.OutcomeFinished},
	"no list":                {[]string{`{"type":"RUN_FINISHED","threadId":"t","runId":"r1","outcome":{"type":"interrupt"}}`}, agentclient.OutcomeFinished},
	"a list that is none":    {[]string{paused(`{"id":"i"}`)}, agentclient.OutcomeFinished},
	"one id twice":           {[]string{paused(`[{"id":"i","reason":"a"},{"id":"i","reason":"b"}]`)}, agentclient.OutcomeFinished},
	"expired":                {[]string{paused(`[{"id":"i","reason":"a","expiresAt":"2020-01-01T00:00:00Z"}]`)}, agentclient.OutcomeFinished},
	"expires at nonsense":    {[]string{paused(`[{"id":"i","reason":"a","expiresAt":"tomorrow"}]`)}, agentclient.OutcomeFinished},
	"cut after the notice":   {[]string{notice(`"{\"toolCallId\":\"c\",\"runId\":\"r1\"}"`)}, agentclient.OutcomeTruncated},
	"failed after the notice": {[]string{notice(`"{\"toolCallId\":\"c\",\"runId\":\"r1\"}"`),
		`{"type":"RUN_ERROR","message":"broken"}`}, agentclient.OutcomeFinished},
	"late, after an end": {[]string{`{"type":"RUN_FINISHED","threadId":"t","runId":"r1"}`,
		paused(`[{"id":"i","reason":"a"}]`)}, agentclient.OutcomeFinished},
	"late, after an error": {[]string{`{"type":"RUN_ERROR","message":"broken"}`,
		paused(`[{"id":"i","reason":"a"}]`)}, agentclient.OutcomeFinished},
	"of another thread": {[]string{`{"type":"RUN_FINISHED","threadId":"other","runId":"r1","outcome":{"type":"interrupt","interrupts":[{"id":"i","reason":"a"}]}}`},
		agentclient.OutcomeFinished},
	"a notice, and the end of another thread": {[]string{notice(`"{\"toolCallId\":\"c\",\"runId\":\"r1\"}"`),
		`{"type":"RUN_FINISHED","threadId":"other","runId":"r1"}`}, agentclient.OutcomeFinished},
	"stopped at the pause": {[]string{notice(`"{\"toolCallId\":\"c\",\"runId\":\"r1\"}"`)}, agentclient.OutcomeStopped},
}

func paused(list string) string {
	return `{"type":"RUN_FINISHED","threadId":"t","runId":"r1","outcome":{"type":"interrupt","interrupts":` + list + `}}`
}

func notice(value string) string {
	return `{"type":"CUSTOM","name":"on_interrupt","value":` + value + `}`
}

// TestAMalformedPauseOffersNoApproval: in every demo, whatever is wrong with the
// pause, there is no question that can be approved, and the conversation goes on.
func TestAMalformedPauseOffersNoApproval(t *testing.T) {
	for name, tc := range malformed {
		for _, d := range demos.All() {
			t.Run(name+"/"+d.Slug, func(t *testing.T) {
				w := watchDemo(t, d)
				w.row(threadlog.KindUser, "", agentclient.UserData{ID: "m", Text: "book it"})
				w.row(threadlog.KindRun, "r1", agentclient.RunData{Reason: agentclient.ReasonMessage})
				for _, ev := range append([]string{`{"type":"RUN_STARTED","threadId":"t","runId":"r1"}`}, tc.events...) {
					w.row(threadlog.KindEvent, "r1", json.RawMessage(ev))
				}
				w.row(threadlog.KindEnd, "r1", agentclient.EndData{Outcome: tc.how})
				for _, a := range w.thread.Approvals() {
					if card := w.approvalCard(a); card.Phase == "pending" || card.Phase == "sending" {
						t.Errorf("the card offers a decision: %+v", card)
					}
				}
				if w.thread.Blocked(time.Now()) {
					t.Error("messages are held back by a question that nobody can answer")
				}
			})
		}
	}
}
