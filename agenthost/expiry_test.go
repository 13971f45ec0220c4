package agenthost_test

import (
	"sync/atomic"
	"testing"
	"time"

	"cairn/agui"
)

// TestDecisionInTime: the client is told until when, and an answer before that is
// taken.
func TestDecisionInTime(t *testing.T) {
	var ran atomic.Int32
	agent := payer(&ran, nil)
	agent.Tools[0].DecideWithin = time.Hour
	s := newAgentService(t, agent)
	s.model.says(pay, modelAnswer{text: "Paid."})
	before := time.Now()
	finished := find[*agui.RunFinished](t, s.run(s.input("t1", "pay")))
	at, err := time.Parse(time.RFC3339, finished.Outcome.Interrupts[0].ExpiresAt)
	if err != nil {
		t.Fatal(err)
	}
	if left := at.Sub(before); left < 59*time.Minute || left > 61*time.Minute {
		t.Errorf("expires in %v", left)
	}
	if got := text(s.run(s.input("t1", "", approvePay))); got != "Paid." || ran.Load() != 1 {
		t.Errorf("%q after %d runs of the tool", got, ran.Load())
	}
}

// TestDecisionTooLate: a late answer runs nothing, says why, and does not keep
// the thread from going on.
func TestDecisionTooLate(t *testing.T) {
	var ran atomic.Int32
	agent := payer(&ran, nil)
	agent.Tools[0].DecideWithin = time.Nanosecond
	s := newAgentService(t, agent)
	s.model.says(pay, modelAnswer{text: "Something else."})
	s.run(s.input("t1", "pay"))
	wantError(t, s.run(s.input("t1", "", approvePay)), "interrupt_expired")
	if ran.Load() != 0 {
		t.Error("the tool ran")
	}
	if got := text(s.run(s.input("t1", "never mind"))); got != "Something else." {
		t.Errorf("the next message was answered with %q", got)
	}
}

// TestCancelledAfterANewerPause: a question that is over and was followed by another
// is left alone: the run behind it is not to talk beside the new one.
func TestCancelledAfterANewerPause(t *testing.T) {
	var ran atomic.Int32
	agent := payer(&ran, nil)
	agent.Tools[0].DecideWithin = time.Nanosecond
	s := newAgentService(t, agent)
	s.model.says(pay, modelAnswer{calls: []modelCall{{"call_q", "pay", "{}"}}})
	s.run(s.input("t1", "pay"))
	s.run(s.input("t1", "now pay"))
	if got := types(s.run(s.input("t1", "", answers("run-1::call_p=cancelled")))); got != "RUN_STARTED RUN_FINISHED" {
		t.Error(got)
	}
	if ran.Load() != 0 {
		t.Error("the tool ran")
	}
	s.model.says(modelAnswer{text: "Then not."})
	if got := text(s.run(s.input("t1", "", answers("run-2::call_q=cancelled")))); got != "Then not." {
		t.Errorf("the newest one: %q", got)
	}
}
