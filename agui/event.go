package agui

import "encoding/json"

// EventType is the discriminator of an event, in upper snake case on the wire.
type EventType string

// The 31 event types of AG-UI 1.0 (protocol section 1).
const (
	TypeRunStarted              EventType = "RUN_STARTED"
	TypeRunFinished             EventType = "RUN_FINISHED"
	TypeRunError                EventType = "RUN_ERROR"
	TypeStepStarted             EventType = "STEP_STARTED"
	TypeStepFinished            EventType = "STEP_FINISHED"
	TypeTextMessageStart        EventType = "TEXT_MESSAGE_START"
	TypeTextMessageContent      EventType = "TEXT_MESSAGE_CONTENT"
	TypeTextMessageEnd          EventType = "TEXT_MESSAGE_END"
	TypeTextMessageChunk        EventType = "TEXT_MESSAGE_CHUNK"
	TypeToolCallStart           EventType = "TOOL_CALL_START"
	TypeToolCallArgs            EventType = "TOOL_CALL_ARGS"
	TypeToolCallEnd             EventType = "TOOL_CALL_END"
	TypeToolCallChunk           EventType = "TOOL_CALL_CHUNK"
	TypeToolCallResult          EventType = "TOOL_CALL_RESULT"
	TypeStateSnapshot           EventType = "STATE_SNAPSHOT"
	TypeStateDelta              EventType = "STATE_DELTA"
	TypeMessagesSnapshot        EventType = "MESSAGES_SNAPSHOT"
	TypeActivitySnapshot        EventType = "ACTIVITY_SNAPSHOT"
	TypeActivityDelta           EventType = "ACTIVITY_DELTA"
	TypeReasoningStart          EventType = "REASONING_START"
	TypeReasoningEnd            EventType = "REASONING_END"
	TypeReasoningMessageStart   EventType = "REASONING_MESSAGE_START"
	TypeReasoningMessageContent EventType = "REASONING_MESSAGE_CONTENT"
	TypeReasoningMessageEnd     EventType = "REASONING_MESSAGE_END"
	TypeReasoningMessageChunk   EventType = "REASONING_MESSAGE_CHUNK"
	TypeReasoningEncryptedValue EventType = "REASONING_ENCRYPTED_VALUE"
	TypeSubagentStarted         EventType = "SUBAGENT_STARTED"
	TypeSubagentFinished        EventType = "SUBAGENT_FINISHED"
	TypeSubagentError           EventType = "SUBAGENT_ERROR"
	TypeRaw                     EventType = "RAW"
	TypeCustom                  EventType = "CUSTOM"
)

// Event is one AG-UI event. The concrete types are pointers to the structs of
// this package; switch on them. [Unknown] stands for a type this package does
// not know.
type Event interface {
	// Head returns the fields every event has.
	Head() *Base
}

// Base holds the fields common to all events (protocol section 1.2).
type Base struct {
	Type EventType `json:"type"`
	// Timestamp is Unix milliseconds by convention; 0 is absent.
	Timestamp int64 `json:"timestamp,omitempty"`
	// SubagentRunID names the subagent invocation that produced the event.
	// Empty is the top-level agent; on SUBAGENT_* it is the identity itself.
	SubagentRunID string                     `json:"subagentRunId,omitempty"`
	Metadata      map[string]json.RawMessage `json:"metadata,omitempty"`
	RawEvent      json.RawMessage            `json:"rawEvent,omitempty"`
}

// Head returns the event's common fields.
func (b *Base) Head() *Base { return b }

// Run lifecycle (section 1.3).
type (
	RunStarted struct {
		Base
		ThreadID        string         `json:"threadId"`
		RunID           string         `json:"runId"`
		ParentRunID     string         `json:"parentRunId,omitempty"`
		ProtocolVersion string         `json:"protocolVersion,omitempty"`
		Input           *RunAgentInput `json:"input,omitempty"`
	}
	RunFinished struct {
		Base
		ThreadID string          `json:"threadId"`
		RunID    string          `json:"runId"`
		Result   json.RawMessage `json:"result,omitempty"`
		// Outcome is nil for success as older producers say it.
		Outcome *Outcome     `json:"outcome,omitempty"`
		Usage   []TokenUsage `json:"usage,omitempty"`
	}
	RunError struct {
		Base
		Message string       `json:"message"`
		Code    string       `json:"code,omitempty"`
		Usage   []TokenUsage `json:"usage,omitempty"`
	}
	StepStarted struct {
		Base
		StepName string `json:"stepName"`
	}
	StepFinished struct {
		Base
		StepName string `json:"stepName"`
	}
)

// TokenUsage counts tokens of one (provider, model) over a run.
type TokenUsage struct {
	Provider              string `json:"provider,omitempty"`
	Model                 string `json:"model,omitempty"`
	InputTokens           int64  `json:"inputTokens,omitempty"`
	OutputTokens          int64  `json:"outputTokens,omitempty"`
	TotalTokens           int64  `json:"totalTokens,omitempty"`
	ReasoningTokens       int64  `json:"reasoningTokens,omitempty"`
	CachedInputTokens     int64  `json:"cachedInputTokens,omitempty"`
	CacheWriteInputTokens int64  `json:"cacheWriteInputTokens,omitempty"`
}

