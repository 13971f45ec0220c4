package interrupt_test

import (
	"encoding/json"
	"errors"
	"testing"

	"cairn/agentclient/interrupt"
	"cairn/agui"
)

func uncertain(t *testing.T) session {
	s := paused(t)
	s.claim("run-2", yes)
	s.Dispatched("run-2")
	s.RunEnded("run-2", interrupt.EndedBroken)
	s.want(interrupt.PhaseUncertain, 1)
	return s
}

func TestRule27Reconcile(t *testing.T) {
	next := &interrupt.Batch{RunID: "run-2", Native: []agui.Interrupt{ask("int-1")}}
	for _, tc := range []struct {
		name    string
		verdict interrupt.Verdict
		next    *interrupt.Batch
		phase   interrupt.Phase
		gen     int
		err     error
	}{
		{"unknown keeps blocking", interrupt.VerdictUnknown, nil, interrupt.PhaseUncertain, 1, nil},
		{"pending", interrupt.VerdictPending, nil, interrupt.PhasePending, 1, nil},
		{"acknowledged", interrupt.VerdictAcknowledged, nil, interrupt.PhaseAcknowledged, 1, nil},
		{"completed", interrupt.VerdictCompleted, nil, interrupt.PhaseNone, 1, nil},
		{"completed and paused again", interrupt.VerdictCompleted, next, interrupt.PhasePending, 2, nil},
		{"completed with a notice", interrupt.VerdictCompleted, &interrupt.Batch{RunID: "run-2", Legacy: json.RawMessage(`{"q":1}`)}, interrupt.PhasePending, 2, nil},
		{"completed with an empty pause", interrupt.VerdictCompleted, &interrupt.Batch{}, interrupt.PhaseUncertain, 1, interrupt.ErrBadBatch},
		{"pending with another pause", interrupt.VerdictPending, next, interrupt.PhaseUncertain, 1, interrupt.ErrBadDecision},
		{"nonsense", "perhaps", nil, interrupt.PhaseUncertain, 1, interrupt.ErrBadDecision},
	} {
		t.Run(tc.name, func(t *testing.T) {
			s := uncertain(t)
			if err := s.Reconcile(1, tc.verdict, tc.next); !errors.Is(err, tc.err) {
				t.Fatalf("error %v, want %v", err, tc.err)
			}
			s.want(tc.phase, tc.gen)
			if _, kept := s.Attempt(); kept != (tc.phase != interrupt.PhaseNone && tc.gen == 1) {
				t.Fatalf("attempt kept: %v", kept)
			}
		})
	}
}

func TestRule28ReconcileOnlyInDoubt(t *testing.T) {
	s := paused(t)
	before := s.fingerprint()
	if err := s.Reconcile(1, interrupt.VerdictCompleted, nil); !errors.Is(err, interrupt.ErrNotUncertain) {
		t.Fatal(err)
	}
	equal(t, s.fingerprint(), before)
	s = uncertain(t)
	if err := s.Reconcile(2, interrupt.VerdictCompleted, nil); !errors.Is(err, interrupt.ErrStale) {
		t.Fatal(err)
	}
	s.want(interrupt.PhaseUncertain, 1)
	if !s.Blocked() {
		t.Fatal("messages pass while the fate is unknown")
	}
}

func TestRule29AnOldDecisionNeverAnswersANewPause(t *testing.T) {
	s := paused(t)
	s.claim("run-2", yes)
	s.Observe(&agui.RunStarted{}, "run-2")
	s.Observe(&agui.RunFinished{}, "run-2")
	s.refuse(1, "run-3", yes, noon, interrupt.ErrNothingPending)

	// Late signs of the answered run open nothing.
	if s.Observe(notice(`{"q":1}`), "run-1") || s.Observe(outcome(ask("int-1")), "run-1") {
		t.Fatal("the answered run paused again")
	}
	s.want(interrupt.PhaseNone, 1)

	s.Observe(outcome(ask("int-1")), "run-4")
	s.want(interrupt.PhasePending, 2)
	s.refuse(1, "run-5", yes, noon, interrupt.ErrStale)
	if _, err := s.Retry(2, noon); err == nil {
		t.Fatal("the old decision was retried on the new pause")
	}
	s.refuse(2, "run-1", yes, noon, interrupt.ErrBadDecision) // a run id that was used
}

func TestRule30OneResponseOnly(t *testing.T) {
	s := paused(t)
	s.claim("run-2", yes)
	s.Dispatched("run-2")
	for range 3 {
		s.refuse(1, "run-3", yes, noon, interrupt.ErrAlreadyClaimed)
	}
	s.Observe(&agui.RunStarted{}, "run-2")
	s.refuse(1, "run-3", yes, noon, interrupt.ErrAlreadyClaimed)
	s.Observe(&agui.RunError{}, "run-2")
	s.want(interrupt.PhaseRecoveryRequired, 1)
	s.refuse(1, "run-3", yes, noon, interrupt.ErrAlreadyClaimed)
	if _, err := s.Retry(1, noon); !errors.Is(err, interrupt.ErrAlreadyClaimed) {
		t.Fatal(err)
	}
}

