package interrupt_test

import (
	"encoding/json"
	"errors"
	"testing"
	"time"

	"cairn/agentclient/interrupt"
	"cairn/agui"
)

var noon = time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)

const yes = `{"approved":true}`

// session drives one Session and fails the test on a wrong expectation.
type session struct {
	*interrupt.Session
	t *testing.T
}

func newSession(t *testing.T, transport interrupt.Transport) session {
	return session{interrupt.New(transport, interrupt.Profile{}), t}
}

func notice(value string) *agui.Custom {
	return &agui.Custom{Name: "on_interrupt", Value: json.RawMessage(value)}
}

// text wraps JSON in a JSON string, as producers of the older convention do.
func text(t *testing.T, v string) string {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func outcome(batch ...agui.Interrupt) *agui.RunFinished {
	return &agui.RunFinished{Outcome: &agui.Outcome{Type: agui.OutcomeInterrupt, Interrupts: batch}}
}

func cancelled() *agui.RunFinished {
	return &agui.RunFinished{Outcome: &agui.Outcome{Type: agui.OutcomeCancelled}}
}

func ask(id string) agui.Interrupt { return agui.Interrupt{ID: id, Reason: "confirmation"} }

// paused is a session in which run-1 has paused with one interrupt "int-1".
func paused(t *testing.T) session {
	s := newSession(t, interrupt.TransportAuto)
	s.Observe(&agui.RunStarted{}, "run-1")
	s.Observe(outcome(ask("int-1")), "run-1")
	s.want(interrupt.PhasePending, 1)
	return s
}

func (s session) want(p interrupt.Phase, gen int) {
	s.t.Helper()
	if s.Phase() != p || s.Generation() != gen {
		s.t.Fatalf("phase %s, generation %d; want %s, %d", s.Phase(), s.Generation(), p, gen)
	}
}

func (s session) claim(runID, resume string) interrupt.Wire {
	s.t.Helper()
	w, err := s.Claim(s.Generation(), runID, json.RawMessage(resume), noon)
	if err != nil {
		s.t.Fatalf("claim: %v", err)
	}
	return w
}

// refuse expects a claim to fail with want and to leave the session as it was.
func (s session) refuse(gen int, runID, resume string, now time.Time, want error) {
	s.t.Helper()
	before := s.fingerprint()
	_, err := s.Claim(gen, runID, json.RawMessage(resume), now)
	if !errors.Is(err, want) {
		s.t.Fatalf("claim: error %v, want %v", err, want)
	}
	if after := s.fingerprint(); after != before {
		s.t.Fatalf("a refused claim changed the session\nbefore %s\nafter  %s", before, after)
	}
}

// fingerprint is all of a session that can be seen from outside.
func (s session) fingerprint() string {
	s.t.Helper()
	a, ok := s.Attempt()
	b, err := json.Marshal([]any{s.Phase(), s.Generation(), s.RunID(), s.Pending(), s.Blocked(), s.Retryable(), a, ok})
	if err != nil {
		s.t.Fatal(err)
	}
	return string(b)
}

// sent returns a wire as the JSON members of the request it goes into.
func sent(t *testing.T, w interrupt.Wire) string {
	t.Helper()
	b, err := json.Marshal(struct {
		Props  json.RawMessage    `json:"forwardedProps,omitempty"`
		Resume []agui.ResumeEntry `json:"resume,omitempty"`
	}{w.ForwardedProps, w.Resume})
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func equal(t *testing.T, got, want string) {
	t.Helper()
	if got != want {
		t.Fatalf("\n got %s\nwant %s", got, want)
	}
}
