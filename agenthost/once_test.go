package agenthost_test

import (
	"context"
	"encoding/json"
	"net/http"
	"sync/atomic"
	"testing"

	"cairn/agenthost"
	"cairn/agenthost/trip"
	"cairn/agui"
)

// payer is an agent with a tool that is not idempotent and counts.
func payer(ran *atomic.Int32, during func(context.Context)) *agenthost.Agent {
	tool := agenthost.NewTool("pay", "", func(ctx context.Context, c agenthost.Call[struct{}]) (any, error) {
		if c.Resume == nil {
			return nil, agenthost.Suspend(map[string]int{"usd": 5})
		}
		if during != nil {
			during(ctx)
		}
		ran.Add(1)
		return "paid", ctx.Err()
	})
	tool.Resume = agenthost.SchemaOf[trip.Approval]()
	return &agenthost.Agent{Name: "payer", Instructions: "Pay.", Tools: []*agenthost.Tool{tool}}
}

var (
	pay        = modelAnswer{calls: []modelCall{{"call_p", "pay", "{}"}}}
	approvePay = command(map[string]any{"approved": true}, "call_p", "run-1")
)

// TestToolRunsOncePerDecision: the run fails after the tool; repeating the
// decision goes on without it.
func TestToolRunsOncePerDecision(t *testing.T) {
	var ran atomic.Int32
	s := newAgentService(t, payer(&ran, nil))
	s.model.says(pay, modelAnswer{status: 500}, modelAnswer{text: "Paid."})
	s.run(s.input("t1", "pay"))
	s.run(s.input("t1", "", approvePay))
	if got := text(s.run(s.input("t1", "", approvePay))); got != "Paid." || ran.Load() != 1 {
		t.Errorf("%q after %d runs of the tool", got, ran.Load())
	}
}

// TestClientGoneWhileTheToolRuns: the tool is let finish and its result kept.
func TestClientGoneWhileTheToolRuns(t *testing.T) {
	var ran atomic.Int32
	running, gone := make(chan struct{}), make(chan struct{})
	s := newAgentService(t, payer(&ran, func(context.Context) {
		close(running)
		<-gone
	}))
	s.model.says(pay)
	s.run(s.input("t1", "pay"))
	ctx, cancel := context.WithCancel(t.Context())
	served := make(chan struct{}) // the server noticed that its client left
	inner := s.server.Config.Handler
	s.server.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		context.AfterFunc(r.Context(), func() {
			select {
			case <-running:
				close(served)
			default:
			}
		})
		inner.ServeHTTP(w, r)
	})
	resp, err := http.DefaultClient.Do(s.request(ctx, s.input("t1", "", approvePay)))
	if err != nil {
		t.Fatal(err)
	}
	<-running
	cancel()
	_ = resp.Body.Close()
	<-served
	s.server.Config.Handler = inner
	close(gone)
	s.model.says(modelAnswer{text: "Paid."})
	events := s.run(s.input("t1", "", approvePay))
	if got := find[*agui.ToolCallResult](t, events).Content.Text(); got != `"paid"` || ran.Load() != 1 {
		t.Errorf("result %s after %d runs of the tool", got, ran.Load())
	}
}

// TestQuestionSentAgain: the connection broke before the question was sent. The
// same request again sends the question again, asks no model, and it can be
// answered; any other message is refused.
func TestQuestionSentAgain(t *testing.T) {
	c := newCounted()
	s := paused(t, c)
	wantError(t, s.run(s.input("t1", "hello?")), "interrupt_pending")
	events := s.run(s.input("t1", "pay and book", func(in map[string]any) { in["runId"] = "run-1" }))
	if got := types(events); got != "RUN_STARTED CUSTOM CUSTOM RUN_FINISHED" {
		t.Fatal(got)
	}
	asked := find[*agui.RunFinished](t, events).Outcome.Interrupts
	if len(s.model.asked()) != 1 || len(asked) != 2 || asked[1].ID != "run-1::call_b" || len(asked[1].ResponseSchema) < 100 {
		t.Errorf("the model was asked %d times, the client for %+v", len(s.model.asked()), asked)
	}
	s.model.says(modelAnswer{text: "Done."})
	if got := types(s.run(s.input("t1", "", answers(payID+yes, bookID+yes)))); got != goesOn || c.times() != [2]int{1, 1} {
		t.Errorf("%s, carried out %v", got, c.times())
	}
}

