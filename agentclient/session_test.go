package agentclient_test

import (
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"cairn/agentclient"
	"cairn/agentclient/conversation"
	"cairn/agentclient/interrupt"
	"cairn/agui"
	"cairn/agui/sse"
	"cairn/demos"
)

const captures = "testdata/transcripts/mastra"

var noon = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)

// fold is a thread under test that numbers its rows.
type fold struct {
	*agentclient.Session
	t   *testing.T
	seq int64
}

func newFold(t *testing.T) *fold {
	d := demos.Mastra()
	return &fold{Session: agentclient.NewSession(agentclient.SessionConfig{Transport: d.Transport, Profile: d.Profile}), t: t}
}

func (f *fold) row(kind agentclient.RecordKind, runID string, body any) {
	f.t.Helper()
	if err := f.try(kind, runID, body); err != nil {
		f.t.Fatal(err)
	}
}

func (f *fold) try(kind agentclient.RecordKind, runID string, body any) error {
	r := agentclient.NewRecord(kind, runID, body)
	r.At = noon
	_, err := f.Fold(r)
	if err == nil {
		f.seq++
	}
	return err
}

func (f *fold) ask(id, text, runID string) {
	f.row(agentclient.RecordUser, "", agentclient.UserData{ID: id, Text: text})
	f.row(agentclient.RecordRun, runID, agentclient.RunData{Reason: agentclient.ReasonMessage})
}

// play folds the events of a captured run under our run id; n > 0 stops early.
func (f *fold) play(capture, runID string, n int) {
	f.t.Helper()
	for i, raw := range captureFrames(f.t, capture) {
		if n > 0 && i == n {
			return
		}
		f.row(agentclient.RecordEvent, runID, raw)
	}
}

func captureFrames(t *testing.T, capture string) []json.RawMessage {
	t.Helper()
	file, err := os.Open(filepath.Join(captures, capture+".sse"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	var out []json.RawMessage
	for r := sse.NewReader(file, sse.Limits{}); ; {
		fr, err := r.Next()
		if errors.Is(err, io.EOF) {
			return out
		} else if err != nil {
			t.Fatal(err)
		}
		out = append(out, json.RawMessage(fr.Data))
	}
}

func end(how agentclient.Outcome) agentclient.EndData { return agentclient.EndData{Outcome: how} }

func TestDecisionIsJudgedByTheToolsResult(t *testing.T) {
	for _, c := range []struct {
		name, pause, resume string
		approved            bool
		result              string
	}{
		{"approve", "10-interrupt", "11-resume-approve", true, "Reserved North Pines for 2 night(s) — total $72. Confirmation TP-0288."},
		{"decline", "14-interrupt-for-decline", "15-resume-decline-approved-false", false, "Reservation for North Pines was declined by the user. Nothing was booked."},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := newFold(t)
			f.ask("m1", "Reserve North Pines for two nights", "r1")
			f.play(c.pause, "r1", 0)
			f.row(agentclient.RecordEnd, "r1", end(agentclient.OutcomeFinished))
			a := f.Open()
			if a == nil || a.Phase != interrupt.PhasePending || len(a.Pending) != 1 || a.Pending[0].ToolName != "reserve_campsite" {
				t.Fatalf("open question %+v", a)
			}
			var pay struct{ Site string }
			if json.Unmarshal(a.Pending[0].Payload, &pay) != nil || pay.Site != "North Pines" {
				t.Fatalf("payload %s", a.Pending[0].Payload)
			}
			resume := json.RawMessage(`{"approved":` + map[bool]string{true: "true", false: "false"}[c.approved] + `}`)
			f.row(agentclient.RecordClaim, "r2", agentclient.ClaimData{Generation: a.Generation, Approved: c.approved, Resume: resume})
			f.row(agentclient.RecordRun, "r2", agentclient.RunData{Reason: agentclient.ReasonDecision})
			if !strings.Contains(string(a.Decision.Wire.ForwardedProps), `"command"`) || a.Decision.Wire.Resume != nil {
				t.Fatalf("wire %+v", a.Decision.Wire)
			}
			f.play(c.resume, "r2", 0)
			if a.Decision.Finished {
				t.Fatal("finished before the run's end is recorded")
			}
			f.row(agentclient.RecordEnd, "r2", end(agentclient.OutcomeFinished))
			if f.Open() != nil || !a.Decision.Finished || len(a.Decision.Results[0]) != 1 || a.Decision.Results[0][0] != c.result {
				t.Fatalf("settled %+v", a.Decision)
			}
		})
	}
}

