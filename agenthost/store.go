package agenthost

import (
	"context"
	"encoding/json"
	"errors"
	"time"
)

// Thread is a conversation with one agent. What is stored belongs to it, so a
// decision or a memory of one thread or agent is never seen by another.
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

// InterruptState is how far an interrupt has come. It only moves forward.
type InterruptState string

const (
	// StatePending: nobody has answered.
	StatePending InterruptState = "pending"
	// StateDecided: an answer is recorded; whether the tool ran is not known.
	StateDecided InterruptState = "decided"
	// StateResulted: the tool ran and its result is recorded; the run that
	// resumed it has not come to its end.
	StateResulted InterruptState = "resulted"
	// StateFinished: the resumed run came to its end.
	StateFinished InterruptState = "finished"
	// StateLeft: the resumed run broke off and the conversation went on without
	// it.
	StateLeft InterruptState = "left"
)

// Interrupt is a suspended call and what became of it.
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

// Suspension is a paused run: the calls it waits for and how it goes on.
type Suspension struct {
	RunID      string
	Interrupts []Interrupt
	// Messages is the conversation as the model saw it, up to and including the
	// results of the step's other calls.
	Messages []Message
	// Queue are the step's calls that have not been run; they come after the
	// interrupts are answered.
	Queue []ToolCall
}

// Message is one message of a model conversation. The first system message is
// not part of it; it is made anew for every request.
type Message struct {
	Role       string     `json:"role"` // system, user, assistant or tool
	Content    string     `json:"content,omitempty"`
	ToolCalls  []ToolCall `json:"toolCalls,omitempty"`
	ToolCallID string     `json:"toolCallId,omitempty"`
}

// ToolCall is a call as the model made it; Arguments is unchecked text.
type ToolCall struct {
	ID        string `json:"id"`
	Name      string `json:"name"`
	Arguments string `json:"arguments"`
}
