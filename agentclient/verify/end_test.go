package verify_test

import (
	"testing"

	"cairn/agentclient/verify"
	"cairn/agui"
)

// TestEnd: a run that is given up leaves nothing open, and nothing follows it but
// the next run.
func TestEnd(t *testing.T) {
	v := verify.New(verify.Lenient)
	v.Feed(&agui.RunStarted{})
	v.Feed(chunk("m", ""))
	v.End()
	for _, ev := range []agui.Event{chunk("m", ""), &agui.TextMessageEnd{MessageID: "m"}, &agui.RunError{}} {
		if events, broken := v.Feed(ev); len(events) > 0 || len(broken) != 1 || broken[0].Rule != "R1" {
			t.Errorf("%T after End: %v %v", ev, events, broken)
		}
	}
	if events, broken := v.Feed(&agui.RunStarted{}); len(events) != 1 || len(broken) > 0 {
		t.Errorf("a run after End: %v %v", events, broken)
	}
}

// TestReset: nothing is remembered, not even that a strict verifier had stopped.
func TestReset(t *testing.T) {
	for _, mode := range []verify.Mode{verify.Lenient, verify.Strict} {
		v := verify.New(mode)
		v.Feed(&agui.RunStarted{})
		v.Feed(chunk("m", ""))
		v.Feed(&agui.RunFinished{})
		v.Feed(&agui.RunStarted{})
		v.Feed(chunk("m", ""))
		v.Feed(chunk("", "no such lane"))
		v.Reset()
		for range 2 {
			for _, ev := range []agui.Event{&agui.RunStarted{}, &agui.RunFinished{}} {
				if events, broken := v.Feed(ev); len(events) != 1 || len(broken) > 0 {
					t.Errorf("mode %d, %T after Reset: %v %v", mode, ev, events, broken)
				}
			}
		}
	}
}
