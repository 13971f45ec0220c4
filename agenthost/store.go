package agenthost

import (
	"context"
	"encoding/json"
	"errors"
	"time"
)

// Thread is a conversation with one agent. Everything stored belongs to a thread, so no
// thread or agent sees a decision or a memory of another.
type Thread struct{ Agent, ID string }

// Store stores what must survive a restart of the service. Package sqlite has one, and
// package inmem one for tests. Package storetest tests an implementation. A method that
// writes returns when the write is durable. Methods are safe for concurrent use, and
// the store shares no memory with its callers.
type Store interface {
	// Memory returns the working memory of a thread, nil when it has none.
	Memory(context.Context, Thread) (json.RawMessage, error)
	SaveMemory(context.Context, Thread, json.RawMessage) error

	// Suspend stores a paused run, its interrupts as [StatePending] and created now.
	// It returns [ErrRunIDUsed] when the thread has a paused run of that id.
	Suspend(context.Context, Thread, Suspension) error
	// Interrupts returns all interrupts of a thread, oldest first.
	Interrupts(context.Context, Thread) ([]Interrupt, error)
	// Suspension returns what Suspend stored, with the interrupts as they are now, or
	// [ErrNotFound].
	Suspension(ctx context.Context, t Thread, runID string) (Suspension, error)
	// Decide stores the answers to pending interrupts, all of them or none, and
	// returns the interrupts in the order of the answers. When one was answered
	// before, it stores nothing and returns the interrupts as they are with
	// [ErrDecided], whether or not the answers are equal. It returns [ErrNotFound]
	// when an interrupt does not exist.
	Decide(ctx context.Context, t Thread, answers []Decision) ([]Interrupt, error)
	// Record stores the result of the decided call, which is then [StateResulted].
	Record(ctx context.Context, t Thread, id InterruptKey, result json.RawMessage) error
	// Settle sets the state of the thread's interrupts from one state to another.
	Settle(ctx context.Context, t Thread, from, to InterruptState) error
}

var (
	ErrNotFound  = errors.New("not found")
	ErrDecided   = errors.New("already decided")
	ErrRunIDUsed = errors.New("run id already waits for a decision")
)

// InterruptKey names an interrupt within its thread.
type InterruptKey struct{ RunID, ToolCallID string }

// Decision is the answer to an interrupt, JSON that is equal for equal answers.
type Decision struct {
	InterruptKey
	Answer json.RawMessage
}

// InterruptState is the state of an interrupt. It only moves forward.
type InterruptState string

const (
	// StatePending: there is no answer.
	StatePending InterruptState = "pending"
	// StateDecided: the answer is stored; whether the tool ran is not known.
	StateDecided InterruptState = "decided"
	// StateResulted: the tool ran and its result is stored; the run that resumed it
	// has not ended.
	StateResulted InterruptState = "resulted"
	// StateFinished: the run that resumed it has ended.
	StateFinished InterruptState = "finished"
	// StateLeft: the run that resumed it failed, and the conversation continued without
	// it.
	StateLeft InterruptState = "left"
)

// Interrupt is a suspended call with its decision and result.
type Interrupt struct {
	InterruptKey
	ToolName string
	Args     json.RawMessage
	Payload  json.RawMessage
	// IdempotencyKey is minted with the interrupt and never changes.
	IdempotencyKey string
	State          InterruptState
	Decision       json.RawMessage // nil while pending
	Result         json.RawMessage // nil until recorded
	CreatedAt      time.Time
	ExpiresAt      time.Time // zero is never
}

// Suspension is a paused run: the calls it waits for and what it needs to continue.
type Suspension struct {
	RunID      string
	Interrupts []Interrupt
	// Messages is the conversation as the model saw it, up to and including the
	// results of the step's other calls.
	Messages []Message
	// Queue are the step's calls that have not run. They run after the interrupts are
	// answered.
	Queue []ToolCall
}

// Message is one message of a model conversation. The first system message is not part
// of the conversation; it is written for every request.
type Message struct {
	Role       string     `json:"role"` // system, user, assistant or tool
	Content    string     `json:"content,omitempty"`
	ToolCalls  []ToolCall `json:"toolCalls,omitempty"`
	ToolCallID string     `json:"toolCallId,omitempty"`
}

// ToolCall is a call of the model; Arguments is unchecked text.
type ToolCall struct {
	ID        string `json:"id"`
	Name      string `json:"name"`
	Arguments string `json:"arguments"`
}