func TestSecondClaimOfAGenerationIsRefused(t *testing.T) {
	f := newFold(t)
	f.ask("m1", "Reserve", "r1")
	f.play("10-interrupt", "r1", 0)
	f.row(agentclient.RecordEnd, "r1", end(agentclient.OutcomeFinished))
	claim := agentclient.ClaimData{Generation: f.Open().Generation, Approved: true, Resume: json.RawMessage(`{"approved":true}`)}
	f.row(agentclient.RecordClaim, "r2", claim)
	if err := f.try(agentclient.RecordClaim, "r3", claim); err == nil {
		t.Fatal("a second claim was folded")
	}
}

func TestLostAnswerCanBeSentAgainOnlyByChoice(t *testing.T) {
	f := newFold(t)
	f.ask("m1", "Reserve", "r1")
	f.play("10-interrupt", "r1", 0)
	f.row(agentclient.RecordEnd, "r1", end(agentclient.OutcomeFinished))
	a := f.Open()
	f.row(agentclient.RecordClaim, "r2", agentclient.ClaimData{Generation: a.Generation, Approved: true, Resume: json.RawMessage(`{"approved":true}`)})
	f.row(agentclient.RecordRun, "r2", agentclient.RunData{Reason: agentclient.ReasonDecision})
	f.play("11-resume-approve", "r2", 1)
	f.row(agentclient.RecordEnd, "r2", end(agentclient.OutcomeTruncated))
	if a.Phase != interrupt.PhaseRecoveryRequired || f.Run.Failure.Retryable() || !f.Run.Failure.MaybeDone {
		t.Fatalf("phase %s, failure %+v", a.Phase, f.Run.Failure)
	}
	f.row(agentclient.RecordClaim, "r3", agentclient.ClaimData{Generation: a.Generation, Approved: true, Again: true})
	f.row(agentclient.RecordRun, "r3", agentclient.RunData{Reason: agentclient.ReasonDecision})
	f.play("11-resume-approve", "r3", 0)
	f.row(agentclient.RecordEnd, "r3", end(agentclient.OutcomeFinished))
	if f.Open() != nil || !a.Decision.Finished || len(a.Decision.Results) != 1 {
		t.Fatalf("after sending again: %+v", a.Decision)
	}
}

func TestRetryLeavesTheFailedRunOutOfTheHistory(t *testing.T) {
	f := newFold(t)
	f.ask("m1", "Hi there", "r1")
	f.play("01-plain-chat", "r1", 4)
	f.row(agentclient.RecordEnd, "r1", end(agentclient.OutcomeTruncated))
	if f.Run.Failure == nil || !f.Run.Failure.Retryable() || !f.Run.Failure.Latest {
		t.Fatalf("failure %+v", f.Run.Failure)
	}
	partial := f.Conversation.Entries()[1].Message
	if partial.Text() == "" || partial.Status != conversation.StatusError {
		t.Fatalf("partial %q %s", partial.Text(), partial.Status)
	}
	failure := f.Run.Failure
	f.row(agentclient.RecordRun, "r2", agentclient.RunData{Reason: agentclient.ReasonRetry, Skip: "r1"})
	if failure.Latest {
		t.Error("an answered failure still offers a retry")
	}
	h := f.Input().Messages
	if len(h) != 1 || h[0].Role != agui.RoleUser {
		t.Fatalf("history %+v", h)
	}
}

