package runner

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http/httptest"
	"sync"
	"sync/atomic"
	"testing"

	"cairn/agentclient"
	"cairn/agui"
)

func TestDecisionIsSentOnce(t *testing.T) {
	w := newWorld(t, nil)
	w.agent.play = func(ctx context.Context, in agui.RunAgentInput, yield func(string) bool) error {
		if len(in.ForwardedProps) == 0 {
			return asks(ctx, in, yield)
		}
		started(in, yield)
		yield(`{"type":"TOOL_CALL_RESULT","toolCallId":"call_1","messageId":"x","content":"\"Reserved. Confirmation TP-0288.\"","role":"tool"}`)
		yield(fmt.Sprintf(`{"type":"RUN_FINISHED","threadId":"7e5f1a9e-3b1c-4e0e-9a55-0d6a3c1f2b10","runId":%q}`, in.RunID))
		return nil
	}
	w.send("m1", "Reserve")
	gen := w.settled().Open().Generation
	if err := w.Send(t.Context(), id, "m2", "Hello?"); !errors.Is(err, ErrPending) {
		t.Fatalf("a message while a decision is pending: %v", err)
	}
	var won, lost atomic.Int32
	var wg sync.WaitGroup
	for i := range 20 {
		wg.Go(func() {
			switch err := w.Decide(t.Context(), id, gen, one(i%2 == 0)); {
			case err == nil:
				won.Add(1)
			case errors.Is(err, ErrStale), errors.Is(err, ErrRunning):
				lost.Add(1)
			default:
				t.Error(err)
			}
		})
	}
	wg.Wait()
	w.settled()
	if won.Load() != 1 || lost.Load() != 19 || len(w.agent.requests()) != 2 {
		t.Fatalf("won %d, lost %d, %d requests", won.Load(), lost.Load(), len(w.agent.requests()))
	}
	in := w.agent.requests()[1]
	var props struct {
		Command struct {
			Resume         struct{ Approved *bool }
			InterruptEvent struct{ ToolCallID, RunID string }
		}
	}
	if err := json.Unmarshal(in.ForwardedProps, &props); err != nil || in.Resume != nil {
		t.Fatalf("resume %v, props %s", in.Resume, in.ForwardedProps)
	}
	if c := props.Command; c.Resume.Approved == nil || c.InterruptEvent.ToolCallID != "call_1" || c.InterruptEvent.RunID != w.agent.requests()[0].RunID {
		t.Fatalf("props %s", in.ForwardedProps)
	}
}

func TestDecisionThatDidNotLeaveIsRetriedAsItWas(t *testing.T) {
	w := newWorld(t, nil)
	gone := httptest.NewServer(nil)
	gone.Close()
	nobody, err := agentclient.New(agentclient.Config{URL: gone.URL})
	if err != nil {
		t.Fatal(err)
	}
	fail := true
	w.agent.play = func(ctx context.Context, in agui.RunAgentInput, yield func(string) bool) error {
		switch {
		case len(in.ForwardedProps) == 0:
			return asks(ctx, in, yield)
		case fail:
			fail = false
			for _, err := range nobody.Run(ctx, in) {
				return err
			}
		}
		return answer(ctx, in, yield)
	}
	w.send("m1", "Reserve")
	if err := w.Decide(t.Context(), id, w.settled().Open().Generation, one(true)); err != nil {
		t.Fatal(err)
	}
	if th := w.settled(); th.Run.Failure == nil || th.Run.Failure.End.Outcome != agentclient.OutcomeNotSent {
		t.Fatalf("failure %+v", th.Run.Failure)
	}
	if err := w.Retry(t.Context(), id, 0); err != nil {
		t.Fatal(err)
	}
	w.untilRequests(3)
	w.settled()
	req := w.agent.requests()
	if req[1].RunID != req[2].RunID || string(req[1].ForwardedProps) != string(req[2].ForwardedProps) {
		t.Fatalf("the retry differs:\n%s %s\n%s %s", req[1].RunID, req[1].ForwardedProps, req[2].RunID, req[2].ForwardedProps)
	}
}

func (w *world) untilRequests(n int) {
	for range w.log.Follow(w.t.Context(), id) {
		if len(w.agent.requests()) >= n {
			return
		}
	}
}

func TestAnUnanswerablePauseIsRefusedBeforeAnythingIsStored(t *testing.T) {
	for name, outcome := range map[string]string{
		"native only": `{"id":"i1","reason":"x","toolCallId":"c1"}`,
		"expired":     `{"id":"i1","reason":"x","toolCallId":"call_1","expiresAt":"2001-01-01T00:00:00Z"}`,
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, nil)
			w.agent.play = func(_ context.Context, in agui.RunAgentInput, yield func(string) bool) error {
				started(in, yield)
				if name == "expired" {
					yield(replace(pause, in.RunID))
				}
				yield(fmt.Sprintf(`{"type":"RUN_FINISHED","threadId":"7e5f1a9e-3b1c-4e0e-9a55-0d6a3c1f2b10","runId":%q,"outcome":{"type":"interrupt","interrupts":[%s]}}`, in.RunID, outcome))
				return nil
			}
			w.send("m1", "Reserve")
			before := w.settled()
			if err := w.Decide(t.Context(), id, before.Open().Generation, one(true)); !errors.Is(err, ErrUnanswerable) {
				t.Fatalf("decide: %v", err)
			}
			after, err := w.fold(t.Context(), id)
			if err != nil || after.Records != before.Records || len(w.agent.requests()) != 1 {
				t.Fatalf("%v, %d rows after %d, %d requests", err, after.Records, before.Records, len(w.agent.requests()))
			}
			w.send("m2", "Then not")
		})
	}
}

// one is a plain verdict on one request.
func one(approved bool) []Verdict { return agentclient.Alike(1, approved) }
