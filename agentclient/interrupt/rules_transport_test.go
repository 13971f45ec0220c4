package interrupt_test

import (
	"encoding/json"
	"errors"
	"testing"

	"cairn/agentclient/interrupt"
	"cairn/agui"
)

func TestRule10Transports(t *testing.T) {
	for _, tr := range []interrupt.Transport{
		interrupt.TransportAuto, interrupt.TransportProtocol, interrupt.TransportLegacyCommand, interrupt.TransportMastraCommand,
	} {
		t.Run(string(tr), func(t *testing.T) {
			s := newSession(t, tr)
			s.Observe(notice(`{"toolCallId":"call-1"}`), "run-1")
			s.Observe(outcome(ask("int-1")), "run-1")
			s.claim("run-2", yes)
		})
	}
	t.Run("auto is the default", func(t *testing.T) {
		s := newSession(t, "")
		s.Observe(notice(`{"toolCallId":"call-1"}`), "run-1")
		s.Observe(outcome(ask("int-1")), "run-1")
		if w := s.claim("run-2", yes); w.Resume == nil {
			t.Fatal("not the protocol's array")
		}
	})
	t.Run("an unknown one answers nothing", func(t *testing.T) {
		s := newSession(t, "carrier-pigeon")
		s.Observe(outcome(ask("int-1")), "run-1")
		s.refuse(1, "run-2", yes, noon, interrupt.ErrNotAddressable)
	})
}

func TestRule11DecisionTable(t *testing.T) {
	const (
		array   = `{"resume":[{"interruptId":"int-1","status":"resolved","payload":{"approved":true}}]}`
		event   = `{"forwardedProps":{"command":{"resume":{"approved":true},"interruptEvent":{"toolCallId":"call-1","runId":"run-1"}}}}`
		bare    = `{"forwardedProps":{"command":{"resume":{"approved":true}}}}`
		refused = ""
	)
	withCall, withoutCall, numberCall := `{"toolCallId":"call-1"}`, `{"q":1}`, `{"toolCallId":7}`
	for _, tc := range []struct {
		transport interrupt.Transport
		native    bool
		legacy    string
		want      string
	}{
		{interrupt.TransportProtocol, true, withCall, array},
		{interrupt.TransportProtocol, true, "", array},
		{interrupt.TransportProtocol, false, withCall, refused},
		{interrupt.TransportAuto, true, withCall, array},
		{interrupt.TransportAuto, true, "", array},
		{interrupt.TransportAuto, false, withCall, event},
		{interrupt.TransportAuto, false, withoutCall, bare},
		{interrupt.TransportAuto, false, numberCall, bare},
		{interrupt.TransportAuto, false, `"just text"`, bare},
		{interrupt.TransportMastraCommand, true, withCall, event},
		{interrupt.TransportMastraCommand, false, withCall, event},
		{interrupt.TransportMastraCommand, true, withoutCall, refused},
		{interrupt.TransportMastraCommand, true, "", refused},
		{interrupt.TransportLegacyCommand, true, withCall, bare},
		{interrupt.TransportLegacyCommand, true, "", bare},
		{interrupt.TransportLegacyCommand, false, withoutCall, bare},
	} {
		name := string(tc.transport)
		if tc.native {
			name += " outcome"
		}
		t.Run(name+" "+tc.legacy, func(t *testing.T) {
			s := newSession(t, tc.transport)
			if tc.legacy != "" {
				s.Observe(notice(tc.legacy), "run-1")
			}
			if tc.native {
				s.Observe(outcome(ask("int-1")), "run-1")
			} else {
				s.Observe(&agui.RunFinished{}, "run-1")
			}
			if tc.want == refused {
				s.refuse(1, "run-2", yes, noon, interrupt.ErrNotAddressable)
				return
			}
			equal(t, sent(t, s.claim("run-2", yes)), tc.want)
		})
	}
}

func TestRule12OrderOfArrivalDoesNotMatter(t *testing.T) {
	for _, tr := range []interrupt.Transport{interrupt.TransportAuto, interrupt.TransportMastraCommand} {
		build := func(signals ...agui.Event) session {
			s := newSession(t, tr)
			for _, ev := range signals {
				s.Observe(ev, "run-1")
			}
			s.RunEnded("run-1", interrupt.EndedClean)
			return s
		}
		n, o := notice(`{"toolCallId":"call-1","q":1}`), outcome(agui.Interrupt{ID: "int-1", ToolCallID: "call-1"})
		a, b := build(n, o), build(o, n)
		equal(t, a.fingerprint(), b.fingerprint())
		equal(t, sent(t, a.claim("run-2", yes)), sent(t, b.claim("run-2", yes)))
	}
}

