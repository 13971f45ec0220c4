package runner

import (
	"context"
	"net/http/httptest"
	"reflect"
	"testing"

	"cairn/agentclient"
	"cairn/agentclient/interrupt"
	"cairn/agui"
)

// TestAnExpiredPauseIsCancelledOnce: by the message that leaves it, by the retry of that
// when it did not reach the agent, and by nothing after it. A process that reads the same
// rows sends the same.
func TestAnExpiredPauseIsCancelledOnce(t *testing.T) {
	gone := httptest.NewServer(nil)
	gone.Close()
	nobody, err := agentclient.New(agentclient.Config{URL: gone.URL})
	if err != nil {
		t.Fatal(err)
	}
	cancel := []agui.ResumeEntry{{InterruptID: "e", Status: agui.ResumeCancelled}}
	const paused = `{"type":"RUN_FINISHED","threadId":"` + id + `","runId":"RUN","outcome":{"type":"interrupt","interrupts":[{"id":"e","reason":"tool_call","message":"Pay 1?","toolCallId":"e1","expiresAt":"2020-01-01T00:00:00Z"}]}}`
	for name, c := range map[string]struct {
		transport interrupt.Transport
		leaves    bool // the first message after the pause reaches the agent
		want      [][]agui.ResumeEntry
	}{
		"protocol":       {interrupt.TransportProtocol, true, [][]agui.ResumeEntry{nil, cancel, nil}},
		"auto":           {interrupt.TransportAuto, true, [][]agui.ResumeEntry{nil, cancel, nil}},
		"did not leave":  {interrupt.TransportProtocol, false, [][]agui.ResumeEntry{nil, cancel, cancel, nil}},
		"mastra-command": {interrupt.TransportMastraCommand, true, [][]agui.ResumeEntry{nil, nil, nil}},
		"legacy-command": {interrupt.TransportLegacyCommand, true, [][]agui.ResumeEntry{nil, nil, nil}},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, nil)
			w.upstreams[demo] = Upstream{Agent: w.agent, Transport: c.transport}
			w.agent.play = func(ctx context.Context, in agui.RunAgentInput, yield func(string) bool) error {
				switch n := len(w.agent.requests()); {
				case n == 1:
					started(in, yield)
					yield(replace(paused, in.RunID))
					return nil
				case n == 2 && !c.leaves:
					for _, err := range nobody.Run(ctx, in) {
						return err
					}
				}
				return answer(ctx, in, yield)
			}
			requests := 0
			next := func(err error) *agentclient.Session {
				t.Helper()
				if err != nil {
					t.Fatal(err)
				}
				requests++
				w.untilRequests(requests)
				return w.settled()
			}
			next(w.Send(t.Context(), id, "m1", "pay"))
			th := next(w.Send(t.Context(), id, "m2", "never mind"))
			if !c.leaves {
				if f := th.Run.Failure; f == nil || f.End.Outcome != agentclient.OutcomeNotSent || !reflect.DeepEqual(th.Interrupts.Owed(), cancel) {
					t.Fatalf("failure %+v, owed %+v", f, th.Interrupts.Owed())
				}
				next(w.Retry(t.Context(), id, 0))
			}
			th = next(w.Send(t.Context(), id, "m3", "hello"))
			var got [][]agui.ResumeEntry
			for _, in := range w.agent.requests() {
				got = append(got, in.Resume)
				if len(in.ForwardedProps) > 2 {
					t.Errorf("a command: %s", in.ForwardedProps)
				}
			}
			if !reflect.DeepEqual(got, c.want) || th.Interrupts.Owed() != nil {
				t.Errorf("sent %+v, want %+v; owed %+v", got, c.want, th.Interrupts.Owed())
			}
		})
	}
}
