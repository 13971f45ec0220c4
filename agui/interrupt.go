package agui

import (
	"encoding/json"

	"cairn/internal/jsontext"
)

// OutcomeType is the discriminator of RUN_FINISHED.outcome (section 3.1).
type OutcomeType string

const (
	OutcomeSuccess   OutcomeType = "success"
	OutcomeInterrupt OutcomeType = "interrupt"
	OutcomeCancelled OutcomeType = "cancelled"
)

// Outcome is how a run ended. Absent means success.
type Outcome struct {
	Type               OutcomeType `json:"type"`
	Interrupts         []Interrupt `json:"interrupts,omitempty"`
	PendingToolCallIDs []string    `json:"pendingToolCallIds,omitempty"`
}

// Interrupt is one question a paused run waits on (section 3.2). ID is opaque.
type Interrupt struct {
	ID             string                     `json:"id"`
	Reason         string                     `json:"reason"`
	Message        string                     `json:"message,omitempty"`
	ToolCallID     string                     `json:"toolCallId,omitempty"`
	ResponseSchema json.RawMessage            `json:"responseSchema,omitempty"`
	ExpiresAt      string                     `json:"expiresAt,omitempty"`
	Metadata       map[string]json.RawMessage `json:"metadata,omitempty"`
	SubagentRunID  string                     `json:"subagentRunId,omitempty"`
	// Extra holds the members that 1.0 does not have, by name, as they came; nil when
	// there are none. Runtimes put beside the standard ones what a person needs to
	// know. It is read and never written.
	Extra map[string]json.RawMessage `json:"-"`
}

// UnmarshalJSON reads names as exact. It also reads the shape that some producers
// document, named and filled as an answer is: interruptId is the id, and value goes
// to metadata.value. Where both shapes say something, the protocol's counts.
func (i *Interrupt) UnmarshalJSON(b []byte) error { return unmarshal(b, i) }

// wireInterrupt is an interrupt of either shape.
type wireInterrupt struct {
	Interrupt
	InterruptID string          `json:"interruptId,omitempty"`
	Value       json.RawMessage `json:"value,omitempty"`
}

func (in *wireInterrupt) keep(name string, value json.RawMessage) {
	if in.Extra == nil {
		in.Extra = map[string]json.RawMessage{}
	}
	in.Extra[name] = value
}

// modern is the interrupt as it is now. What the other shape says besides is kept.
func (in *wireInterrupt) modern(r *reader) Interrupt {
	if in.InterruptID != "" {
		if in.ID == "" {
			in.ID = in.InterruptID
			r.report(r.at(step{name: "interruptId"}), "read as id")
		} else {
			id, _ := jsontext.Marshal(in.InterruptID) // a string always encodes
			in.keep("interruptId", id)
		}
	}
	if len(in.Value) == 0 || string(in.Value) == "null" {
		return in.Interrupt
	}
	if _, taken := in.Metadata["value"]; taken {
		in.keep("value", in.Value)
		return in.Interrupt
	}
	if in.Metadata == nil {
		in.Metadata = map[string]json.RawMessage{}
	}
	in.Metadata["value"] = in.Value
	r.report(r.at(step{name: "value"}), "read as metadata.value")
	return in.Interrupt
}

// ResumeStatus is how an interrupt was answered.
type ResumeStatus string

const (
	ResumeResolved  ResumeStatus = "resolved"
	ResumeCancelled ResumeStatus = "cancelled"
)

// ResumeEntry answers one interrupt (section 3.3).
type ResumeEntry struct {
	InterruptID string                     `json:"interruptId"`
	Status      ResumeStatus               `json:"status"`
	Payload     json.RawMessage            `json:"payload,omitempty"`
	Metadata    map[string]json.RawMessage `json:"metadata,omitempty"`
}
