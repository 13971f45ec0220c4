package agenthost

import (
	"context"
	"encoding/json"
	"fmt"
	"time"
)

// Tool is something the model may have the service do. Make one with [NewTool].
type Tool struct {
	Name, Description string
	// Input is the schema of the arguments; the model's arguments are checked
	// against it before the tool runs.
	Input Schema
	// Resume is the schema of the answer that continues a suspended call. A tool
	// without one cannot suspend.
	Resume Schema
	// DecideWithin is how long a suspended call waits for its answer; zero is for
	// ever. A late answer is refused with interrupt_expired, and the thread goes on
	// with the next message.
	DecideWithin time.Duration
	// Idempotent reports whether running twice with one [Call.IdempotencyKey] does the
	// work once and returns the same result. Only then is a call repeated when the
	// process died between running it and recording the result, and only as long as
	// the thread has not come to another question since.
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
	// IdempotencyKey is the same whenever one call is tried again, and for a
	// suspended call the same before and after the decision.
	IdempotencyKey string
	// Resume is the decision; nil on the first attempt.
	Resume *Resume

	state *state
}

// deadline is when a call suspended now stops waiting; zero is never.
func (t *Tool) deadline() time.Time {
	if t.DecideWithin <= 0 {
		return time.Time{}
	}
	return time.Now().Add(t.DecideWithin).UTC().Truncate(time.Millisecond)
}

// Resume is the answer to a suspended call.
type Resume struct {
	// Cancelled: the person declined to answer; there is no payload.
	Cancelled bool
	// Payload is the answer, valid against [Tool.Resume].
	Payload json.RawMessage
}

// Decode reads the payload into v; a cancelled answer leaves v as it is.
func (r *Resume) Decode(v any) error {
	if r.Cancelled {
		return nil
	}
	return json.Unmarshal(r.Payload, v)
}

// NewTool makes a tool of a function. The schema of its arguments is derived
// from In. The function's value is encoded as JSON for the model and the client.
// To wait for a decision it returns [Suspend], to say why it cannot do what was
// asked [Refuse]; the text of any other error is logged and not told to anyone.
// It may be called from several runs at once.
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

// Suspend is the error with which a tool asks for a decision. The payload is
// what the user who decides is shown.
func Suspend(payload any) error { return &suspendError{payload: payload} }

type suspendError struct{ payload any }

func (e *suspendError) Error() string { return "the call waits for a decision" }

// Refuse is the error of a tool that cannot do what was asked, in words that the
// model and the user may see.
func Refuse(message string) error { return &refusal{message: message} }

type refusal struct{ message string }

func (e *refusal) Error() string { return e.message }