// Text messages (section 1.4).
type (
	TextMessageStart struct {
		Base
		MessageID string `json:"messageId"`
		// Role is empty for assistant.
		Role Role   `json:"role,omitempty"`
		Name string `json:"name,omitempty"`
	}
	TextMessageContent struct {
		Base
		MessageID string `json:"messageId"`
		Delta     string `json:"delta"`
	}
	TextMessageEnd struct {
		Base
		MessageID string `json:"messageId"`
	}
	// TextMessageChunk is start, content and end in one; every field may be
	// absent, which differs from empty (section 4).
	TextMessageChunk struct {
		Base
		MessageID *string `json:"messageId,omitempty"`
		Role      *Role   `json:"role,omitempty"`
		Name      *string `json:"name,omitempty"`
		Delta     *string `json:"delta,omitempty"`
	}
)

// Tool calls (section 1.5).
type (
	ToolCallStart struct {
		Base
		ToolCallID      string `json:"toolCallId"`
		ToolCallName    string `json:"toolCallName"`
		ParentMessageID string `json:"parentMessageId,omitempty"`
	}
	ToolCallArgs struct {
		Base
		ToolCallID string `json:"toolCallId"`
		Delta      string `json:"delta"`
	}
	ToolCallEnd struct {
		Base
		ToolCallID string `json:"toolCallId"`
	}
	ToolCallChunk struct {
		Base
		ToolCallID      *string `json:"toolCallId,omitempty"`
		ToolCallName    *string `json:"toolCallName,omitempty"`
		ParentMessageID *string `json:"parentMessageId,omitempty"`
		Delta           *string `json:"delta,omitempty"`
	}
	ToolCallResult struct {
		Base
		MessageID  string  `json:"messageId"`
		ToolCallID string  `json:"toolCallId"`
		Content    Content `json:"content"`
		Role       Role    `json:"role,omitempty"`
	}
)

// State and snapshots (section 1.6).
type (
	StateSnapshot struct {
		Base
		// Snapshot is any JSON value, null included.
		Snapshot json.RawMessage `json:"snapshot"`
	}
	StateDelta struct {
		Base
		// Delta is an RFC 6902 patch, kept as received.
		Delta json.RawMessage `json:"delta"`
	}
	MessagesSnapshot struct {
		Base
		Messages []Message `json:"messages"`
	}
	ActivitySnapshot struct {
		Base
		MessageID    string          `json:"messageId"`
		ActivityType string          `json:"activityType"`
		Content      json.RawMessage `json:"content"`
		// Replace is true when absent.
		Replace *bool `json:"replace,omitempty"`
	}
	ActivityDelta struct {
		Base
		MessageID    string          `json:"messageId"`
		ActivityType string          `json:"activityType"`
		Patch        json.RawMessage `json:"patch"`
	}
)

// Reasoning (section 1.7).
type (
	ReasoningStart struct {
		Base
		MessageID string `json:"messageId"`
	}
	ReasoningEnd struct {
		Base
		MessageID string `json:"messageId"`
	}
	ReasoningMessageStart struct {
		Base
		MessageID string `json:"messageId"`
		Role      Role   `json:"role"`
	}
	ReasoningMessageContent struct {
		Base
		MessageID string `json:"messageId"`
		Delta     string `json:"delta"`
	}
	ReasoningMessageEnd struct {
		Base
		MessageID string `json:"messageId"`
	}
	ReasoningMessageChunk struct {
		Base
		MessageID *string `json:"messageId,omitempty"`
		Delta     *string `json:"delta,omitempty"`
	}
	ReasoningEncryptedValue struct {
		Base
		Subtype        string `json:"subtype"`
		EntityID       string `json:"entityId"`
		EncryptedValue string `json:"encryptedValue"`
	}
)

// Subagents and passthrough (section 1.8).
type (
	SubagentStarted struct {
		Base
		Name                string `json:"name"`
		Description         string `json:"description,omitempty"`
		ParentSubagentRunID string `json:"parentSubagentRunId,omitempty"`
		ParentToolCallID    string `json:"parentToolCallId,omitempty"`
		ParentMessageID     string `json:"parentMessageId,omitempty"`
	}
	SubagentFinished struct {
		Base
		Result  json.RawMessage  `json:"result,omitempty"`
		Outcome *SubagentOutcome `json:"outcome,omitempty"`
	}
	SubagentError struct {
		Base
		Message string `json:"message"`
		Code    string `json:"code,omitempty"`
	}
	Raw struct {
		Base
		Event  json.RawMessage `json:"event"`
		Source string          `json:"source,omitempty"`
	}
	Custom struct {
		Base
		Name string `json:"name"`
		// Value is any JSON value, null included.
		Value json.RawMessage `json:"value"`
	}
)

// The types of a [SubagentOutcome].
const (
	SubagentSuccess   = "success"
	SubagentSuspended = "suspended"
)

// SubagentOutcome is how a subagent ended; nil is success.
type SubagentOutcome struct {
	Type         string   `json:"type"`
	InterruptIDs []string `json:"interruptIds,omitempty"`
}

// Unknown is an event whose type this package does not know. It is kept, never
// an error.
type Unknown struct {
	Base
	Raw json.RawMessage `json:"-"`
}
