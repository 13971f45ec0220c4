package agui

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
)

// This file makes what is written 1.0 and no more: members a role does not have
// and nulls are left out, retired shapes become their successors, and what is
// still wrong is an error naming where.

// MarshalJSON writes the input as 1.0 has it. It returns an error that names the member
// when a message or a decision is not what 1.0 allows. Activity messages are the client's own and not written.
func (in RunAgentInput) MarshalJSON() ([]byte, error) {
	in, err := in.strict()
	if err != nil {
		return nil, err
	}
	type plain RunAgentInput
	return write(plain(in))
}

func (in RunAgentInput) strict() (RunAgentInput, error) {
	in.Tools, in.Resume = slices.Clone(in.Tools), slices.Clone(in.Resume)
	in.dropNulls()
	if in.Tools == nil {
		in.Tools = []Tool{}
	}
	if in.Context == nil {
		in.Context = []ContextItem{}
	}
	if len(in.ForwardedProps) == 0 {
		in.ForwardedProps = json.RawMessage("{}")
	}
	var err error
	if in.Messages, err = strictMessages(in.Messages, false); err != nil {
		return in, err
	}
	for i, r := range in.Resume {
		if r.Status != ResumeResolved && r.Status != ResumeCancelled {
			return in, fmt.Errorf("resume[%d].status: unknown status %s", i, quote(string(r.Status)))
		}
	}
	return in, nil
}

// strictMessages returns messages to write, never nil.
func strictMessages(messages []Message, activities bool) ([]Message, error) {
	out := make([]Message, 0, len(messages))
	for i, m := range messages {
		if m.Role == RoleActivity && !activities {
			continue
		}
		m, err := m.strict()
		if err != nil {
			return nil, fmt.Errorf("messages[%d].%w", i, err)
		}
		out = append(out, m)
	}
	return out, nil
}

// strict returns the message with the members its role has (protocol section 2.2).
func (m Message) strict() (Message, error) {
	out := Message{ID: m.ID, Role: m.Role, SubagentRunID: m.SubagentRunID, Metadata: m.Metadata}
	if m.Role != RoleActivity {
		out.EncryptedValue = m.EncryptedValue
	}
	content, shape := m.Content, anyText
	switch m.Role {
	case RoleDeveloper, RoleSystem:
		out.Name, shape = m.Name, plainText
	case RoleUser:
		out.Name = m.Name
	case RoleAssistant:
		out.Name, shape = m.Name, plainText
		var err error
		if out.ToolCalls, err = strictCalls(m.ToolCalls); err != nil {
			return out, err
		}
		if content.IsZero() {
			return out, nil
		}
	case RoleTool:
		out.ToolCallID, out.Error = m.ToolCallID, m.Error
		if m.ToolCallID == "" {
			return out, errors.New("toolCallId: required")
		}
	case RoleReasoning:
		shape = plainText
	case RoleActivity:
		out.ActivityType, out.Content = m.ActivityType, content
		if m.ActivityType == "" {
			return out, errors.New("activityType: required")
		}
		return out, object("content", content.Raw)
	default:
		return out, fmt.Errorf("role: unknown role %s", quote(string(m.Role)))
	}
	var err error
	out.Content, err = content.strict(shape)
	return out, err
}

func strictCalls(calls []ToolCall) ([]ToolCall, error) {
	calls = slices.Clone(calls)
	for i := range calls {
		if calls[i].Type == "" {
			calls[i].Type = "function"
		}
		if calls[i].Type != "function" {
			return nil, fmt.Errorf("toolCalls[%d].type: must be function", i)
		}
	}
	return calls, nil
}

// textShape is what content may be.
type textShape int

const (
	anyText   textShape = iota // a string, or parts
	plainText                  // a string; parts are written as their text
)

func (c Content) strict(shape textShape) (Content, error) {
	switch kind(c.Raw) {
	case '"':
		return c, nil
	case '[':
		if shape == plainText {
			return TextContent(c.Text()), nil
		}
		parts, _ := c.Parts()
		out, err := PartsContent(parts...)
		if err != nil {
			return c, fmt.Errorf("content%w", err)
		}
		return out, nil
	case 0:
		return c, errors.New("content: required")
	}
	return c, errors.New("content: must be text or parts")
}

// kind is the first byte of a JSON value, which determines its type; 0 when there is
// none.
func kind(raw json.RawMessage) byte {
	for _, c := range raw {
		if c > ' ' {
			return c
		}
	}
	return 0
}

func object(at string, raw json.RawMessage) error {
	switch kind(raw) {
	case '{':
		return nil
	case 0:
		return fmt.Errorf("%s: required", at)
	}
	return fmt.Errorf("%s: must be an object", at)
}
