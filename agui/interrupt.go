package agui

import "encoding/json"

// OutcomeType is the discriminator of RUN_FINISHED.outcome (section 3.1).
type OutcomeType string

const (
	OutcomeSuccess   OutcomeType = "success"
	OutcomeInterrupt OutcomeType = "interrupt"
	OutcomeCancelled OutcomeType = "cancelled"
)

// Outcome says how a run ended. Absent means success.
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
}

// UnmarshalJSON also reads the shape that some producers document, named and
// filled as an answer is: interruptId is the id, and value goes to
// metadata.value. Where both shapes say something, the protocol's counts.
func (i *Interrupt) UnmarshalJSON(b []byte) error {
	type plain Interrupt
	in := struct {
		plain
		InterruptID string          `json:"interruptId"`
		Value       json.RawMessage `json:"value"`
	}{}
	if err := json.Unmarshal(b, &in); err != nil {
		return err
	}
	if in.ID == "" {
		in.ID = in.InterruptID
	}
	if len(in.Value) > 0 && string(in.Value) != "null" {
		if _, taken := in.Metadata["value"]; !taken {
			if in.Metadata == nil {
				in.Metadata = map[string]json.RawMessage{}
			}
			in.Metadata["value"] = in.Value
		}
	}
	*i = Interrupt(in.plain)
	return nil
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
