package interrupt_test

import (
	"encoding/json"
	"errors"
	"testing"
	"time"

	"cairn/agentclient/interrupt"
	"cairn/agui"
)

// three is a session with three questions: one without end, one that expires at
// noon, one whose expiry nobody can read.
func three(t *testing.T) session {
	s := newSession(t, interrupt.TransportAuto)
	s.Observe(&agui.RunStarted{}, "run-1")
	s.Observe(notice(`{"toolCallId":"call-a"}`), "run-1")
	s.Observe(outcome(
		agui.Interrupt{ID: "a", ToolCallID: "call-a"},
		agui.Interrupt{ID: "b", ExpiresAt: noon.Format(time.RFC3339)},
		agui.Interrupt{ID: "c", ExpiresAt: "tomorrow"},
	), "run-1")
	return s
}

func TestOneAnswerForABatch(t *testing.T) {
	before := noon.Add(-time.Second)
	for _, tc := range []struct {
		name, resume string
		at           time.Time
		want         error
	}{
		{"all of them, those that are late cancelled", `[{"interruptId":"a","payload":{"approved":true}},{"interruptId":"b","status":"cancelled"},{"interruptId":"c","status":"cancelled"}]`, noon, nil},
		{"in another order", `[{"interruptId":"c","status":"cancelled"},{"interruptId":"b","payload":1},{"interruptId":"a"}]`, before, nil},
		{"what is late is answered", `[{"interruptId":"a"},{"interruptId":"b","payload":1},{"interruptId":"c","status":"cancelled"}]`, noon, interrupt.ErrExpired},
		{"an expiry nobody can read is over", `[{"interruptId":"a"},{"interruptId":"b"},{"interruptId":"c"}]`, before, interrupt.ErrExpired},
		{"one twice, in the place of another", `[{"interruptId":"a"},{"interruptId":"b"},{"interruptId":"b"}]`, before, interrupt.ErrBadDecision},
		{"one left out", `[{"interruptId":"a"},{"interruptId":"c","status":"cancelled"}]`, before, interrupt.ErrBadDecision},
		{"one that is not asked", `[{"interruptId":"a"},{"interruptId":"b"},{"interruptId":"c","status":"cancelled"},{"interruptId":"d"}]`, before, interrupt.ErrBadDecision},
		{"one value for all", `{"approved":true}`, before, interrupt.ErrBadDecision},
		{"a list of values", `[true,true,false]`, before, interrupt.ErrBadDecision},
		{"no JSON", `[`, before, interrupt.ErrBadDecision},
		{"nothing", ``, before, interrupt.ErrBadDecision},
	} {
		t.Run(tc.name, func(t *testing.T) {
			s := three(t)
			if err := s.Answerable(json.RawMessage(tc.resume), tc.at); !errors.Is(err, tc.want) {
				t.Fatalf("answerable: %v, want %v", err, tc.want)
			}
			if tc.want != nil {
				s.refuse(1, "run-2", tc.resume, tc.at, tc.want)
				return
			}
			w, err := s.Claim(1, "run-2", json.RawMessage(tc.resume), tc.at)
			if err != nil {
				t.Fatal(err)
			}
			ids := map[string]int{}
			for _, e := range w.Resume {
				ids[e.InterruptID]++
			}
			if len(w.Resume) != 3 || ids["a"] != 1 || ids["b"] != 1 || ids["c"] != 1 || w.ForwardedProps != nil {
				t.Fatalf("wire %s", sent(t, w))
			}
			if err := s.Answerable(json.RawMessage(tc.resume), tc.at); !errors.Is(err, interrupt.ErrNothingPending) {
				t.Fatalf("answerable once it is decided: %v", err)
			}
		})
	}
}

// A batch that was answered in part comes again as a pause of its own
// (measured: an agent answers the rest of two questions with a second outcome).
func TestTheRestOfABatchIsANewPause(t *testing.T) {
	s := newSession(t, interrupt.TransportProtocol)
	s.Observe(outcome(ask("a"), ask("b")), "run-1")
	s.claim("run-2", `[{"id":"a","payload":1},{"id":"b","payload":2}]`)
	s.Observe(&agui.RunStarted{}, "run-2")
	s.Observe(outcome(ask("b")), "run-2")
	s.want(interrupt.PhasePending, 2)
	s.refuse(2, "run-3", `[{"id":"a"},{"id":"b"}]`, noon, interrupt.ErrBadDecision)
	equal(t, sent(t, s.claim("run-3", `2`)), `{"resume":[{"interruptId":"b","status":"resolved","payload":2}]}`)
}

// The decision is what leaves, whole, for one question and over a command.
func TestAListAsAValue(t *testing.T) {
	s := paused(t)
	s.refuse(1, "run-2", `["red","blue"]`, noon, interrupt.ErrBadDecision)
	equal(t, sent(t, s.claim("run-2", `[{"interruptId":"int-1","payload":["red","blue"]}]`)),
		`{"resume":[{"interruptId":"int-1","status":"resolved","payload":["red","blue"]}]}`)

	s = newSession(t, interrupt.TransportLegacyCommand)
	s.Observe(notice(`{"q":1}`), "run-1")
	s.Observe(&agui.RunFinished{}, "run-1")
	equal(t, sent(t, s.claim("run-2", `["red","blue"]`)), `{"forwardedProps":{"command":{"resume":["red","blue"]}}}`)
}

func TestAnswerableByPhaseAndTransport(t *testing.T) {
	for name, tc := range map[string]struct {
		session func() session
		want    error
	}{
		"nothing asked": {func() session { return newSession(t, "") }, interrupt.ErrNothingPending},
		"still collecting": {func() session {
			s := newSession(t, "")
			s.Observe(notice(`{}`), "run-1")
			return s
		}, interrupt.ErrNothingPending},
		"pending": {func() session { return paused(t) }, nil},
		"not over this transport": {func() session {
			s := newSession(t, interrupt.TransportMastraCommand)
			s.Observe(outcome(ask("a")), "run-1")
			return s
		}, interrupt.ErrNotAddressable},
		"in doubt": {func() session { return uncertain(t) }, interrupt.ErrNothingPending},
	} {
		t.Run(name, func(t *testing.T) {
			s := tc.session()
			before := s.fingerprint()
			if err := s.Answerable(json.RawMessage(yes), noon); !errors.Is(err, tc.want) {
				t.Fatalf("%v, want %v", err, tc.want)
			}
			equal(t, s.fingerprint(), before)
		})
	}
}

// A question that is plain text is its message.
func TestPlainTextNotice(t *testing.T) {
	s := newSession(t, interrupt.TransportLegacyCommand)
	s.Observe(notice(`"Shall I book?"`), "run-1")
	equal(t, s.Pending()[0].Message, "Shall I book?")
	s.Observe(notice(`7`), "run-1")
	equal(t, s.Pending()[0].Message, "")
}
