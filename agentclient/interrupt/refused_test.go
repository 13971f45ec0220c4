package interrupt_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"cairn/agentclient/interrupt"
	"cairn/agui"
)

// owed are the ids that the next request cancels.
func (s session) owed() (ids []string) {
	s.t.Helper()
	for _, e := range s.Owed() {
		if e.Status != agui.ResumeCancelled || e.Payload != nil {
			s.t.Fatalf("entry %+v does not cancel", e)
		}
		ids = append(ids, e.InterruptID)
	}
	return ids
}

func of(id, call string) agui.Interrupt {
	return agui.Interrupt{ID: id, Reason: "tool_call", ToolCallID: call}
}

// TestARefusedPause: what is no pause is kept to be shown, with the calls it named, and
// the next request cancels the ids it has.
func TestARefusedPause(t *testing.T) {
	for _, c := range []struct {
		name        string
		batch       []agui.Interrupt
		calls, owed []string
	}{
		{"one id twice", []agui.Interrupt{of("i", "d1"), of("i", "d2")}, []string{"d1", "d2"}, []string{"i"}},
		{"one id twice among others", []agui.Interrupt{of("a", "d1"), of("i", "d2"), of("i", "d3")}, []string{"d1", "d2", "d3"}, []string{"a", "i"}},
		{"no id", []agui.Interrupt{of("", "d1")}, []string{"d1"}, nil},
		{"one without an id", []agui.Interrupt{of("i", "d1"), of("", "d2")}, []string{"d1", "d2"}, []string{"i"}},
		{"nothing", nil, nil, nil},
	} {
		for _, transport := range []interrupt.Transport{interrupt.TransportAuto, interrupt.TransportProtocol, interrupt.TransportMastraCommand, interrupt.TransportLegacyCommand} {
			t.Run(c.name+"/"+string(transport), func(t *testing.T) {
				s := newSession(t, transport)
				if !s.Observe(outcome(c.batch...), "run-1") {
					t.Fatal("no change reported")
				}
				s.RunEnded("run-1", interrupt.EndedClean)
				s.want(interrupt.PhaseNone, 1)
				no := s.Refused()
				if no == nil || no.RunID != "run-1" || no.Generation != 1 || !errors.Is(no.Err, interrupt.ErrBadBatch) || len(no.Pending) != len(c.batch) {
					t.Fatalf("refused %+v", no)
				}
				if !slices.Equal(no.Calls, c.calls) {
					t.Errorf("calls %q, want %q", no.Calls, c.calls)
				}
				want := c.owed
				if transport == interrupt.TransportMastraCommand || transport == interrupt.TransportLegacyCommand {
					want = nil // a command has no way to say it
				}
				if got := s.owed(); !slices.Equal(got, want) {
					t.Errorf("owed %q, want %q", got, want)
				}
				s.refuse(1, "run-2", yes, noon, interrupt.ErrNothingPending)

				s.Observe(&agui.RunStarted{}, "run-2")
				if got := s.owed(); got != nil {
					t.Errorf("owed %q once it was sent", got)
				}
			})
		}
	}
}

// TestARefusedPauseOfARun that carried a decision leaves that decision in doubt. What is
// open at the agent is the newer pause.
func TestARefusedPauseOfARun(t *testing.T) {
	for name, before := range map[string]func(session){
		"an outcome":        func(session) {},
		"after its start":   func(s session) { s.Observe(&agui.RunStarted{}, "run-2") },
		"after a notice":    func(s session) { s.Observe(&agui.RunStarted{}, "run-2"); s.Observe(notice(`{"q":2}`), "run-2") },
		"without any start": func(s session) { s.Observe(notice(`{"q":2}`), "run-2") },
	} {
		t.Run(name, func(t *testing.T) {
			s := paused(t)
			s.claim("run-2", yes)
			s.Dispatched("run-2")
			before(s)
			s.Observe(outcome(of("x", "d1"), of("x", "d2")), "run-2")
			s.RunEnded("run-2", interrupt.EndedClean)
			if a, ok := s.Attempt(); !ok || a.RunID != "run-2" || s.Phase() != interrupt.PhaseRecoveryRequired && s.Phase() != interrupt.PhaseUncertain {
				t.Fatalf("%s, attempt %+v", s.Phase(), a)
			}
			if no := s.Refused(); no == nil || no.Generation != s.Generation() || !slices.Equal(no.Calls, []string{"d1", "d2"}) {
				t.Fatalf("refused %+v", no)
			}
			if !s.Abandon() {
				t.Fatal("the conversation cannot go on")
			}
			if got := s.owed(); !slices.Equal(got, []string{"x"}) {
				t.Errorf("owed %q", got)
			}
		})
	}
}