func TestRunErrorIsAFailureWithTheAgentsCode(t *testing.T) {
	f := newFold(t)
	f.ask("m1", "Hi", "r1")
	f.row(agentclient.RecordEvent, "r1", json.RawMessage(`{"type":"RUN_STARTED","threadId":"t","runId":"r1"}`))
	f.row(agentclient.RecordEvent, "r1", json.RawMessage(`{"type":"RUN_ERROR","message":"boom","code":"model"}`))
	f.row(agentclient.RecordEnd, "r1", end(agentclient.OutcomeFinished))
	if got := f.Run.Failure; got == nil || got.End.Outcome != agentclient.OutcomeFailed || got.End.Code != "model" {
		t.Fatalf("failure %+v", got)
	}
}

func TestStopKeepsTheTextAndIsNoFailure(t *testing.T) {
	f := newFold(t)
	f.ask("m1", "Hi there", "r1")
	f.play("01-plain-chat", "r1", 5)
	f.row(agentclient.RecordEnd, "r1", end(agentclient.OutcomeStopped))
	m := f.Conversation.Entries()[1].Message
	if m.Status != conversation.StatusStopped || m.Text() == "" || f.Run.Failure != nil || f.Run.Open {
		t.Fatalf("message %s %q, run %+v", m.Status, m.Text(), f.Run)
	}
}

func TestALostDecisionDoesNotEndTheConversation(t *testing.T) {
	f := newFold(t)
	f.ask("m1", "Reserve", "r1")
	f.play("10-interrupt", "r1", 0)
	f.row(agentclient.RecordEnd, "r1", end(agentclient.OutcomeFinished))
	a := f.Open()
	if !f.Blocked(noon) {
		t.Fatal("a pending question blocks nothing")
	}
	f.row(agentclient.RecordClaim, "r2", agentclient.ClaimData{Generation: a.Generation, Approved: true, Resume: json.RawMessage(`{"approved":true}`)})
	f.row(agentclient.RecordRun, "r2", agentclient.RunData{Reason: agentclient.ReasonDecision})
	if !f.Blocked(noon) {
		t.Fatal("a decision on its way blocks nothing")
	}
	f.row(agentclient.RecordEnd, "r2", end(agentclient.OutcomeTruncated))
	if f.Blocked(noon) {
		t.Fatal("a lost decision blocks the conversation")
	}
	f.ask("m2", "Never mind", "r3")
	if f.Open() != nil || a.Left != interrupt.PhaseUncertain {
		t.Fatalf("after going on: open %v, left in %q", f.Open(), a.Left)
	}
	f.play("01-plain-chat", "r3", 0)
	f.row(agentclient.RecordEnd, "r3", end(agentclient.OutcomeFinished))
}

// TestAResendThatDoesNotLeaveIsNotSafe: the first sending may have booked, so the
// refused second one does not make it known that nothing happened.
func TestAResendThatDoesNotLeaveIsNotSafe(t *testing.T) {
	f := newFold(t)
	f.ask("m1", "Reserve", "r1")
	f.play("10-interrupt", "r1", 0)
	f.row(agentclient.RecordEnd, "r1", end(agentclient.OutcomeFinished))
	a := f.Open()
	f.row(agentclient.RecordClaim, "r2", agentclient.ClaimData{Generation: a.Generation, Approved: true, Resume: agentclient.Answer(nil, true)})
	f.row(agentclient.RecordRun, "r2", agentclient.RunData{Reason: agentclient.ReasonDecision})
	f.row(agentclient.RecordEnd, "r2", end(agentclient.OutcomeTruncated))
	f.row(agentclient.RecordClaim, "r3", agentclient.ClaimData{Generation: a.Generation, Approved: true, Again: true})
	f.row(agentclient.RecordRun, "r3", agentclient.RunData{Reason: agentclient.ReasonDecision})
	f.row(agentclient.RecordEnd, "r3", end(agentclient.OutcomeNotSent))
	if a.Phase != interrupt.PhaseUncertain || !f.Run.Failure.MaybeDone {
		t.Fatalf("phase %s, failure %+v", a.Phase, f.Run.Failure)
	}
}

