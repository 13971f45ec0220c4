package agenthost_test

import (
	"sync/atomic"
	"testing"
	"time"
)

// goingOn is a request that cancels the pause of run-1 and goes on talking.
func goingOn(in map[string]any) {
	in["messages"] = []any{
		map[string]any{"id": "u-1", "role": "user", "content": "pay"},
		map[string]any{"id": "u-2", "role": "user", "content": "what else is there?"},
	}
	answers("run-1::call_p=cancelled")(in)
}

// TestAPauseLeftWithAMessage: the pause is cancelled, and the message is answered. One
// that is over already does not keep the message from its answer.
func TestAPauseLeftWithAMessage(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		within time.Duration
		before func(*service)
	}{
		"open":    {0, func(*service) {}},
		"expired": {time.Nanosecond, func(*service) {}},
		"declined": {0, func(s *service) {
			s.model.says(modelAnswer{text: "Not paid."})
			s.run(s.input("t1", "", answers("run-1::call_p=cancelled")))
		}},
		"approved": {0, func(s *service) { s.model.says(modelAnswer{text: "Paid."}); s.run(s.input("t1", "", approvePay)) }},
		"failed":   {0, func(s *service) { s.model.says(modelAnswer{status: 500}); s.run(s.input("t1", "", approvePay)) }},
		"left":     {0, func(s *service) { s.model.says(modelAnswer{text: "Well."}); s.run(s.input("t1", "", goingOn)) }},
	} {
		t.Run(name, func(t *testing.T) {
			var ran atomic.Int32
			agent := payer(&ran, nil)
			agent.Tools[0].DecideWithin = c.within
			s := newAgentService(t, agent)
			s.model.says(pay)
			s.run(s.input("t1", "pay"))
			c.before(s)
			s.model.says(modelAnswer{text: "Much else."})
			if got := text(s.run(s.input("t1", "", goingOn))); got != "Much else." {
				t.Errorf("answered with %q", got)
			}
			if ran.Load() != 1 { // also to hear that it was cancelled
				t.Errorf("the tool ran %d times", ran.Load())
			}
			requests := s.model.asked()
			said := requests[len(requests)-1].Messages
			if last := said[len(said)-1]; last.Role != "user" || last.Content != "what else is there?" {
				t.Errorf("the model was asked %+v", last)
			}
		})
	}
}
