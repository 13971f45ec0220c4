package main

import (
	"cairn/agui"
	"cairn/internal/probe"
)

// copilotIsSafer are the exceptions of the Agent Framework's dialect.
var copilotIsSafer = map[string]string{
	"interrupts/repeated answer": saidAgain + "; a run begins with the state all the same",
	"concurrency/second run":     "refused at once with thread_busy; of the real one both runs talk, each without the other's messages",
	"input/no threadId":          "refused with 400 naming the member; the real one makes a thread up",
}

// countsTokens: the real Agent Framework tells after each answer of the model how many
// tokens it took, ours once for the run.
func countsTokens(ev probe.Event) bool {
	c, ok := ev.Event.(*agui.Custom)
	return ok && c.Name == "usage"
}