// TestAPauseAfterARefusedOne is an ordinary one.
func TestAPauseAfterARefusedOne(t *testing.T) {
	s := newSession(t, interrupt.TransportAuto)
	s.Observe(outcome(), "run-1")
	s.RunEnded("run-1", interrupt.EndedClean)
	s.Observe(outcome(ask("int-1")), "run-2")
	s.want(interrupt.PhasePending, 2)
	if s.Refused() != nil {
		t.Error("the refused one is still there")
	}
	s.claim("run-3", yes)
}

// TestAForeignPause is shown and not cancelled: its interrupts are not this thread's.
func TestAForeignPause(t *testing.T) {
	for name, end := range map[string]*agui.RunFinished{
		"an outcome":     {ThreadID: "other", Outcome: &agui.Outcome{Type: agui.OutcomeInterrupt, Interrupts: []agui.Interrupt{of("i", "d1")}}},
		"after a notice": {ThreadID: "other"},
	} {
		t.Run(name, func(t *testing.T) {
			s := newSession(t, interrupt.TransportAuto)
			s.Observe(&agui.RunStarted{ThreadID: "t"}, "run-1")
			s.Observe(notice(`{"toolCallId":"d1"}`), "run-1")
			s.Observe(end, "run-1")
			s.want(interrupt.PhaseNone, 1)
			if no := s.Refused(); no == nil || !errors.Is(no.Err, interrupt.ErrForeignPause) || len(no.Pending) != 1 || !slices.Equal(no.Calls, []string{"d1"}) || s.owed() != nil {
				t.Errorf("refused %+v, owed %q", no, s.owed())
			}
		})
	}
	s := newSession(t, interrupt.TransportAuto)
	s.Observe(&agui.RunStarted{ThreadID: "t"}, "run-1")
	s.Observe(&agui.RunFinished{ThreadID: "other"}, "run-1")
	if s.Refused() != nil {
		t.Error("an end that asks nothing is no pause")
	}
}

// TestAPauseThatIsLeft: what the next request carries, by how the pause was left and
// over which transport.
func TestAPauseThatIsLeft(t *testing.T) {
	expired := ask("e")
	expired.ExpiresAt = "2020-01-01T00:00:00Z"
	batch := []agui.Interrupt{expired, ask("f")}
	for _, c := range []struct {
		name      string
		transport interrupt.Transport
		notice    string
		batch     []agui.Interrupt
		to        func(session)
		owed      []string
	}{
		{"expired", interrupt.TransportAuto, "", batch, nil, []string{"e", "f"}},
		{"expired", interrupt.TransportProtocol, "", batch, nil, []string{"e", "f"}},
		{"with a notice", interrupt.TransportAuto, `{"toolCallId":"c"}`, batch, nil, []string{"e", "f"}},
		{"a notice alone", interrupt.TransportAuto, `{"toolCallId":"c"}`, nil, nil, nil},
		{"over a command", interrupt.TransportMastraCommand, `{"toolCallId":"c"}`, batch, nil, nil},
		{"over a command", interrupt.TransportLegacyCommand, `{"q":1}`, batch, nil, nil},
		{"uncertain", interrupt.TransportAuto, "", batch[1:], func(s session) {
			s.claim("run-2", yes)
			s.RunEnded("run-2", interrupt.EndedBroken)
		}, []string{"f"}},
		{"not sent", interrupt.TransportAuto, "", batch[1:], func(s session) {
			s.claim("run-2", yes)
			s.RunEnded("run-2", interrupt.EndedNotDispatched)
		}, []string{"f"}},
		{"it arrived", interrupt.TransportAuto, "", batch[1:], func(s session) {
			s.claim("run-2", yes)
			s.Observe(&agui.RunStarted{}, "run-2")
			s.RunEnded("run-2", interrupt.EndedBroken)
		}, nil},
	} {
		t.Run(c.name+"/"+string(c.transport), func(t *testing.T) {
			fold := func(rows ...func(session)) session {
				s := newSession(t, c.transport)
				if c.notice != "" {
					s.Observe(notice(c.notice), "run-1")
				}
				if c.batch != nil {
					s.Observe(outcome(c.batch...), "run-1")
				} else {
					s.Observe(&agui.RunFinished{}, "run-1")
				}
				s.RunEnded("run-1", interrupt.EndedClean)
				if c.to != nil {
					c.to(s)
				}
				if s.Owed() != nil {
					t.Fatal("owed while it is open")
				}
				if !s.Abandon() {
					t.Fatal("not left")
				}
				for _, row := range rows {
					row(s)
				}
				return s
			}
			for range 2 {
				if got := fold().owed(); !slices.Equal(got, c.owed) {
					t.Errorf("owed %q, want %q", got, c.owed)
				}
			}
			notSent := func(s session) { s.RunEnded("run-3", interrupt.EndedNotDispatched) }
			if got := fold(notSent).owed(); !slices.Equal(got, c.owed) {
				t.Errorf("owed %q once its request did not leave, want %q", got, c.owed)
			}
			for name, sent := range map[string]func(session){
				"started": func(s session) { s.Observe(&agui.RunStarted{}, "run-3") },
				"refused": func(s session) { s.RunEnded("run-3", interrupt.EndedBroken) },
				"over":    func(s session) { s.RunEnded("run-3", interrupt.EndedClean) },
				"again":   func(s session) { notSent(s); s.Observe(&agui.RunStarted{}, "run-4") },
			} {
				if got := fold(sent).owed(); got != nil {
					t.Errorf("%s: still owed %q", name, got)
				}
			}
		})
	}
}

