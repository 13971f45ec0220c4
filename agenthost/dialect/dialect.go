// Package dialect writes what happens in a run as AG-UI events. [Protocol] is the
// protocol as its specification has it; the other dialects imitate the bridges of
// Mastra, Strands, Agent Framework and LangGraph, but for shapes that break the
// protocol.
//
// The host reports to a [EventWriter] what happens in a run, and sends the events that the
// voice returns. A voice decides ids, order and shape. It runs no tool and stores
// nothing beyond its run. A [Dialect] also reads the decisions in a request; the host
// acts on them.
package dialect

import (
	"encoding/json"
	"fmt"

	"cairn/agui"
)

// Dialect makes the voices of runs. It is safe for concurrent use.
type Dialect interface {
	// NewWriter makes the voice of one run.
	NewWriter(Run) EventWriter
	// BatchesInterrupts says that one pause may wait on several calls, which are all
	// answered in one resume. Otherwise each call has a pause of its own, one after
	// the other.
	BatchesInterrupts() bool
	// InterruptID names to the client what a call of a run waits on.
	InterruptID(runID, toolCallID string) string
	// Answers reads the decisions a request brings; none is a plain message. An
	// error says to the client, in a sentence, what is malformed.
	Answers(agui.RunAgentInput) ([]Answer, error)
}

// Answer is a decision as a client sent it.
type Answer struct {
	// Interrupt is the id. Without one it answers the thread's latest pause, which
	// then must wait on one call.
	Interrupt string
	RunID     string // of the interrupt, where the client names it; else empty
	Cancelled bool   // the person declined to answer; there is no payload
	Payload   json.RawMessage
}

// ProtocolAnswers reads the protocol's own resume. An answer that is neither
// cancelled nor has a payload is malformed.
func ProtocolAnswers(entries []agui.ResumeEntry) ([]Answer, error) {
	var list []Answer
	for i, e := range entries {
		a := Answer{Interrupt: e.InterruptID, Cancelled: e.Status == agui.ResumeCancelled, Payload: e.Payload}
		if !a.Cancelled && absent(a.Payload) {
			return nil, fmt.Errorf("resume[%d].payload is missing", i)
		}
		list = append(list, a)
	}
	return list, nil
}

func absent(v json.RawMessage) bool { return len(v) == 0 || string(v) == "null" }

// Run identifies the run a voice speaks for.
type Run struct {
	ThreadID, RunID string
	// NewID mints message ids.
	NewID func() string
	// Messages is the conversation as the client sent it.
	Messages []agui.Message
}

// Call is a tool call of the model with its whole argument object.
type Call struct {
	ID, Name string
	Args     json.RawMessage
}

// Suspension is a call that waits for a decision.
type Suspension struct {
	Call Call
	// Own is true for a call the service made itself, not the model. It has no result.
	Own          bool
	Payload      json.RawMessage // what the tool shows the person who decides
	ResumeSchema json.RawMessage // JSON Schema of the answer
	ExpiresAt    string          // RFC 3339; empty is never
	// State is the whole shared state as it waits, nil for an agent whose tools share none.
	State json.RawMessage
}

// Delegation is a child agent at work for one call of its parent.
type Delegation struct {
	Call        Call
	Child       string
	Description string // of the child
	Prompt      string // what it is asked
}

// EventWriter turns what happens in one run into events, in the order to send them.
// It is told things in the order they happen and is not safe for concurrent use.
type EventWriter interface {
	// Started opens the run; Finished, Interrupted or Failed ends it, once. A voice
	// declares the protocol's version, as 1.0 demands, unless the runtime it imitates
	// does not.
	Started() []agui.Event
	// Opened follows when the request is found in order, with the shared state as it
	// is, nil for an agent without. A run that is refused fails without it.
	Opened(state json.RawMessage) []agui.Event
	Finished(usage *agui.TokenUsage) []agui.Event
	// Interrupted ends a run that waits on the suspensions told before.
	Interrupted(usage *agui.TokenUsage) []agui.Event
	Failed(code, message string) []agui.Event

	// Step says that the model is asked again, so later text is another turn.
	Step()
	// Text is a piece of the agent's answer.
	Text(delta string) []agui.Event

	// ToolCall is a call the service runs itself; its result follows.
	ToolCall(Call) []agui.Event
	// ToolResult ends a call with the JSON value it gave, told or resumed.
	ToolResult(callID string, result json.RawMessage) []agui.Event
	// ClientCall, ClientArgs and ClientCallEnd stream a call the client runs.
	ClientCall(callID, name string) []agui.Event
	ClientArgs(callID, delta string) []agui.Event
	ClientCallEnd(callID string) []agui.Event
	// Suspended says that a call waits for a decision.
	Suspended(Suspension) []agui.Event

	// Snapshot is the whole shared state, as the model begins to write it and at the
	// run's end; Delta is an RFC 6902 patch to it.
	Snapshot(state json.RawMessage) []agui.Event
	Delta(patch json.RawMessage) []agui.Event
	// Shared says that a tool wrote to the shared state, after its result: state is
	// the whole of it.
	Shared(state json.RawMessage) []agui.Event

	// Concluded is the last word of a run that no model said.
	Concluded(text string) []agui.Event

	// ChildStarted opens a child; the Child events are its live output; ChildFinished or
	// ChildFailed ends it together with the call that opened it.
	ChildStarted(Delegation) []agui.Event
	ChildStep(callID string) []agui.Event
	ChildText(callID, delta string) []agui.Event
	ChildToolCall(callID string, call Call) []agui.Event
	ChildToolResult(callID, childCallID string, result json.RawMessage) []agui.Event
	ChildFinished(callID, text string) []agui.Event
	ChildFailed(callID, message string, result json.RawMessage) []agui.Event
}
