package interrupt_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"testing"

	"cairn/agentclient/interrupt"
	"cairn/agui"
)

// step is one thing that can happen to a session, chosen by two bytes.
func step(s *interrupt.Session, op, arg byte) {
	run := fmt.Sprintf("run-%d", arg%5)
	if arg%16 == 15 {
		run = ""
	}
	ids := []string{"a", "b", "", "a"}
	var batch []agui.Interrupt
	for i := range int(arg>>4) % 4 {
		it := of(ids[(int(arg)+i)%4], ids[i])
		if arg%3 == 0 {
			it.ExpiresAt = "2020-01-01T00:00:00Z"
		}
		batch = append(batch, it)
	}
	decision := json.RawMessage([]string{yes, `{"approved":false}`, `[{"id":"a","status":"cancelled"}]`, `false`}[arg%4])
	switch op % 13 {
	case 0:
		s.Observe(&agui.RunStarted{ThreadID: "t", RunID: run}, run)
	case 1:
		s.Observe(notice(`{"toolCallId":"`+ids[arg%4]+`"}`), run)
	case 2:
		s.Observe(outcome(batch...), run)
	case 3:
		s.Observe(&agui.RunFinished{ThreadID: []string{"t", "other"}[arg%2], Outcome: &agui.Outcome{Type: agui.OutcomeInterrupt, Interrupts: batch}}, run)
	case 4:
		s.Observe(&agui.RunFinished{}, run)
	case 5:
		s.Observe(cancelled(), run)
	case 6:
		s.Observe(&agui.RunError{}, run)
	case 7:
		s.RunEnded(run, []interrupt.Ended{interrupt.EndedClean, interrupt.EndedBroken, interrupt.EndedNotDispatched}[arg>>4%3])
	case 8:
		_, _ = s.Claim(s.Generation(), run, decision, noon)
	case 9:
		s.Dispatched(run)
	case 10:
		_, _ = s.Resend(run)
	case 11:
		s.Abandon()
	case 12:
		_, _ = s.Retry(s.Generation(), noon)
	}
}

// FuzzPauses: whatever happens, in whatever order, the same happenings make the same
// session and the same next request, and a session can be brought to an end in which
// messages are sent.
func FuzzPauses(f *testing.F) {
	f.Add([]byte{0, 1, 2, 0x21, 7, 1, 8, 2, 9, 2, 0, 2, 5, 2})
	f.Add([]byte{0, 1, 2, 0x41, 7, 1, 11, 0, 7, 0x22, 0, 3})
	f.Add([]byte{0, 1, 1, 1, 3, 0x31, 7, 1, 11, 0})
	f.Fuzz(func(t *testing.T, ops []byte) {
		for _, transport := range []interrupt.Transport{interrupt.TransportAuto, interrupt.TransportMastraCommand} {
			a, b := newSession(t, transport), newSession(t, transport)
			for i := 0; i+1 < len(ops); i += 2 {
				step(a.Session, ops[i], ops[i+1])
				step(b.Session, ops[i], ops[i+1])
				owed := a.owed()
				if a.fingerprint() != b.fingerprint() || !slices.Equal(owed, b.owed()) {
					t.Fatal("the same happenings make two sessions")
				}
				if slices.Contains(owed, "") || len(slices.Compact(slices.Sorted(slices.Values(owed)))) != len(owed) {
					t.Fatalf("owed %q", owed)
				}
				if owed != nil && transport == interrupt.TransportMastraCommand {
					t.Fatal("a command cannot say what is owed")
				}
			}
			for run := range 5 {
				a.RunEnded(fmt.Sprintf("run-%d", run), interrupt.EndedBroken)
			}
			if a.RunEnded("", interrupt.EndedBroken); a.Blocked() && !a.Abandon() {
				t.Fatalf("stuck in %s", a.Phase())
			}
		}
	})
}
