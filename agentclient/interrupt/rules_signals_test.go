package interrupt_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"cairn/agentclient/interrupt"
	"cairn/agui"
)

// The tests of the rules_*_test.go files are the rules of an interrupt session,
// one each. The parts of them that other packages keep:
//
//   - 9, refusing messages and leaving the conversation untouched: the web edge,
//     which asks Blocked before it appends anything; Blocked is tested here.
//   - 19 and 25, the messages and the state of the frozen request: the runner. The
//     log is blocked between claim and retry, so both requests fold the same rows.
//   - 21, storing the claim before the request and losing to another tab: the
//     thread log's append with an expected sequence number. The order of the
//     phases is tested here.
//   - 28, who may look up a decision's fate and when: the application. What a
//     verdict may change is tested here.
//   - 30, one response and no replay: the runner sends a decision from a stored
//     claim only; the session's half is tested here.

func TestRule01PhasesAndSession(t *testing.T) {
	s := newSession(t, interrupt.TransportAuto)
	s.want(interrupt.PhaseNone, 0)
	s.Observe(notice(`{"q":1}`), "run-1")
	s.want(interrupt.PhaseCollecting, 1)
	s.Observe(outcome(ask("int-1")), "run-1")
	s.want(interrupt.PhasePending, 1)
	equal(t, s.RunID(), "run-1")
	if _, ok := s.Attempt(); ok {
		t.Fatal("an attempt before a claim")
	}
	s.claim("run-2", yes)
	s.want(interrupt.PhaseClaimed, 1)
	s.Dispatched("run-2")
	s.want(interrupt.PhaseResuming, 1)
	s.Observe(&agui.RunStarted{}, "run-2")
	s.want(interrupt.PhaseAcknowledged, 1)
	s.RunEnded("run-2", interrupt.EndedBroken)
	s.want(interrupt.PhaseRecoveryRequired, 1)

	u := paused(t)
	u.claim("run-2", yes)
	u.RunEnded("run-2", interrupt.EndedBroken)
	u.want(interrupt.PhaseUncertain, 1)
}

func TestRule02SignalOpensGeneration(t *testing.T) {
	s := newSession(t, interrupt.TransportAuto)
	s.Observe(notice(`{"q":1}`), "run-1")
	s.want(interrupt.PhaseCollecting, 1)
	s.Observe(notice(`{"q":2}`), "run-1")
	s.want(interrupt.PhaseCollecting, 1)

	// A different run: the old batch is dropped.
	s.Observe(outcome(ask("int-9")), "run-9")
	s.want(interrupt.PhasePending, 2)
	if p := s.Pending(); len(p) != 1 || p[0].ID != "int-9" {
		t.Fatalf("pending %v", p)
	}

	// The resume run itself.
	s.claim("run-10", yes)
	s.Observe(&agui.RunStarted{}, "run-10")
	s.Observe(notice(`{"q":3}`), "run-10")
	s.want(interrupt.PhaseCollecting, 3)
	if _, ok := s.Attempt(); ok {
		t.Fatal("the old attempt belongs to the new generation")
	}
}

func TestRule03AnswerableOnlyWhenTheRunHasPaused(t *testing.T) {
	for name, pause := range map[string]func(session) bool{
		"finished":    func(s session) bool { return s.Observe(&agui.RunFinished{}, "run-1") },
		"clean close": func(s session) bool { return s.RunEnded("run-1", interrupt.EndedClean) },
	} {
		t.Run(name, func(t *testing.T) {
			s := newSession(t, interrupt.TransportAuto)
			s.Observe(notice(`{"q":1}`), "run-1")
			s.refuse(1, "run-2", yes, noon, interrupt.ErrNothingPending)
			if !pause(s) {
				t.Fatal("no change reported")
			}
			s.want(interrupt.PhasePending, 1)
			s.claim("run-2", yes)
		})
	}
	t.Run("another run's end", func(t *testing.T) {
		s := newSession(t, interrupt.TransportAuto)
		s.Observe(notice(`{"q":1}`), "run-1")
		s.Observe(&agui.RunFinished{}, "run-0")
		s.RunEnded("run-0", interrupt.EndedClean)
		s.want(interrupt.PhaseCollecting, 1)
	})
	for name, fail := range map[string]func(session){
		"error":     func(s session) { s.Observe(&agui.RunError{}, "run-1") },
		"cancelled": func(s session) { s.Observe(cancelled(), "run-1") },
		"broken":    func(s session) { s.RunEnded("run-1", interrupt.EndedBroken) },
	} {
		t.Run("no pause after "+name, func(t *testing.T) {
			s := newSession(t, interrupt.TransportAuto)
			s.Observe(notice(`{"q":1}`), "run-1")
			fail(s)
			s.want(interrupt.PhaseNone, 1)
		})
	}
}