func TestRule32DemotionAfterARestart(t *testing.T) {
	s := newSession(t, interrupt.TransportAuto)
	if s.Demote() {
		t.Fatal("nothing to demote")
	}
	s = paused(t)
	if s.Demote() {
		t.Fatal("a question nobody answered is safe")
	}
	s.claim("run-2", yes)
	if !s.Demote() || s.Demote() {
		t.Fatal("demotion must change once")
	}
	s.want(interrupt.PhaseUncertain, 1)

	s = paused(t)
	s.claim("run-2", yes)
	s.Dispatched("run-2")
	s.Demote()
	s.want(interrupt.PhaseUncertain, 1)

	s = paused(t)
	s.claim("run-2", yes)
	s.Observe(&agui.RunStarted{}, "run-2")
	s.Demote()
	s.want(interrupt.PhaseRecoveryRequired, 1)
}

// A person who was told that the decision may take effect twice may send it again.
func TestResendIsForAPersonInDoubt(t *testing.T) {
	for name, s := range map[string]session{"pending": paused(t), "none": newSession(t, "")} {
		before := s.fingerprint()
		if _, err := s.Resend("run-3"); !errors.Is(err, interrupt.ErrNothingPending) {
			t.Errorf("%s: %v", name, err)
		}
		equal(t, s.fingerprint(), before)
	}
	s := uncertain(t)
	first, _ := s.Attempt()
	for _, used := range []string{"", "run-1", "run-2"} {
		if _, err := s.Resend(used); !errors.Is(err, interrupt.ErrBadDecision) {
			t.Errorf("run id %q: %v", used, err)
		}
	}
	w, err := s.Resend("run-3")
	if err != nil {
		t.Fatal(err)
	}
	equal(t, sent(t, w), sent(t, first.Wire))
	s.want(interrupt.PhaseClaimed, 1)
	if _, err := s.Resend("run-4"); err == nil {
		t.Fatal("sent a third time while the second is on its way")
	}
	s.Observe(&agui.RunStarted{}, "run-2")
	s.want(interrupt.PhaseClaimed, 1) // the first request's run is not this one
	s.Observe(&agui.RunStarted{}, "run-3")
	s.want(interrupt.PhaseAcknowledged, 1)
	s.Observe(&agui.RunFinished{}, "run-3")
	s.want(interrupt.PhaseNone, 1)
}

// A decision that may have arrived once cannot become unsent by a second failure.
func TestResendThatDidNotLeaveStaysInDoubt(t *testing.T) {
	s := uncertain(t)
	if _, err := s.Resend("run-3"); err != nil {
		t.Fatal(err)
	}
	s.RunEnded("run-3", interrupt.EndedNotDispatched)
	s.want(interrupt.PhaseUncertain, 1)
	s.refuse(1, "run-4", `{"approved":false}`, noon, interrupt.ErrAlreadyClaimed)
}

// Giving a resend back, or its not leaving, takes the session to where the doubt
// was, never to a fresh choice.
func TestResendKeepsTheDoubtItStartedFrom(t *testing.T) {
	s := uncertain(t)
	if _, err := s.Resend("run-3"); err != nil {
		t.Fatal(err)
	}
	s.Release("run-3")
	s.want(interrupt.PhaseUncertain, 1)
	s.refuse(1, "run-4", `{"approved":false}`, noon, interrupt.ErrAlreadyClaimed)
	if _, err := s.Resend("run-2"); !errors.Is(err, interrupt.ErrBadDecision) {
		t.Errorf("the first run's id again: %v", err)
	}
	if _, err := s.Resend("run-4"); err != nil {
		t.Fatal(err)
	}
	s.Observe(&agui.RunStarted{}, "run-4")
	s.RunEnded("run-4", interrupt.EndedBroken)
	s.want(interrupt.PhaseRecoveryRequired, 1)
	if _, err := s.Resend("run-5"); err != nil {
		t.Fatal(err)
	}
	s.RunEnded("run-5", interrupt.EndedNotDispatched)
	s.want(interrupt.PhaseRecoveryRequired, 1)
}

func TestAbandonFreesTheConversation(t *testing.T) {
	s := paused(t)
	s.claim("run-2", yes)
	if s.Abandon() {
		t.Fatal("abandoned while the decision is on its way")
	}
	s.RunEnded("run-2", interrupt.EndedBroken)
	if !s.Abandon() || s.Blocked() {
		t.Fatal("still blocked")
	}
	if s.Observe(outcome(ask("int-1")), "run-1") {
		t.Fatal("a late signal brought the abandoned pause back")
	}
}
