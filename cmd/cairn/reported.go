package main

import (
	"context"
	"errors"
	"iter"

	"cairn/agentclient"
	"cairn/agui"
	"cairn/internal/reach"
	"cairn/internal/runner"
)

// reported is an agent whose runs report whether it was reached.
type reported struct {
	runner.Agent
	name  string
	reach *reach.Checker
}

// Run implements [runner.Agent].
func (a reported) Run(ctx context.Context, in agui.RunAgentInput) iter.Seq2[agentclient.Received, error] {
	return func(yield func(agentclient.Received, error) bool) {
		told := false
		for got, err := range a.Agent.Run(ctx, in) {
			if !told {
				told = true
				a.report(err)
			}
			if !yield(got, err) {
				return
			}
		}
	}
}

// report judges by the first of a run that came, an event or its error: an agent that
// answers, with a status that is no success too, was reached.
func (a reported) report(err error) {
	var failed *agentclient.Error
	switch {
	case err == nil:
		a.reach.Report(a.name, nil)
	case !errors.As(err, &failed):
	case failed.Status != 0:
		a.reach.Report(a.name, nil)
	case failed.Kind == agentclient.KindConnect && !failed.Dispatched():
		a.reach.Report(a.name, err)
	}
}