func TestRule04BothConventionsKeptTogether(t *testing.T) {
	p := interrupt.Profile{Payload: []string{"legacy.site"}, Args: []string{"native.metadata.args"}}
	s := session{interrupt.New(interrupt.TransportAuto, p), t}
	it := ask("int-1")
	it.ToolCallID = "call-1"
	it.Metadata = map[string]json.RawMessage{"args": json.RawMessage(`{"nights":2}`)}
	s.Observe(notice(`{"toolCallId":"call-1","site":{"name":"North Pines"}}`), "run-1")
	s.Observe(outcome(it), "run-1")
	got := s.Pending()
	if len(got) != 1 {
		t.Fatalf("pending %v", got)
	}
	equal(t, got[0].ID+" "+string(got[0].Payload)+" "+string(got[0].Args), `int-1 {"name":"North Pines"} {"nights":2}`)
}

func TestRule05NativeBatch(t *testing.T) {
	for name, batch := range map[string][]agui.Interrupt{
		"empty":      {},
		"no id":      {ask("int-1"), {Reason: "r"}},
		"duplicates": {ask("int-1"), ask("int-1")},
	} {
		t.Run(name, func(t *testing.T) {
			s := newSession(t, interrupt.TransportAuto)
			s.Observe(notice(`{"q":1}`), "run-1")
			s.Observe(outcome(batch...), "run-1")
			s.want(interrupt.PhaseNone, 1)
		})
	}
	t.Run("reason may be missing", func(t *testing.T) {
		ev, err := agui.Decode([]byte(`{"type":"RUN_FINISHED","threadId":"t","runId":"run-1","outcome":{"type":"interrupt","interrupts":[{"id":"a","extra":1,"metadata":{"x":{"y":2}}}]}}`))
		if err != nil {
			t.Fatal(err)
		}
		s := session{interrupt.New("", interrupt.Profile{Payload: []string{"native.metadata.x"}}), t}
		s.Observe(ev, "")
		s.want(interrupt.PhasePending, 1)
		equal(t, s.Pending()[0].Reason, "")
		equal(t, string(s.Pending()[0].Payload), `{"y":2}`)
	})
	t.Run("of another thread", func(t *testing.T) {
		for name, end := range map[string]string{
			"an outcome":     `{"type":"RUN_FINISHED","threadId":"%s","runId":"run-1","outcome":{"type":"interrupt","interrupts":[{"id":"a"}]}}`,
			"after a notice": `{"type":"RUN_FINISHED","threadId":"%s","runId":"run-1"}`,
		} {
			for thread, phase := range map[string]interrupt.Phase{"other": interrupt.PhaseNone, "t": interrupt.PhasePending} {
				s := newSession(t, interrupt.TransportAuto)
				s.Observe(&agui.RunStarted{ThreadID: "t", RunID: "run-1"}, "run-1")
				s.Observe(notice(`{"q":1}`), "run-1")
				ev, err := agui.Decode(fmt.Appendf(nil, end, thread))
				if err != nil {
					t.Fatal(err)
				}
				s.Observe(ev, "run-1")
				if s.Phase() != phase {
					t.Errorf("%s of %s: %s", name, thread, s.Phase())
				}
			}
		}
	})
	t.Run("two outcomes merge by id", func(t *testing.T) {
		s := newSession(t, interrupt.TransportAuto)
		s.Observe(outcome(ask("a"), ask("b")), "run-1")
		again := ask("b")
		again.Message = "second"
		s.Observe(outcome(again, ask("c")), "run-1")
		s.want(interrupt.PhasePending, 1)
		got := s.Pending()
		if len(got) != 3 {
			t.Fatalf("%d pending", len(got))
		}
		equal(t, got[0].ID+got[1].ID+got[1].Message+got[2].ID, "absecondc")
	})
}

func TestRule06NoticeValue(t *testing.T) {
	for _, tc := range []struct{ name, value, want string }{
		{"string of JSON is parsed", text(t, `{"q":1}`), `{"q":1}`},
		{"object is kept", `{"q":1}`, `{"q":1}`},
		{"other text stays opaque", `"please say yes"`, `"please say yes"`},
		{"number", `5`, `5`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			s := session{interrupt.New("", interrupt.Profile{Payload: []string{"legacy"}}), t}
			s.Observe(notice(tc.value), "run-1")
			equal(t, string(s.Pending()[0].Payload), tc.want)
		})
	}
	t.Run("the same notice again keeps its id", func(t *testing.T) {
		s := session{interrupt.New("", interrupt.Profile{Payload: []string{"legacy.q"}}), t}
		s.Observe(notice(`{"q":1}`), "run-1")
		id := s.Pending()[0].ID
		s.Observe(notice(`{"q":2}`), "run-1")
		s.want(interrupt.PhaseCollecting, 1)
		equal(t, s.Pending()[0].ID+" "+string(s.Pending()[0].Payload), id+" 2")
	})
	t.Run("other CUSTOM events do not count", func(t *testing.T) {
		s := newSession(t, interrupt.TransportAuto)
		if s.Observe(&agui.Custom{Name: "usage", Value: json.RawMessage(`{}`)}, "run-1") {
			t.Fatal("changed")
		}
		s.want(interrupt.PhaseNone, 0)
	})
}