// TestASecondPauseThatBreaksOffKeepsTheDecision: the resumed run asked again and
// was cut; what is open is the first decision, not an answer that nobody sent.
func TestASecondPauseThatBreaksOffKeepsTheDecision(t *testing.T) {
	f := newFold(t)
	f.ask("m1", "Reserve", "r1")
	f.play("10-interrupt", "r1", 0)
	f.row(agentclient.RecordEnd, "r1", end(agentclient.OutcomeFinished))
	f.row(agentclient.RecordClaim, "r2", agentclient.ClaimData{Generation: f.Open().Generation, Approved: true, Resume: agentclient.Answer(nil, true)})
	f.row(agentclient.RecordRun, "r2", agentclient.RunData{Reason: agentclient.ReasonDecision})
	f.play("14-interrupt-for-decline", "r2", 2)
	f.row(agentclient.RecordEnd, "r2", end(agentclient.OutcomeTruncated))
	if a := f.Open(); a == nil || a.Decision == nil || a.Decision.RunID != "r2" || a.Phase != interrupt.PhaseRecoveryRequired {
		t.Fatalf("open %+v", f.Open())
	}
	if first := f.Approvals()[0]; first.Left != interrupt.PhaseRecoveryRequired {
		t.Fatalf("first %+v", first)
	}
	f.row(agentclient.RecordClaim, "r3", agentclient.ClaimData{Generation: f.Open().Generation, Approved: true, Again: true})
}

func TestAPauseThatCannotBeAnsweredBlocksNothing(t *testing.T) {
	for name, outcome := range map[string]string{
		"native only": `{"type":"interrupt","interrupts":[{"id":"i1","reason":"x","toolCallId":"c1"}]}`,
	} {
		f := newFold(t)
		f.ask("m1", "Reserve", "r1")
		f.row(agentclient.RecordEvent, "r1", json.RawMessage(`{"type":"RUN_STARTED","threadId":"t","runId":"r1"}`))
		f.row(agentclient.RecordEvent, "r1", json.RawMessage(`{"type":"RUN_FINISHED","threadId":"t","runId":"r1","outcome":`+outcome+`}`))
		f.row(agentclient.RecordEnd, "r1", end(agentclient.OutcomeFinished))
		if f.Open() == nil || f.Blocked(noon) {
			t.Errorf("%s: open %v, blocked %t", name, f.Open(), f.Blocked(noon))
		}
		f.ask("m2", "Then not", "r2")
		if f.Open() != nil {
			t.Errorf("%s: still open after going on", name)
		}
	}
}

func TestAToolResultInASnapshotForbidsPlainRetry(t *testing.T) {
	f := newFold(t)
	f.ask("m1", "Reserve", "r1")
	f.row(agentclient.RecordEvent, "r1", json.RawMessage(`{"type":"RUN_STARTED","threadId":"t","runId":"r1"}`))
	f.row(agentclient.RecordEvent, "r1", json.RawMessage(`{"type":"MESSAGES_SNAPSHOT","messages":[{"id":"m1","role":"user","content":"Reserve"},{"id":"a","role":"assistant","toolCalls":[{"id":"c","type":"function","function":{"name":"book","arguments":"{}"}}]},{"id":"r","role":"tool","toolCallId":"c","content":"done"}]}`))
	f.row(agentclient.RecordEnd, "r1", end(agentclient.OutcomeTruncated))
	if f.Run.Failure.Retryable() {
		t.Fatal("a plain retry is offered after a tool ran")
	}
}

// TestACallInFlightMayHaveRun: the run broke off between a tool's call and its result.
func TestACallInFlightMayHaveRun(t *testing.T) {
	for call, retryable := range map[string]bool{"": true, `{"type":"TOOL_CALL_START","toolCallId":"c","toolCallName":"charge_card"}`: false} {
		f := newFold(t)
		f.ask("m1", "Charge", "r1")
		f.row(agentclient.RecordEvent, "r1", json.RawMessage(`{"type":"RUN_STARTED","threadId":"t","runId":"r1"}`))
		if call != "" {
			f.row(agentclient.RecordEvent, "r1", json.RawMessage(call))
		}
		f.row(agentclient.RecordEnd, "r1", agentclient.EndData{Outcome: agentclient.OutcomeShutdown})
		if got := f.Run.Failure.Retryable(); got != retryable {
			t.Errorf("after %q: retryable %t", call, got)
		}
	}
}
