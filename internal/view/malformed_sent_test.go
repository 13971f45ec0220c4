package view

import (
	"context"
	"encoding/json"
	"iter"
	"log/slog"
	"reflect"
	"sync"
	"testing"

	"cairn/agentclient"
	"cairn/agentclient/interrupt"
	"cairn/agui"
	"cairn/demos"
	"cairn/internal/runner"
	"cairn/internal/thread"
	"cairn/internal/threadlog"
	"cairn/internal/threadlog/memory"
)

// pauser is an agent that plays one malformed pause and keeps what reaches it.
type pauser struct {
	mu     sync.Mutex
	inputs []agui.RunAgentInput
	events []string
	how    agentclient.Outcome
	stop   func() // the person's Stop, once everything is told
}

func (p *pauser) Run(ctx context.Context, in agui.RunAgentInput) iter.Seq2[agentclient.Received, error] {
	p.mu.Lock()
	p.inputs = append(p.inputs, in)
	first := len(p.inputs) == 1
	p.mu.Unlock()
	return func(yield func(agentclient.Received, error) bool) {
		events := []string{`{"type":"RUN_STARTED","threadId":"t","runId":"r1"}`}
		if first {
			events = append(events, p.events...)
		} else {
			events = append(events, `{"type":"RUN_FINISHED","threadId":"t","runId":"r1"}`)
		}
		for _, raw := range events {
			ev, err := agui.Decode([]byte(raw))
			if err != nil {
				yield(agentclient.Received{}, &agentclient.Error{Kind: agentclient.KindMalformed})
				return
			}
			if !yield(agentclient.Received{Event: ev, Raw: json.RawMessage(raw)}, nil) {
				return
			}
		}
		switch {
		case first && p.how == agentclient.OutcomeTruncated:
			yield(agentclient.Received{}, &agentclient.Error{Kind: agentclient.KindTruncated})
		case first && p.how == agentclient.OutcomeStopped:
			p.stop()
			<-ctx.Done()
		}
	}
}

func (p *pauser) reached() []agui.RunAgentInput {
	p.mu.Lock()
	defer p.mu.Unlock()
	return append([]agui.RunAgentInput(nil), p.inputs...)
}

// leaves are the pauses whose interrupts can be cancelled: they have ids, and are open.
var leaves = map[string]bool{"one id twice": true, "expired": true, "expires at nonsense": true}

// TestAMalformedPauseSendsNothing: in every demo, no decision on such a pause reaches
// the agent, however it is posted, and the next message carries none either. It cancels
// what is left, where the transport can say so, and the message after it does not.
func TestAMalformedPauseSendsNothing(t *testing.T) {
	const id = "7e5f1a9e-3b1c-4e0e-9a55-0d6a3c1f2b10"
	for name, tc := range malformed {
		for _, d := range demos.All() {
			t.Run(name+"/"+d.Slug, func(t *testing.T) {
				log := memory.New().Open()
				if err := log.Create(t.Context(), threadlog.Thread{ID: id, Owner: "o", Demo: d.Slug}); err != nil {
					t.Fatal(err)
				}
				p := &pauser{events: tc.events, how: tc.how}
				r := runner.New(log, map[string]runner.Upstream{d.Slug: {Agent: p, Transport: d.Transport, Profile: d.Profile}}, slog.New(slog.DiscardHandler))
				t.Cleanup(func() { _ = r.Close(context.Background()) })
				stopped := make(chan error, 1)
				p.stop = func() { go func() { stopped <- r.Stop(context.Background(), id) }() } // ends with the run
				if err := r.Send(t.Context(), id, "m1", "book it"); err != nil {
					t.Fatal(err)
				}
				over := func() *agentclient.Session {
					for range log.Follow(t.Context(), id) {
						th, err := thread.Read(t.Context(), log, id, agentclient.SessionConfig{Transport: d.Transport, Profile: d.Profile})
						if err != nil {
							t.Fatal(err)
						}
						if th.Run.ID != "" && !th.Run.Open {
							return th
						}
					}
					t.Fatal("the log closed")
					return nil
				}
				before := over()
				if tc.how == agentclient.OutcomeStopped {
					if err := <-stopped; err != nil {
						t.Fatal(err)
					}
				}
				for generation := range before.Interrupts.Generation() + 2 {
					for _, approved := range []bool{true, false} {
						for n := 1; n <= 2; n++ {
							if r.Decide(t.Context(), id, generation, agentclient.Alike(n, approved)) == nil {
								t.Errorf("a decision on pause %d was taken", generation)
							}
						}
					}
				}
				if n := len(p.reached()); n != 1 {
					t.Errorf("%d requests reached the agent, want the message alone", n)
				}
				if err := r.Send(t.Context(), id, "m2", "something else"); err != nil {
					t.Fatalf("the conversation does not go on: %v", err)
				}
				over()
				if err := r.Send(t.Context(), id, "m3", "and another thing"); err != nil {
					t.Fatal(err)
				}
				over()
				var want []agui.ResumeEntry
				if leaves[name] && d.Transport != interrupt.TransportMastraCommand {
					want = []agui.ResumeEntry{{InterruptID: "i", Status: agui.ResumeCancelled}}
				}
				in := p.reached()
				if len(in) != 3 || !reflect.DeepEqual(in[1].Resume, want) || in[2].Resume != nil {
					t.Errorf("%d requests, the second with %+v, the last with %+v", len(in), in[1].Resume, in[len(in)-1].Resume)
				}
				for _, in := range in {
					if len(in.ForwardedProps) > 2 {
						t.Errorf("a command: %s", in.ForwardedProps)
					}
				}
			})
		}
	}
}