func TestRule07LateSignalsIgnored(t *testing.T) {
	late := []struct {
		name  string
		ev    agui.Event
		runID string
	}{
		{"notice of the paused run", notice(`{"q":2}`), "run-1"},
		{"notice without a run", notice(`{"q":2}`), ""},
		{"outcome of the paused run", outcome(ask("int-2")), "run-1"},
		{"outcome without a run", outcome(ask("int-2")), ""},
	}
	stages := []struct {
		name string
		to   func(session)
	}{
		{"claimed", func(session) {}},
		{"resuming", func(s session) { s.Dispatched("run-2") }},
		{"acknowledged", func(s session) { s.Observe(&agui.RunStarted{}, "run-2") }},
		{"uncertain", func(s session) { s.RunEnded("run-2", interrupt.EndedBroken) }},
		{"retained", func(s session) { s.RunEnded("run-2", interrupt.EndedNotDispatched) }},
	}
	for _, stage := range stages {
		for _, sig := range late {
			t.Run(stage.name+"/"+sig.name, func(t *testing.T) {
				s := paused(t)
				s.claim("run-2", yes)
				stage.to(s)
				before := s.fingerprint()
				if s.Observe(sig.ev, sig.runID) {
					t.Fatal("a change is reported")
				}
				equal(t, s.fingerprint(), before)
			})
		}
	}
}

func TestRule08WhatIsShown(t *testing.T) {
	both := func(tr interrupt.Transport) session {
		p := interrupt.Profile{Payload: []string{"legacy.q", "native.metadata.q"}}
		s := session{interrupt.New(tr, p), t}
		s.Observe(notice(`{"q":1,"toolCallId":"call-1"}`), "run-1")
		s.Observe(outcome(agui.Interrupt{ID: "int-1", ToolCallID: "call-1"}, ask("int-2")), "run-1")
		return s
	}
	for tr, want := range map[interrupt.Transport]string{
		interrupt.TransportAuto:          "int-1",
		interrupt.TransportProtocol:      "int-1",
		interrupt.TransportMastraCommand: "notice-1",
		interrupt.TransportLegacyCommand: "notice-1",
	} {
		t.Run(string(tr), func(t *testing.T) {
			s := both(tr)
			equal(t, s.Pending()[0].ID, want)
			equal(t, string(s.Pending()[0].Payload), "1")
			equal(t, s.RunID(), "run-1")
		})
	}
	s := both(interrupt.TransportMastraCommand)
	s.claim("run-2", yes)
	if len(s.Pending()) != 1 {
		t.Fatal("claimed: the question must still be shown")
	}
	s.Observe(&agui.RunStarted{}, "run-2")
	if len(s.Pending()) != 0 {
		t.Fatal("acknowledged: the question is still shown")
	}
	s.Observe(&agui.RunFinished{}, "run-2")
	if len(s.Pending()) != 0 || s.RunID() != "" {
		t.Fatal("none: a question is shown")
	}
}

func TestRule09EveryPhaseButNoneBlocks(t *testing.T) {
	s := newSession(t, interrupt.TransportAuto)
	check := func(p interrupt.Phase) {
		t.Helper()
		if s.Phase() != p || s.Blocked() != (p != interrupt.PhaseNone) {
			t.Fatalf("phase %s (want %s), blocked %v", s.Phase(), p, s.Blocked())
		}
	}
	check(interrupt.PhaseNone)
	s.Observe(notice(`{"q":1}`), "run-1")
	check(interrupt.PhaseCollecting)
	s.Observe(&agui.RunFinished{}, "run-1")
	check(interrupt.PhasePending)
	s.claim("run-2", yes)
	check(interrupt.PhaseClaimed)
	s.Dispatched("run-2")
	check(interrupt.PhaseResuming)
	s.Observe(&agui.RunStarted{}, "run-2")
	check(interrupt.PhaseAcknowledged)
	s.Observe(&agui.RunError{}, "run-2")
	check(interrupt.PhaseRecoveryRequired)
	if err := s.Reconcile(1, interrupt.VerdictCompleted, nil); err != nil {
		t.Fatal(err)
	}
	check(interrupt.PhaseNone)
}
