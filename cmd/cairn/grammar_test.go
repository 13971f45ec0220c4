package main

import (
	"os"
	"strings"
	"testing"

	"cairn/internal/probe"
)

// safer are the steps at which the embedded agent says something else than the real
// Mastra on purpose, each with the reason.
var safer = map[string]string{
	"interrupts/repeated answer": "the recorded result again, not an error about a run that is gone",
	"interrupts/missing resume":  "refused with interrupt_pending; the real one asks a second time",
	"interrupts/plain message":   "refused with interrupt_pending; the real one answers and leaves the question open",
	"concurrency/second run":     "refused at once with thread_busy; the real one is silent until the first run ends",
	"input/empty object":         "refused with 400 naming the member; the real one fails inside the run",
	"input/array":                "refused with 400 naming the member; the real one fails inside the run",
	"input/no threadId":          "refused with 400 naming the member; the real one runs without memory",
	"input/no messages":          "refused with 400 naming the member; the real one fails inside the run",
	"input/wrong types":          "refused with 400 naming the member; the real one fails inside the run",
}

// timing are the steps whose events depend on how fast the machine is: how much came
// before the client left, and whether the run after that came too early.
var timing = map[string]bool{"abort/leave": true, "abort/run at once": true, "abort/run later": true}

// sameGrammar holds what the embedded agent said at each step of the probe against
// what the real Mastra said, by the names of the events in order. A listed exception
// that is none any more fails too.
func sameGrammar(t *testing.T, ours *probe.Recording) {
	t.Helper()
	theirs, err := probe.ReadRecording(os.DirFS("../../testdata/transcripts/mastra"))
	if err != nil {
		t.Fatal(err)
	}
	real := map[string]*probe.Exchange{}
	for i := range theirs.Exchanges {
		x := &theirs.Exchanges[i]
		real[x.Surface+"/"+x.Name] = x
	}
	compared := 0
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
		got, want := grammar(x), grammar(other)
		switch reason, listed := safer[step]; {
		case !listed && got != want:
			t.Errorf("%s\nours   %s\nMastra %s", step, got, want)
		case listed && got == want:
			t.Errorf("%s is listed (%s) and the same: %s", step, reason, got)
		}
		compared++
	}
	if compared < 30 {
		t.Errorf("only %d steps compared", compared)
	}
}

func grammar(x *probe.Exchange) string {
	if x.Status != 200 {
		return "HTTP"
	}
	events, _ := x.Events()
	return strings.Join(probe.Grammar(events), " ")
}
