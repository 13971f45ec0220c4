package agenthost

import (
	"context"
	"encoding/json"
	"fmt"
	"time"
)

// Tool is a function that the model can call. Create one with [NewTool].
type Tool struct {
	Name, Description string
	// Input is the schema of the arguments; the model's arguments are checked
	// against it before the tool runs.
	Input Schema
	// Resume is the schema of the answer that continues a suspended call. A tool
	// without one cannot suspend.
	Resume Schema
	// DecideWithin is how long a suspended call can be answered; zero is no limit. A
	// late answer is refused with interrupt_expired, and the thread continues with the
	// next message.
	DecideWithin time.Duration
	// Idempotent is true when running twice with one [Call.IdempotencyKey] does the work
	// once and returns the same result. Only then is a call repeated after the process
	// died between running it and storing the result, and only while the thread has no
	// newer pause.
	Idempotent bool

	run func(context.Context, invocation) (any, error)
}

// invocation is a call before its arguments have a Go type.
type invocation struct {
	threadID, runID, toolCallID, key string
	args                             json.RawMessage
	resume                           *Resume
	state                            *state // nil where there is none to share
}

// Call is one call of a tool.
type Call[In any] struct {
	Args                        In
	ThreadID, RunID, ToolCallID string
	// IdempotencyKey is the same each time one call is tried, and for a suspended call
	// the same before and after the decision.
	IdempotencyKey string
	// Resume is the decision; nil on the first attempt.
	Resume *Resume

	state *state
}

// deadline returns when a call suspended now expires; zero is never.
func (t *Tool) deadline() time.Time {
	if t.DecideWithin <= 0 {
		return time.Time{}
	}
	return time.Now().Add(t.DecideWithin).UTC().Truncate(time.Millisecond)
}

// Resume is the answer to a suspended call.
type Resume struct {
	// Cancelled is true when the user cancelled the question; there is no payload.
	Cancelled bool
	// Payload is the answer, valid against [Tool.Resume].
	Payload json.RawMessage
}

// Decode decodes the payload into v. It does not change v when the answer is cancelled.
func (r *Resume) Decode(v any) error {
	if r.Cancelled {
		return nil
	}
	return json.Unmarshal(r.Payload, v)
}

// NewTool returns a tool that calls f. The schema of its arguments is derived from In. The
// value that f returns is encoded as JSON for the model and the client. To wait for a
// decision f returns [Suspend], to explain why it cannot do the work [Refuse]; the text of
// any other error is only logged. Several runs may call f at once.
func NewTool[In any](name, description string, f func(context.Context, Call[In]) (any, error)) *Tool {
	t := &Tool{Name: name, Description: description, Input: SchemaOf[In]()}
	t.run = func(ctx context.Context, inv invocation) (any, error) {
		call := Call[In]{ThreadID: inv.threadID, RunID: inv.runID, ToolCallID: inv.toolCallID,
			IdempotencyKey: inv.key, Resume: inv.resume, state: inv.state}
		if err := json.Unmarshal(inv.args, &call.Args); err != nil {
			return nil, fmt.Errorf("arguments: %w", err)
		}
		return f(ctx, call)
	}
	return t
}

// Suspend returns the error with which a tool asks for a decision. The payload is shown
// to the user who decides.
func Suspend(payload any) error { return &suspendError{payload: payload} }

type suspendError struct{ payload any }

func (e *suspendError) Error() string { return "the call waits for a decision" }

// Refuse returns the error of a tool that cannot do its work, with a message that the
// model and the user may read.
func Refuse(message string) error { return &refusal{message: message} }

type refusal struct{ message string }

func (e *refusal) Error() string { return e.message }
