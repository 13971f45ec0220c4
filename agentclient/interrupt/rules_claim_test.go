package interrupt_test

import (
	"encoding/json"
	"errors"
	"testing"
	"time"

	"cairn/agentclient/interrupt"
	"cairn/agui"
)

func TestRule18WhatAClaimNeeds(t *testing.T) {
	s := newSession(t, interrupt.TransportAuto)
	s.refuse(0, "run-2", yes, noon, interrupt.ErrNothingPending)
	s = paused(t)
	s.refuse(1, "run-2", ``, noon, interrupt.ErrBadDecision)
	s.refuse(1, "run-2", `{"approved":`, noon, interrupt.ErrBadDecision)
	s.refuse(1, "", yes, noon, interrupt.ErrBadDecision)
	s.refuse(1, "run-1", yes, noon, interrupt.ErrBadDecision)
	s.claim("run-2", `null`)

	expiring := func(at ...string) session {
		s := newSession(t, interrupt.TransportAuto)
		var batch []agui.Interrupt
		for i, e := range at {
			batch = append(batch, agui.Interrupt{ID: string(rune('a' + i)), ExpiresAt: e})
		}
		s.Observe(outcome(batch...), "run-1")
		return s
	}
	for _, tc := range []struct {
		at string
		ok bool
	}{
		{"", true},
		{noon.Add(time.Second).Format(time.RFC3339), true},
		{"2026-05-01T14:00:01+02:00", true},
		{noon.Format(time.RFC3339), false},
		{noon.Add(-time.Second).Format(time.RFC3339), false},
		{"tomorrow", false},
	} {
		s := expiring(tc.at)
		if got := s.Pending()[0].Expired(noon); got == tc.ok {
			t.Errorf("expiry %q: Expired %v", tc.at, got)
		}
		if tc.ok {
			s.claim("run-2", yes)
		} else {
			s.refuse(1, "run-2", yes, noon, interrupt.ErrExpired)
		}
	}
	// One expired entry is enough; cancelling it is still allowed by the protocol.
	s = expiring("", "2026-05-01T11:00:00Z")
	s.refuse(1, "run-2", `[{"id":"a"},{"id":"b"}]`, noon, interrupt.ErrExpired)
	s.claim("run-2", `[{"id":"a"},{"id":"b","status":"cancelled"}]`)
}

func TestRule19ClaimFreezes(t *testing.T) {
	s := paused(t)
	resume := json.RawMessage(`{"approved":true}`)
	w, err := s.Claim(1, "run-2", resume, noon)
	if err != nil {
		t.Fatal(err)
	}
	want := s.fingerprint()
	copy(resume, `{"approved":null}`)
	w.Resume[0].InterruptID = "forged"
	a, ok := s.Attempt()
	if !ok || a.RunID != "run-2" || a.Generation != 1 {
		t.Fatalf("attempt %+v", a)
	}
	a.Wire.Resume[0].Payload[0] = 'X'
	a.Resume[0] = 'X'
	equal(t, s.fingerprint(), want)

	s.refuse(1, "run-3", yes, noon, interrupt.ErrAlreadyClaimed)
	s.RunEnded("run-2", interrupt.EndedNotDispatched)
	s.refuse(1, "run-3", `{"approved":false}`, noon, interrupt.ErrRetained)
}

func TestRule20GenerationGuard(t *testing.T) {
	s := paused(t)
	s.refuse(0, "run-2", yes, noon, interrupt.ErrStale)
	s.refuse(2, "run-2", yes, noon, interrupt.ErrStale)
	s.claim("run-2", yes)
	s.refuse(2, "run-3", yes, noon, interrupt.ErrStale)
	s.Observe(outcome(ask("int-1")), "run-2")
	s.want(interrupt.PhasePending, 2)
	s.refuse(1, "run-3", yes, noon, interrupt.ErrStale)
}

