package agentclient

import (
	"encoding/json"
	"time"

	"cairn/agui"
)

// RecordKind says what a [Record] tells.
type RecordKind string

const (
	RecordUser  RecordKind = "user"  // a message by the user
	RecordRun   RecordKind = "run"   // a run is about to be requested
	RecordEvent RecordKind = "event" // one AG-UI event as received
	RecordClaim RecordKind = "claim" // a decision on an interrupt, stored before it is sent
	RecordEnd   RecordKind = "end"   // the run is over: how it ended, and the error
)

// Record is one thing that happened in a thread. A program stores the records of a
// thread in order; [Session.Fold] restores the session from them.
type Record struct {
	Kind  RecordKind
	RunID string
	At    time.Time
	Data  json.RawMessage
	// Event is what Data says, when it has been decoded; it is not stored.
	Event agui.Event
}

// UserData is the body of a [RecordUser].
type UserData struct {
	ID   string `json:"id"`
	Text string `json:"text"`
}

// Reason says why a run was started.
type Reason string

const (
	ReasonMessage  Reason = "message"
	ReasonRetry    Reason = "retry"
	ReasonDecision Reason = "decision"
	ReasonAgain    Reason = "again" // another answer in the place of the last
)

// RunData is the body of a [RecordRun].
type RunData struct {
	Reason Reason `json:"reason"`
	// Skip names a failed run whose messages are left out of the history sent.
	Skip string `json:"skip,omitempty"`
	// Replaces names a run whose answer this one's takes the place of: it is not sent
	// and no longer shown, but for a replacement that fails.
	Replaces string `json:"replaces,omitempty"`
}

// ClaimData is the body of a [RecordClaim]. The record's run is the one that will carry
// the decision.
type ClaimData struct {
	Generation int `json:"generation"`
	// Approved is true when every request was approved. It is all that records say which
	// were written when several requests could only be decided alike.
	Approved bool            `json:"approved"`
	Resume   json.RawMessage `json:"resume"`
	// Each is the verdict on each request, in their order.
	Each []Verdict `json:"each,omitempty"`
	// Again repeats a decision whose answer got lost, by the person's own choice.
	Again bool `json:"again,omitempty"`
}

// How says how a run ended.
type How string

const (
	EndClean      How = "clean"       // with its terminal event
	EndStopped    How = "stopped"     // by the person
	EndNotSent    How = "not-sent"    // the request did not leave
	EndNoAnswer   How = "no-answer"   // the request left and no answer began
	EndTruncated  How = "truncated"   // the stream ended without a terminal event
	EndStalled    How = "stalled"     // the stream went silent
	EndRefused    How = "refused"     // the agent answered with an HTTP error
	EndNotStream  How = "not-stream"  // the answer was no event stream
	EndMalformed  How = "malformed"   // the stream carried something that is no event
	EndTooLarge   How = "too-large"   // a limit was passed
	EndShutdown   How = "shutdown"    // the program stopped during the run
	EndAgentError How = "agent-error" // RUN_ERROR; derived, never stored
	EndCancelled  How = "cancelled"   // by the agent's own side; derived, never stored
	EndLog        How = "log"         // the log could not be written
	EndCrash      How = "crash"       // the program panicked while it read the answer
)

// EndData is the body of a [RecordEnd]. Detail is for operators and never holds a
// secret; what a page says is derived from How, Status and Code.
type EndData struct {
	How    How    `json:"how"`
	Status int    `json:"status,omitempty"`
	Code   string `json:"code,omitempty"`
	Detail string `json:"detail,omitempty"`
}

// NewRecord makes a record; v is one of this package's bodies.
func NewRecord(kind RecordKind, runID string, v any) Record {
	data, err := json.Marshal(v)
	if err != nil {
		panic("agentclient: " + err.Error()) // the bodies always encode
	}
	return Record{Kind: kind, RunID: runID, Data: data}
}
