// Package dialect isolates how an agent runtime says things in AG-UI. The host
// tells a [Voice] what happened in a run; the voice answers with the events that
// runtime would put on the wire. A voice decides ids, order and shape, never
// what happens: it runs no tool, reads no request and keeps nothing beyond its
// run. Shapes that break the protocol are not imitated.
package dialect

import (
	"encoding/json"

	"cairn/agui"
)

// Dialect makes the voice of one run.
type Dialect interface {
	NewVoice(Run) Voice
	// AsksTogether says that one pause may wait on several calls, which are all
	// answered in one resume. Otherwise each call has a pause of its own, one after
	// the other.
	AsksTogether() bool
}

// Run identifies the run a voice speaks for.
type Run struct {
	ThreadID, RunID string
	// NewID mints message ids.
	NewID func() string
}

// Call is a tool call of the model with its whole argument object.
type Call struct {
	ID, Name string
	Args     json.RawMessage
}

// Suspension is a call that waits for a decision.
type Suspension struct {
	Call         Call
	Payload      json.RawMessage // what the tool shows the person who decides
	ResumeSchema json.RawMessage // JSON Schema of the answer
	ExpiresAt    string          // RFC 3339; empty is never
}

// Delegation is a child agent at work for one call of its parent.
type Delegation struct {
	Call        Call
	Child       string
	Description string
}

// Voice turns what happens in one run into events, in the order to send them.
// It is told things in the order they happen and is not safe for concurrent use.
type Voice interface {
	// Started opens the run; Finished, Interrupted or Failed ends it, once.
	Started() []agui.Event
	Finished(usage *agui.TokenUsage) []agui.Event
	// Interrupted ends a run that waits on the suspensions told before.
	Interrupted() []agui.Event
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

	// Snapshot is the whole shared state, Delta an RFC 6902 patch to it.
	Snapshot(state json.RawMessage) []agui.Event
	Delta(patch json.RawMessage) []agui.Event

	// Delegated opens a child; the Child events are its live output; Returned or
	// Broke ends it together with the call that opened it.
	Delegated(Delegation) []agui.Event
	ChildStep(callID string) []agui.Event
	ChildText(callID, delta string) []agui.Event
	ChildToolCall(callID string, call Call) []agui.Event
	ChildToolResult(callID, childCallID string, result json.RawMessage) []agui.Event
	Returned(callID, text string) []agui.Event
	Broke(callID, message string, result json.RawMessage) []agui.Event
}