func TestRule13InterruptEvent(t *testing.T) {
	for _, tc := range []struct{ name, value, runID, want string }{
		{"the value's run id", `{"toolCallId":"c","runId":"r-value"}`, "run-1", `{"toolCallId":"c","runId":"r-value"}`},
		{"else the session's", `{"toolCallId":"c"}`, "run-1", `{"toolCallId":"c","runId":"run-1"}`},
		{"a run id that is no string", `{"toolCallId":"c","runId":7}`, "run-1", `{"toolCallId":"c","runId":"run-1"}`},
		{"else none", `{"toolCallId":"c"}`, "", `{"toolCallId":"c"}`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			s := newSession(t, interrupt.TransportMastraCommand)
			s.Observe(notice(text(t, tc.value)), tc.runID)
			s.Observe(&agui.RunFinished{}, tc.runID)
			want := `{"forwardedProps":{"command":{"resume":{"approved":true},"interruptEvent":` + tc.want + `}}}`
			equal(t, sent(t, s.claim("run-2", yes)), want)
		})
	}
}

// The reference client keeps a ledger of open interrupts that stands in the way of
// a command; here there is none, so the rule is that nothing of the batch travels.
func TestRule14CommandsCarryNoResumeArray(t *testing.T) {
	for _, tr := range []interrupt.Transport{interrupt.TransportMastraCommand, interrupt.TransportLegacyCommand} {
		s := newSession(t, tr)
		s.Observe(notice(`{"toolCallId":"call-1"}`), "run-1")
		s.Observe(outcome(ask("int-1"), ask("int-2")), "run-1")
		if w := s.claim("run-2", yes); w.Resume != nil || w.ForwardedProps == nil {
			t.Fatalf("%s: %s", tr, sent(t, w))
		}
	}
	s := newSession(t, interrupt.TransportProtocol)
	s.Observe(outcome(ask("int-1")), "run-1")
	if w := s.claim("run-2", yes); w.ForwardedProps != nil {
		t.Fatalf("protocol: %s", sent(t, w))
	}
}

func TestRule15BareValueOverTheProtocol(t *testing.T) {
	s := paused(t)
	equal(t, sent(t, s.claim("run-2", `{"approved":true}`)),
		`{"resume":[{"interruptId":"int-1","status":"resolved","payload":{"approved":true}}]}`)

	s = paused(t)
	equal(t, sent(t, s.claim("run-2", `null`)), `{"resume":[{"interruptId":"int-1","status":"resolved"}]}`)

	s = newSession(t, interrupt.TransportProtocol)
	s.Observe(outcome(ask("a"), ask("b")), "run-1")
	s.refuse(1, "run-2", yes, noon, interrupt.ErrBadDecision)
}

func TestRule16StructuredAnswer(t *testing.T) {
	for _, tc := range []struct{ name, resume, want string }{
		{"every id once", `[{"interruptId":"b","status":"resolved","payload":1},{"interruptId":"a","status":"cancelled"}]`,
			`{"resume":[{"interruptId":"b","status":"resolved","payload":1},{"interruptId":"a","status":"cancelled"}]}`},
		{"id is an alias", `[{"id":"a"},{"id":"b","interruptId":"b"}]`,
			`{"resume":[{"interruptId":"a","status":"resolved"},{"interruptId":"b","status":"resolved"}]}`},
		{"white space before it", " \n[{\"id\":\"a\"},{\"id\":\"b\",\"payload\":null}]",
			`{"resume":[{"interruptId":"a","status":"resolved"},{"interruptId":"b","status":"resolved"}]}`},
		{"alias conflict", `[{"id":"a","interruptId":"b"},{"id":"b"}]`, ""},
		{"unknown id", `[{"id":"a"},{"id":"b"},{"id":"c"}]`, ""},
		{"missing id", `[{"id":"a"}]`, ""},
		{"duplicate id", `[{"id":"a"},{"id":"b"},{"id":"a"}]`, ""},
		{"no id", `[{"payload":1},{"id":"b"}]`, ""},
		{"empty array", `[]`, ""},
		{"not entries", `[1,2]`, ""},
		{"unknown status", `[{"id":"a","status":"maybe"},{"id":"b"}]`, ""},
		{"cancelled with a payload", `[{"id":"a","status":"cancelled","payload":1},{"id":"b"}]`, ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			s := newSession(t, interrupt.TransportAuto)
			s.Observe(outcome(ask("a"), ask("b")), "run-1")
			if tc.want == "" {
				s.refuse(1, "run-2", tc.resume, noon, interrupt.ErrBadDecision)
				return
			}
			equal(t, sent(t, s.claim("run-2", tc.resume)), tc.want)
		})
	}
}

func TestRule17RefusalIsADecision(t *testing.T) {
	s := paused(t)
	equal(t, sent(t, s.claim("run-2", `{"approved":false}`)),
		`{"resume":[{"interruptId":"int-1","status":"resolved","payload":{"approved":false}}]}`)
}

func TestPlainErrorsStayDistinct(t *testing.T) {
	all := []error{interrupt.ErrNothingPending, interrupt.ErrStale, interrupt.ErrAlreadyClaimed, interrupt.ErrRetained,
		interrupt.ErrExpired, interrupt.ErrBadDecision, interrupt.ErrNotAddressable}
	for i, a := range all {
		for j, b := range all {
			if (i == j) != errors.Is(a, b) {
				t.Errorf("%v and %v", a, b)
			}
		}
	}
	if _, err := json.Marshal(interrupt.Wire{}); err != nil {
		t.Error(err)
	}
}