// TestRepeatAfterANewerPause: the process died between the next pause of a step
// and the end of the run; repeating the first decision must not pause again.
func TestRepeatAfterANewerPause(t *testing.T) {
	s := newService(t)
	s.model.says(modelAnswer{calls: []modelCall{
		{"call_1", "reserve_campsite", `{"site":"North Pines","nights":2}`},
		{"call_2", "reserve_campsite", `{"site":"Upper Pines","nights":1}`}}})
	s.run(s.input("t1", "both"))
	ctx, thread := context.Background(), agenthost.Thread{Agent: trip.Topic, ID: "t1"}
	key := agenthost.InterruptKey{RunID: "run-1", ToolCallID: "call_1"}
	s.decide("t1", key)
	if err := s.store.Record(ctx, thread, key, json.RawMessage(reserved)); err != nil {
		t.Fatal(err)
	}
	if err := s.store.Suspend(ctx, thread, agenthost.Suspension{RunID: "run-x", Interrupts: []agenthost.Interrupt{{
		InterruptKey: agenthost.InterruptKey{RunID: "run-x", ToolCallID: "call_2"}, ToolName: "reserve_campsite",
		Args: json.RawMessage(`{"site":"Upper Pines","nights":1}`), Payload: json.RawMessage(`{}`), IdempotencyKey: "k"}}}); err != nil {
		t.Fatal(err)
	}
	for range 2 { // the second time the next pause is decided too, and its run died as well
		events := s.run(s.input("t1", "", command(map[string]any{"approved": true}, "call_1", "run-1")))
		if got := types(events); got != "RUN_STARTED TOOL_CALL_RESULT RUN_FINISHED" {
			t.Error(got)
		}
		if in, err := s.store.Interrupts(ctx, thread); err != nil || len(in) != 2 {
			t.Errorf("%d interrupts, %v", len(in), err)
		} else if in[1].State == agenthost.StatePending {
			s.decide("t1", in[1].InterruptKey)
		}
	}
}

// TestLostDecisionAfterANewerPause: the process died with a decision, the user wrote
// on and is asked anew. The lost decision, sent again, is not carried out beside the
// new one, neither while that is open nor afterwards.
func TestLostDecisionAfterANewerPause(t *testing.T) {
	s := newService(t)
	s.model.says(reserve)
	s.run(s.input("t1", "Reserve North Pines for two nights"))
	s.decide("t1", agenthost.InterruptKey{RunID: "run-1", ToolCallID: "call_r"})
	s.restart()
	again := reserve
	again.calls = []modelCall{reserve.calls[0]}
	again.calls[0].id = "call_s"
	s.model.says(again)
	s.run(s.input("t1", "did it work? else try again"))
	lost := command(map[string]any{"approved": true}, "call_r", "run-1")
	wantError(t, s.run(s.input("t1", "", lost)), "outcome_unknown")
	s.model.says(modelAnswer{text: "Booked."})
	s.run(s.input("t1", "", command(map[string]any{"approved": true}, "call_s", "run-2")))
	wantError(t, s.run(s.input("t1", "", lost)), "outcome_unknown")
	if n := s.bookings(); n != 1 {
		t.Errorf("%d bookings", n)
	}
}

// leaving is a store whose client leaves while its decision is being kept.
type leaving struct {
	agenthost.Store
	leave func()
}

func (l leaving) Decide(ctx context.Context, t agenthost.Thread, answers []agenthost.Decision) ([]agenthost.Interrupt, error) {
	l.leave()
	return l.Store.Decide(ctx, t, answers)
}

// TestClientGoneOnceDecided: a decision that was found in order is kept and carried out.
func TestClientGoneOnceDecided(t *testing.T) {
	var ran atomic.Int32
	agent := payer(&ran, nil)
	s := newAgentService(t, agent)
	s.model.says(pay)
	s.run(s.input("t1", "pay"))
	ctx, cancel := context.WithCancel(t.Context())
	var served context.Context
	host, err := agenthost.New(agenthost.Config{Token: testToken, Agents: map[string]*agenthost.Agent{trip.Topic: agent},
		Model: agenthost.ModelConfig{BaseURL: s.model.server.URL}, Store: leaving{s.store, func() {
			cancel()
			<-served.Done()
		}}})
	if err != nil {
		t.Fatal(err)
	}
	s.server.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		served = r.Context()
		host.ServeHTTP(w, r)
	})
	s.runUntilGone(ctx, s.input("t1", "", approvePay))
	if err := host.Shutdown(t.Context()); err != nil {
		t.Fatal(err)
	}
	in, err := s.store.Interrupts(t.Context(), agenthost.Thread{Agent: trip.Topic, ID: "t1"})
	if err != nil || len(in) != 1 || string(in[0].Result) != `"paid"` || ran.Load() != 1 {
		t.Errorf("ran %d times: %+v %v", ran.Load(), in, err)
	}
}

// TestClientResultWithADecision: a tool that the client runs was called beside one that
// waits. Its result comes with the decision and reaches the model; one for a call that
// is the service's own does not count.
func TestClientResultWithADecision(t *testing.T) {
	var ran atomic.Int32
	s := newAgentService(t, payer(&ran, nil))
	s.model.says(modelAnswer{calls: []modelCall{{"call_l", "locate", "{}"}, pay.calls[0]}})
	s.run(s.input("t1", "pay here", func(in map[string]any) {
		in["tools"] = []any{map[string]any{"name": "locate", "description": ""}}
	}))
	s.model.says(modelAnswer{text: "Paid in Rome."})
	s.run(s.input("t1", "", approvePay, func(in map[string]any) {
		in["messages"] = []any{
			map[string]any{"id": "a", "role": "tool", "toolCallId": "call_l", "content": "Rome"},
			map[string]any{"id": "b", "role": "tool", "toolCallId": "call_p", "content": "not paid"},
		}
	}))
	asked := s.model.asked()
	heard := asked[len(asked)-1].Messages
	if len(heard) != 5 || heard[3].Content != "Rome" || heard[4].Content != `"paid"` || ran.Load() != 1 {
		t.Errorf("the model hears %+v", heard)
	}
}
