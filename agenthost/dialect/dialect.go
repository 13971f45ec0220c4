// Package dialect writes what happens in a run as AG-UI events. [Protocol] is the
// protocol as its specification has it; the other dialects imitate the bridges of
// Mastra, Strands, Agent Framework and LangGraph, but for shapes that break the
// protocol.
//
// The host reports to an [EventWriter] what happens in a run, and sends the events that it
// returns. An event writer decides ids, order and shape. It runs no tool and stores
// nothing beyond its run. A [Dialect] also reads the decisions in a request; the host
// acts on them.
package dialect

import (
	"encoding/json"
	"fmt"

	"cairn/agui"
)

// Dialect is a form of AG-UI. It is safe for concurrent use.
type Dialect interface {
	// NewWriter returns the event writer of one run.
	NewWriter(Run) EventWriter
	// BatchesInterrupts reports whether one pause may wait on several calls, which are
	// all answered in one resume. Otherwise each call has a pause of its own, one after
	// the other.
	BatchesInterrupts() bool
	// InterruptID returns the id that the client sees for the interrupt of a call.
	InterruptID(runID, toolCallID string) string
	// Answers returns the decisions in a request; a request with none is a plain message.
	// The text of an error is sent to the client.
	Answers(agui.RunAgentInput) ([]Answer, error)
}

// Answer is a decision in a request.
type Answer struct {
	// Interrupt is the id. An empty id answers the thread's latest pause, which must wait
	// on one call.
	Interrupt string
	RunID     string // of the interrupt, empty when the client does not name it
	Cancelled bool   // the user cancelled the question; there is no payload
	Payload   json.RawMessage
}

// ProtocolAnswers returns the answers in the protocol's resume. An answer that is not
// cancelled needs a payload.
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

// Run is the run of an event writer.
type Run struct {
	ThreadID, RunID string
	// NewID returns a new message id.
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
	Payload      json.RawMessage // shown to the user who decides
	ResumeSchema json.RawMessage // JSON Schema of the answer
	ExpiresAt    string          // RFC 3339; empty is never
	// State is the shared state, nil for an agent whose tools share none.
	State json.RawMessage
}

// Delegation is a child agent that works for one call of its parent.
type Delegation struct {
	Call        Call
	Child       string
	Description string // of the child
	Prompt      string // for the child
}

// EventWriter returns the events for what happens in one run. The host calls its methods
// in the order in which things happen. It is not safe for concurrent use.
type EventWriter interface {
	// Started opens the run; Finished, Interrupted or Failed ends it, once. RUN_STARTED
	// has the protocol's version, unless the imitated runtime does not send it.
	Started() []agui.Event
	// Opened follows when the request is accepted, with the shared state, nil for an
	// agent without one. A refused run fails without it.
	Opened(state json.RawMessage) []agui.Event
	Finished(usage *agui.TokenUsage) []agui.Event
	// Interrupted ends a run that waits on the calls reported to Suspended.
	Interrupted(usage *agui.TokenUsage) []agui.Event
	Failed(code, message string) []agui.Event

	// Step is called before the model is asked again: later text is another turn.
	Step()
	// Text sends a piece of the agent's answer.
	Text(delta string) []agui.Event

	// ToolCall sends a call that the service runs; its result follows.
	ToolCall(Call) []agui.Event
	// ToolResult sends the JSON value of a call, of this run or of the run it resumes.
	ToolResult(callID string, result json.RawMessage) []agui.Event
	// ClientCall, ClientArgs and ClientCallEnd stream a call that the client runs.
	ClientCall(callID, name string) []agui.Event
	ClientArgs(callID, delta string) []agui.Event
	ClientCallEnd(callID string) []agui.Event
	// Suspended reports a call that waits for a decision.
	Suspended(Suspension) []agui.Event

	// Snapshot sends the whole shared state, before the model writes to it and at the end
	// of the run. Delta sends an RFC 6902 patch of it.
	Snapshot(state json.RawMessage) []agui.Event
	Delta(patch json.RawMessage) []agui.Event
	// Shared sends the whole shared state after the result of a tool that wrote to it.
	Shared(state json.RawMessage) []agui.Event

	// Concluded sends closing text that comes from After, not from the model.
	Concluded(text string) []agui.Event

	// ChildStarted opens a child, and the next four methods send its output. ChildFinished
	// or ChildFailed ends it together with the call that opened it.
	ChildStarted(Delegation) []agui.Event
	ChildStep(callID string) []agui.Event
	ChildText(callID, delta string) []agui.Event
	ChildToolCall(callID string, call Call) []agui.Event
	ChildToolResult(callID, childCallID string, result json.RawMessage) []agui.Event
	ChildFinished(callID, text string) []agui.Event
	ChildFailed(callID, message string, result json.RawMessage) []agui.Event
}
