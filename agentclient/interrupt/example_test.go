package interrupt_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http/httptest"
	"time"

	"cairn/agentclient"
	"cairn/agentclient/agenttest"
	"cairn/agentclient/interrupt"
	"cairn/agui"
)

// An agent asks, a person decides, and the decision travels with the next run.
func Example() {
	script := agenttest.NewScript(
		agenttest.Events(&agui.RunStarted{}, &agui.RunFinished{Outcome: &agui.Outcome{
			Type: agui.OutcomeInterrupt,
			Interrupts: []agui.Interrupt{{ID: "i1", Reason: "payment", Metadata: map[string]json.RawMessage{
				"ask": json.RawMessage(`{"amount":90}`),
			}}},
		}}),
		agenttest.Events(&agui.RunStarted{}, &agui.RunFinished{}),
	)
	agent := httptest.NewServer(script)
	defer agent.Close()
	client, err := agentclient.New(agentclient.Config{URL: agent.URL})
	if err != nil {
		fmt.Println(err)
		return
	}
	// The profile says where this agent puts what a person needs to know.
	session := interrupt.New(interrupt.TransportAuto, interrupt.Profile{Payload: []string{"native.metadata.ask"}})

	run := func(in agui.RunAgentInput) {
		how := interrupt.EndedClean
		for received, err := range client.Run(context.Background(), in) {
			var failed *agentclient.Error
			switch {
			case errors.As(err, &failed) && !failed.Dispatched():
				how = interrupt.EndedNotDispatched
			case err != nil:
				how = interrupt.EndedBroken
			default:
				session.Observe(received.Event, in.RunID)
			}
		}
		session.RunEnded(in.RunID, how)
	}

	run(agui.RunAgentInput{ThreadID: "t1", RunID: "run-1"})
	for _, p := range session.Pending() {
		fmt.Printf("%s: %s wants to know: %s\n", session.Phase(), p.Reason, p.Payload)
	}

	// The claim is stored before the request leaves; a second one is refused.
	wire, err := session.Claim(session.Generation(), "run-2", json.RawMessage(`{"approved":true}`), time.Now())
	if err != nil {
		fmt.Println(err)
		return
	}
	_, twice := session.Claim(session.Generation(), "run-3", json.RawMessage(`{"approved":false}`), time.Now())
	fmt.Println(twice)

	session.Dispatched("run-2")
	run(agui.RunAgentInput{ThreadID: "t1", RunID: "run-2", Resume: wire.Resume, ForwardedProps: wire.ForwardedProps})
	sent := script.Requests()[1].Input.Resume[0]
	fmt.Printf("sent %s %s %s, now %s\n", sent.InterruptID, sent.Status, sent.Payload, session.Phase())
	// Output:
	// pending: payment wants to know: {"amount":90}
	// a decision was already taken
	// sent i1 resolved {"approved":true}, now none
}

// Several questions are answered together, each exactly once.
func ExampleSession_Claim_several() {
	session := interrupt.New(interrupt.TransportProtocol, interrupt.Profile{})
	session.Observe(&agui.RunFinished{Outcome: &agui.Outcome{
		Type:       agui.OutcomeInterrupt,
		Interrupts: []agui.Interrupt{{ID: "flight"}, {ID: "hotel"}},
	}}, "run-1")

	for _, answer := range []string{
		`[{"interruptId":"flight","payload":true}]`,
		`[{"interruptId":"flight","payload":true},{"interruptId":"hotel","status":"cancelled"}]`,
	} {
		wire, err := session.Claim(1, "run-2", json.RawMessage(answer), time.Now())
		if err != nil {
			fmt.Println(err)
			continue
		}
		for _, e := range wire.Resume {
			fmt.Println(e.InterruptID, e.Status)
		}
	}
	// Output:
	// the decision does not fit what was asked: 1 of 2 interrupts answered
	// flight resolved
	// hotel cancelled
}

// A request that broke off may have arrived. Nothing repeats it by itself.
func ExampleSession_Reconcile() {
	session := interrupt.New(interrupt.TransportAuto, interrupt.Profile{})
	session.Observe(&agui.RunFinished{Outcome: &agui.Outcome{
		Type: agui.OutcomeInterrupt, Interrupts: []agui.Interrupt{{ID: "i1"}},
	}}, "run-1")
	if _, err := session.Claim(1, "run-2", json.RawMessage(`true`), time.Now()); err != nil {
		fmt.Println(err)
		return
	}
	session.Dispatched("run-2")
	session.RunEnded("run-2", interrupt.EndedBroken)
	fmt.Println(session.Phase())
	_, err := session.Retry(1, time.Now())
	fmt.Println(err)

	// The application asked the booking system: the booking is there.
	if err := session.Reconcile(1, interrupt.VerdictCompleted, nil); err != nil {
		fmt.Println(err)
	}
	fmt.Println(session.Phase())
	// Output:
	// uncertain
	// a decision was already taken
	// none
}
