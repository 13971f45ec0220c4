package runner

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"testing"

	"cairn/agentclient"
	"cairn/agui"
)

// TestABadResumeSendsNothingMore: whatever the agent makes of a decision, it is sent
// once; deciding again is refused, and only a person's retry sends it a second time.
func TestABadResumeSendsNothingMore(t *testing.T) {
	end := func(rest string) func(agui.RunAgentInput, func(string) bool) error {
		return func(in agui.RunAgentInput, yield func(string) bool) error {
			started(in, yield)
			yield(fmt.Sprintf(rest, in.RunID))
			return nil
		}
	}
	fail := func(err *agentclient.Error) func(agui.RunAgentInput, func(string) bool) error {
		return func(agui.RunAgentInput, func(string) bool) error { return err }
	}
	for name, resume := range map[string]func(agui.RunAgentInput, func(string) bool) error{
		"RUN_ERROR":        end(`{"type":"RUN_ERROR","message":"no such run %s"}`),
		"a silent success": end(`{"type":"RUN_FINISHED","threadId":"7e5f1a9e-3b1c-4e0e-9a55-0d6a3c1f2b10","runId":%q}`),
		"another pause":    end(`{"type":"RUN_FINISHED","threadId":"7e5f1a9e-3b1c-4e0e-9a55-0d6a3c1f2b10","runId":%q,"outcome":{"type":"interrupt","interrupts":[{"id":"","reason":"x"}]}}`),
		"an HTTP error":    fail(&agentclient.Error{Kind: agentclient.KindStatus, Status: http.StatusInternalServerError}),
		"no event stream":  fail(&agentclient.Error{Kind: agentclient.KindNotSSE, Status: http.StatusOK}),
		"a stream cut short": func(in agui.RunAgentInput, yield func(string) bool) error {
			started(in, yield)
			return &agentclient.Error{Kind: agentclient.KindTruncated}
		},
		"silence": fail(&agentclient.Error{Kind: agentclient.KindStalled}),
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, nil)
			w.agent.play = func(ctx context.Context, in agui.RunAgentInput, yield func(string) bool) error {
				if len(in.ForwardedProps) == 0 {
					return asks(ctx, in, yield)
				}
				return resume(in, yield)
			}
			w.send("m1", "Reserve")
			gen := w.settled().Open().Generation
			if err := w.Decide(t.Context(), id, gen, one(true)); err != nil {
				t.Fatal(err)
			}
			w.settled()
			for _, approved := range []bool{true, false} {
				if err := w.Decide(t.Context(), id, gen, one(approved)); !errors.Is(err, ErrStale) {
					t.Errorf("deciding %v again: %v", approved, err)
				}
			}
			if n := len(w.settled().Approvals()); n == 0 {
				t.Error("the question is gone from the conversation")
			}
			if n := len(w.agent.requests()); n != 2 {
				t.Errorf("%d requests, want the message and the decision", n)
			}
		})
	}
}
