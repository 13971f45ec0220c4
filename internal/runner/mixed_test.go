package runner

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"testing"

	"cairn/agentclient"
	"cairn/agentclient/interrupt"
	"cairn/agui"
)

// TestAMixedDecisionIsOneRequest: several verdicts travel together, an entry each,
// and a number of them that does not fit sends nothing.
func TestAMixedDecisionIsOneRequest(t *testing.T) {
	w := newWorld(t, nil)
	w.upstreams[demo] = Upstream{Agent: w.agent, Transport: interrupt.TransportProtocol}
	w.agent.play = func(ctx context.Context, in agui.RunAgentInput, yield func(string) bool) error {
		if in.Resume != nil {
			return answer(ctx, in, yield)
		}
		started(in, yield)
		yield(fmt.Sprintf(`{"type":"RUN_FINISHED","threadId":"7e5f1a9e-3b1c-4e0e-9a55-0d6a3c1f2b10","runId":%q,"outcome":{"type":"interrupt","interrupts":[{"id":"a","reason":"x","toolCallId":"c1"},{"id":"b","reason":"x","toolCallId":"c2"},{"id":"c","reason":"x"}]}}`, in.RunID))
		return nil
	}
	w.send("m1", "Reserve")
	gen := w.settled().Open().Generation
	for _, n := range []int{0, 1, 2, 4} {
		if err := w.Decide(t.Context(), id, gen, agentclient.Alike(n, true)); !errors.Is(err, ErrStale) {
			t.Errorf("%d verdicts on three requests: %v", n, err)
		}
	}
	each := []Verdict{
		{Approved: true, Answer: json.RawMessage(`{"approved":true,"amount":40}`)},
		{Answer: json.RawMessage(`{"approved":false}`)},
		{},
	}
	if err := w.Decide(t.Context(), id, gen, each); err != nil {
		t.Fatal(err)
	}
	if err := w.Decide(t.Context(), id, gen, each); !errors.Is(err, ErrStale) && !errors.Is(err, ErrRunning) {
		t.Errorf("the same once more: %v", err)
	}
	w.untilRequests(2)
	after := w.settled()
	requests := w.agent.requests()
	if len(requests) != 2 {
		t.Fatalf("%d requests", len(requests))
	}
	want := `[{"interruptId":"a","status":"resolved","payload":{"approved":true,"amount":40}},{"interruptId":"b","status":"resolved","payload":{"approved":false}},{"interruptId":"c","status":"cancelled"}]`
	if got, err := json.Marshal(requests[1].Resume); err != nil || string(got) != want {
		t.Errorf("sent %s, want %s", got, want)
	}
	a := after.Approvals()[0]
	for i := range each {
		if v := a.Own().Each[i]; v.Approved != each[i].Approved || string(v.Answer) != string(each[i].Answer) {
			t.Errorf("kept %+v, want %+v", v, each[i])
		}
	}
}
