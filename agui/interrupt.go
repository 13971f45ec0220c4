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
