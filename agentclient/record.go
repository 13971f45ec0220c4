package agentclient

import (
	"encoding/json"
	"time"

	"cairn/agui"
)

// RecordKind is the kind of a [Record].
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
	// Event is the decoded Data, if there is one; it is not stored.
	Event agui.Event
}

// UserData is the body of a [RecordUser].
type UserData struct {
	ID   string `json:"id"`
	Text string `json:"text"`
}

// Reason is why a run was started.
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

// NewRecord makes a record; v is one of this package's bodies.
func NewRecord(kind RecordKind, runID string, v any) Record {
	data, err := json.Marshal(v)
	if err != nil {
		panic("agentclient: " + err.Error()) // the bodies always encode
	}
	return Record{Kind: kind, RunID: runID, Data: data}
}