func TestRule21ClaimedThenResumingThenSent(t *testing.T) {
	s := paused(t)
	s.claim("run-2", yes)
	s.want(interrupt.PhaseClaimed, 1)
	if s.Dispatched("run-3") {
		t.Fatal("another run's request moved the claim")
	}
	if !s.Dispatched("run-2") || s.Dispatched("run-2") {
		t.Fatal("dispatch must change once")
	}
	s.want(interrupt.PhaseResuming, 1)

	// Two tabs fold the same rows: the second claim row, if it ever came, is refused.
	a, b := paused(t), paused(t)
	a.claim("run-2", yes)
	b.claim("run-2", yes)
	equal(t, a.fingerprint(), b.fingerprint())
	b.refuse(1, "run-3", `{"approved":false}`, noon, interrupt.ErrAlreadyClaimed)
}

func TestRule22StartIsAcknowledgement(t *testing.T) {
	for name, tc := range map[string]struct {
		runID string
		want  interrupt.Phase
	}{
		"the attempt's run": {"run-2", interrupt.PhaseAcknowledged},
		"no run id":         {"", interrupt.PhaseAcknowledged},
		"another run":       {"run-7", interrupt.PhaseResuming},
	} {
		t.Run(name, func(t *testing.T) {
			s := paused(t)
			s.claim("run-2", yes)
			s.Dispatched("run-2")
			s.Observe(&agui.RunStarted{}, tc.runID)
			s.want(tc.want, 1)
			if shown := len(s.Pending()) > 0; shown == (tc.want == interrupt.PhaseAcknowledged) {
				t.Fatalf("question shown: %v", shown)
			}
			if !s.Blocked() {
				t.Fatal("acknowledged is not completed")
			}
		})
	}
}

func TestRule23EndOfTheResumedRun(t *testing.T) {
	s := paused(t)
	s.claim("run-2", yes)
	s.Observe(&agui.RunStarted{}, "run-2")
	s.Observe(&agui.RunFinished{RunID: "another id of the server's"}, "run-2")
	s.want(interrupt.PhaseNone, 1)
	s.RunEnded("run-2", interrupt.EndedClean)
	s.want(interrupt.PhaseNone, 1)

	s = paused(t)
	s.claim("run-2", yes)
	s.Observe(&agui.RunStarted{}, "run-2")
	s.Observe(outcome(ask("int-1")), "run-2") // the id is used again
	s.want(interrupt.PhasePending, 2)
	equal(t, s.RunID(), "run-2")
	s.claim("run-3", yes)
}

func TestRule24Failures(t *testing.T) {
	for _, tc := range []struct {
		name  string
		acked bool
		fail  func(session)
		want  interrupt.Phase
	}{
		{"not dispatched", false, func(s session) { s.RunEnded("run-2", interrupt.EndedNotDispatched) }, interrupt.PhasePending},
		{"broken", false, func(s session) { s.RunEnded("run-2", interrupt.EndedBroken) }, interrupt.PhaseUncertain},
		{"closed without a word", false, func(s session) { s.RunEnded("run-2", interrupt.EndedClean) }, interrupt.PhaseUncertain},
		{"error", false, func(s session) { s.Observe(&agui.RunError{}, "run-2") }, interrupt.PhaseUncertain},
		{"error after start", true, func(s session) { s.Observe(&agui.RunError{}, "run-2") }, interrupt.PhaseRecoveryRequired},
		{"error without a run id", true, func(s session) { s.Observe(&agui.RunError{}, "") }, interrupt.PhaseRecoveryRequired},
		{"cancelled after start", true, func(s session) { s.Observe(cancelled(), "run-2") }, interrupt.PhaseRecoveryRequired},
		{"broken after start", true, func(s session) { s.RunEnded("run-2", interrupt.EndedBroken) }, interrupt.PhaseRecoveryRequired},
		{"closed after start", true, func(s session) { s.RunEnded("run-2", interrupt.EndedClean) }, interrupt.PhaseRecoveryRequired},
		{"bad batch after start", true, func(s session) { s.Observe(outcome(), "run-2") }, interrupt.PhaseRecoveryRequired},
		{"another run fails", true, func(s session) { s.Observe(&agui.RunError{}, "run-0"); s.RunEnded("run-0", interrupt.EndedBroken) }, interrupt.PhaseAcknowledged},
		{"the new pause's run fails", true, func(s session) {
			s.Observe(notice(`{"q":2}`), "run-2")
			s.Observe(&agui.RunError{}, "run-2")
		}, interrupt.PhaseRecoveryRequired},
	} {
		t.Run(tc.name, func(t *testing.T) {
			s := paused(t)
			s.claim("run-2", yes)
			s.Dispatched("run-2")
			if tc.acked {
				s.Observe(&agui.RunStarted{}, "run-2")
			}
			tc.fail(s)
			if s.Phase() != tc.want {
				t.Fatalf("phase %s, want %s", s.Phase(), tc.want)
			}
			if a, ok := s.Attempt(); !ok || a.RunID != "run-2" {
				t.Fatalf("attempt not retained: %+v", a)
			}
		})
	}
}