// TestAllOfAHugePauseIsCancelled, those requests too that are only counted.
func TestAllOfAHugePauseIsCancelled(t *testing.T) {
	var batch []agui.Interrupt
	for i := range 2 * interrupt.MaxPending {
		batch = append(batch, of(fmt.Sprintf("i%d", 9999-i), fmt.Sprintf("c%d", i)))
	}
	s := newSession(t, interrupt.TransportProtocol)
	s.Observe(outcome(batch...), "run-1")
	s.RunEnded("run-1", interrupt.EndedClean)
	if n := len(s.Calls()); n != len(batch) {
		t.Errorf("%d calls", n)
	}
	s.Abandon()
	got := s.owed()
	if len(got) != len(batch) {
		t.Fatalf("%d cancelled", len(got))
	}
	for i, id := range got {
		if id != batch[i].ID {
			t.Fatalf("entry %d is %q, want %q", i, id, batch[i].ID)
		}
	}
}

// TestACancelledRun settles a decision that said no, and leaves any other in doubt.
func TestACancelledRun(t *testing.T) {
	two := []agui.Interrupt{ask("a"), ask("b")}
	for _, c := range []struct {
		name, decision string
		transport      interrupt.Transport
		batch          []agui.Interrupt
		declined       bool
	}{
		{"no", `{"approved":false}`, interrupt.TransportAuto, two[:1], true},
		{"no with words", `{"approved":false,"note":"too dear"}`, interrupt.TransportAuto, two[:1], true},
		{"false", ` false `, interrupt.TransportAuto, two[:1], true},
		{"withdrawn", `[{"interruptId":"a","status":"cancelled"}]`, interrupt.TransportAuto, two[:1], true},
		{"both withdrawn", `[{"interruptId":"a","status":"cancelled"},{"interruptId":"b","payload":{"approved":false}}]`, interrupt.TransportProtocol, two, true},
		{"by command", `{"approved":false}`, interrupt.TransportLegacyCommand, two[:1], true},
		{"yes", yes, interrupt.TransportAuto, two[:1], false},
		{"yes by command", yes, interrupt.TransportLegacyCommand, two[:1], false},
		{"an answer", `"no"`, interrupt.TransportAuto, two[:1], false},
		{"names are exact", `{"Approved":false}`, interrupt.TransportAuto, two[:1], false},
		{"null", `null`, interrupt.TransportAuto, two[:1], false},
		{"one of two", `[{"interruptId":"a","status":"cancelled"},{"interruptId":"b","payload":{"approved":true}}]`, interrupt.TransportProtocol, two, false},
	} {
		for _, started := range []bool{true, false} {
			t.Run(fmt.Sprintf("%s/%v", c.name, started), func(t *testing.T) {
				s := newSession(t, c.transport)
				s.Observe(outcome(c.batch...), "run-1")
				s.RunEnded("run-1", interrupt.EndedClean)
				s.claim("run-2", c.decision)
				s.Dispatched("run-2")
				want := interrupt.PhaseUncertain
				if started {
					s.Observe(&agui.RunStarted{}, "run-2")
					want = interrupt.PhaseRecoveryRequired
				}
				s.Observe(cancelled(), "run-2")
				s.RunEnded("run-2", interrupt.EndedClean)
				if c.declined {
					want = interrupt.PhaseNone
				}
				s.want(want, 1)
			})
		}
	}
}
