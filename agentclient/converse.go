package agentclient

import (
	"context"
	"iter"
	"time"
)

// Converse asks the agent for a turn of the session and returns the effects of each event
// of the answer as it comes, and of its end last. The turn is folded before it is sent: a
// program that stores records stores it before. The error of a run that fails comes with
// the effects of its end.
//
// Leaving the loop, or ending ctx, stops the run. The sequence can be used once.
func (c *Client) Converse(ctx context.Context, s *Session, t Turn) iter.Seq2[[]Effect, error] {
	return func(yield func([]Effect, error) bool) {
		in, err := s.Begin(t)
		if err != nil {
			yield(nil, err)
			return
		}
		var failed error
		for got, err := range c.Run(ctx, in) {
			if err != nil {
				failed = err
				break
			}
			if !yield(s.Apply(got.Event), nil) {
				s.End(EndData{Outcome: OutcomeStopped}, time.Now())
				return
			}
		}
		yield(s.End(EndOf(failed), time.Now()), failed)
	}
}