func TestRule25RetrySendsTheSame(t *testing.T) {
	retained := func(expires string) session {
		s := newSession(t, interrupt.TransportAuto)
		s.Observe(outcome(agui.Interrupt{ID: "int-1", ExpiresAt: expires}), "run-1")
		s.claim("run-2", yes)
		s.Dispatched("run-2")
		s.RunEnded("run-2", interrupt.EndedNotDispatched)
		return s
	}
	s := retained("")
	if !s.Retryable() {
		t.Fatal("not retryable")
	}
	before, _ := s.Attempt()
	if _, err := s.Retry(2, noon); !errors.Is(err, interrupt.ErrStale) {
		t.Fatal(err)
	}
	again, err := s.Retry(1, noon)
	if err != nil {
		t.Fatal(err)
	}
	equal(t, again.RunID+sent(t, again.Wire)+string(again.Resume), before.RunID+sent(t, before.Wire)+string(before.Resume))
	s.want(interrupt.PhaseClaimed, 1)
	s.Observe(&agui.RunStarted{}, "run-2")
	s.want(interrupt.PhaseAcknowledged, 1)

	s = retained(noon.Add(time.Minute).Format(time.RFC3339))
	if _, err := s.Retry(1, noon.Add(time.Minute)); !errors.Is(err, interrupt.ErrExpired) {
		t.Fatalf("expired in between: %v", err)
	}
	s.want(interrupt.PhasePending, 1)

	for name, to := range map[string]func() session{
		"nothing pending": func() session { return newSession(t, "") },
		"never claimed":   func() session { return paused(t) },
		"uncertain": func() session {
			s := paused(t)
			s.claim("run-2", yes)
			s.RunEnded("run-2", interrupt.EndedBroken)
			return s
		},
		"recovery required": func() session {
			s := paused(t)
			s.claim("run-2", yes)
			s.Observe(&agui.RunStarted{}, "run-2")
			s.Observe(&agui.RunError{}, "run-2")
			return s
		},
	} {
		s := to()
		before := s.fingerprint()
		if _, err := s.Retry(s.Generation(), noon); err == nil {
			t.Errorf("%s: retried", name)
		}
		equal(t, s.fingerprint(), before)
	}
}

func TestRule26Abort(t *testing.T) {
	s := paused(t)
	s.claim("run-2", yes)
	if s.Release("run-9") || !s.Release("run-2") {
		t.Fatal("release must be of the claim's run")
	}
	s.want(interrupt.PhasePending, 1)
	if s.Retryable() {
		t.Fatal("a released claim is retained")
	}
	s.claim("run-3", `{"approved":false}`)

	s.Dispatched("run-3")
	if s.Release("run-3") {
		t.Fatal("released after dispatch")
	}
	s.RunEnded("run-3", interrupt.EndedBroken) // what a stop is
	s.want(interrupt.PhaseUncertain, 1)

	s = paused(t)
	s.claim("run-2", yes)
	s.Observe(&agui.RunStarted{}, "run-2")
	s.RunEnded("run-2", interrupt.EndedBroken)
	s.want(interrupt.PhaseRecoveryRequired, 1)
}
