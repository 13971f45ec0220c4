package agui

import (
	"encoding/json"
	"errors"
	"strings"
)

// Role says who a message is from.
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

// Content is what a message or a tool result carries: text, or an array of
// content parts, or (for activities) an object. The zero value is absent.
type Content struct {
	// Raw is the JSON value; nil is absent.
	Raw json.RawMessage
}

// TextContent makes string content.
func TextContent(s string) Content { return Content{Raw: marshalString(s)} }

// IsZero reports absent content; encoding/json's omitzero relies on it.
func (c Content) IsZero() bool { return c.Raw == nil }

// Text gives the content as text: the string itself, or the text parts of an
// array joined; "" for anything else.
func (c Content) Text() string {
	if len(c.Raw) == 0 {
		return ""
	}
	switch c.Raw[0] {
	case '"':
		var s string
		if json.Unmarshal(c.Raw, &s) == nil {
			return s
		}
	case '[':
		var parts []struct {
			Type string `json:"type"`
			Text string `json:"text"`
		}
		if json.Unmarshal(c.Raw, &parts) == nil {
			var b strings.Builder
			for _, p := range parts {
				if p.Type == "text" {
					b.WriteString(p.Text)
				}
			}
			return b.String()
		}
	}
	return ""
}

// MarshalJSON writes the value as it was read.
func (c Content) MarshalJSON() ([]byte, error) {
	if c.Raw == nil {
		return nil, errors.New("absent content")
	}
	return c.Raw, nil
}

// UnmarshalJSON keeps the value; null is absent.
func (c *Content) UnmarshalJSON(b []byte) error {
	if string(b) == "null" {
		c.Raw = nil
		return nil
	}
	c.Raw = append(json.RawMessage(nil), b...)
	return nil
}

func marshalString(s string) json.RawMessage {
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(s) // a string always encodes
	return json.RawMessage(strings.TrimSuffix(b.String(), "\n"))
}
