package agui

import "encoding/json"

// Role is the sender of a message.
type Role string

const (
	RoleDeveloper Role = "developer"
	RoleSystem    Role = "system"
	RoleUser      Role = "user"
	RoleAssistant Role = "assistant"
	RoleTool      Role = "tool"
	RoleActivity  Role = "activity"
	RoleReasoning Role = "reasoning"
)

// Message is one entry of a conversation, discriminated by Role (section 2.2).
type Message struct {
	ID   string `json:"id"`
	Role Role   `json:"role"`
	// Content is absent on an assistant message that only calls tools.
	Content Content `json:"content,omitzero"`
	Name    string  `json:"name,omitempty"`
	// ToolCalls belong to an assistant message.
	ToolCalls []ToolCall `json:"toolCalls,omitempty"`
	// ToolCallID and Error belong to a tool message.
	ToolCallID string `json:"toolCallId,omitempty"`
	Error      string `json:"error,omitempty"`
	// ActivityType belongs to an activity message.
	ActivityType   string                     `json:"activityType,omitempty"`
	EncryptedValue string                     `json:"encryptedValue,omitempty"`
	SubagentRunID  string                     `json:"subagentRunId,omitempty"`
	Metadata       map[string]json.RawMessage `json:"metadata,omitempty"`
}

// UnmarshalJSON reads names as exact.
func (m *Message) UnmarshalJSON(b []byte) error { return unmarshal(b, m) }

// ToolCall is a call as it stands in a message; Function.Arguments is raw text,
// conventionally JSON, never validated here.
type ToolCall struct {
	ID             string                     `json:"id"`
	Type           string                     `json:"type"` // always "function"
	Function       Function                   `json:"function"`
	EncryptedValue string                     `json:"encryptedValue,omitempty"`
	Metadata       map[string]json.RawMessage `json:"metadata,omitempty"`
}

// Function is the name and the argument text of a call.
type Function struct {
	Name      string `json:"name"`
	Arguments string `json:"arguments"`
}
