package main

import (
	"os"
	"slices"
	"strings"
	"testing"

	"cairn/agui"
	"cairn/internal/matrix"
	"cairn/internal/probe"
)

// spoken is one agent of the service beside the recorded runtime whose dialect it
// speaks. Everything it says differently on purpose is listed with the reason.
type spoken struct {
	// topic is also the name of the probe's scenario and of the real one's recording.
	topic string
	// partial are the surfaces that the dialect lacks in part, as the real one does.
	partial map[string]string
	// safer are the steps at which ours says something else.
	safer map[string]string
	// noise are events of the real one that ours does not imitate; RAW never is.
	noise func(probe.Event) bool
}

// recording is where what ours said is kept.
func (s spoken) recording() string { return matrix.Dir + "/embedded-" + s.topic }

// timing are the steps whose events depend on how fast the machine is: how much came
// before the client left, and whether the run after that came too early.
var timing = map[string]bool{"abort/leave": true, "abort/run at once": true, "abort/run later": true}

// sameGrammar holds what ours said at each step of the probe against what the real
// one said, by the names of the events in order. A listed exception that is none any
// more fails too.
func (s spoken) sameGrammar(t *testing.T, ours *probe.Recording) {
	t.Helper()
	theirs, err := probe.ReadRecording(os.DirFS("../../" + matrix.Dir + "/" + s.topic))
	if err != nil {
		t.Fatal(err)
	}
	real := map[string]*probe.Exchange{}
	for i := range theirs.Exchanges {
		x := &theirs.Exchanges[i]
		real[x.Surface+"/"+x.Name] = x
	}
	compared, listed := 0, 0
	for i := range ours.Exchanges {
		x := &ours.Exchanges[i]
		step := x.Surface + "/" + x.Name
		if timing[step] {
			continue
		}
		other := real[step]
		if other == nil {
			t.Errorf("%s: the real one has no such step", step)
			continue
		}
		got, want := s.grammar(x), s.grammar(other)
		reason, exception := s.safer[step]
		switch {
		case !exception && got != want:
			t.Errorf("%s\nours   %s\ntheirs %s", step, got, want)
		case exception && got == want:
			t.Errorf("%s is listed (%s) and the same: %s", step, reason, got)
		case exception:
			listed++
		}
		compared++
	}
	if compared < 29 || listed != len(s.safer) {
		t.Errorf("only %d steps compared, %d of %d exceptions met", compared, listed, len(s.safer))
	}
}

func (s spoken) grammar(x *probe.Exchange) string {
	if x.Status != 200 {
		return "HTTP"
	}
	events, _ := x.Events()
	events = slices.DeleteFunc(events, func(ev probe.Event) bool {
		_, raw := ev.Event.(*agui.Raw)
		return raw || s.noise != nil && s.noise(ev)
	})
	return strings.Join(probe.Grammar(events), " ")
}
