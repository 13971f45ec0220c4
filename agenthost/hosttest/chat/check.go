// Package chat checks requests to a model's server. It is for tests.
package chat

import (
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strings"
)

// Request is what the checks look at in a Chat Completions request.
type Request struct {
	Messages []Message `json:"messages"`
}

// Message is one message of a request.
type Message struct {
	Role       string  `json:"role"`
	Content    *string `json:"content"`
	ToolCallID string  `json:"tool_call_id"`
	ToolCalls  []Call  `json:"tool_calls"`
}

// Call is a tool call of an assistant's message.
type Call struct {
	ID       string `json:"id"`
	Type     string `json:"type"`
	Function struct{ Name, Arguments string }
}

var toolName = regexp.MustCompile(`^[a-zA-Z0-9_-]{1,64}$`)

// Check returns what a strict Chat Completions server would refuse in a request's body:
// a call without exactly one result right after its message, a result without a call,
// an id that is used twice, empty or longer than 40 bytes, a name that is none, and
// arguments that are no JSON object.
func Check(body []byte) (Request, error) {
	var r Request
	if err := json.Unmarshal(body, &r); err != nil {
		return r, err
	}
	waiting, ids := map[string]bool{}, map[string]bool{}
	for i, m := range r.Messages {
		if m.Role != "tool" && len(waiting) > 0 {
			return r, fmt.Errorf("messages[%d] comes before the results of %v", i, waiting)
		}
		if m.Content == nil && len(m.ToolCalls) == 0 {
			return r, fmt.Errorf("messages[%d] says nothing", i)
		}
		switch m.Role {
		case "system", "user":
		case "assistant":
			for _, c := range m.ToolCalls {
				if err := c.check(ids); err != nil {
					return r, fmt.Errorf("messages[%d]: %w", i, err)
				}
				waiting[c.ID], ids[c.ID] = true, true
			}
		case "tool":
			if !waiting[m.ToolCallID] {
				return r, fmt.Errorf("messages[%d] is the result of no call: %q", i, m.ToolCallID)
			}
			delete(waiting, m.ToolCallID)
		default:
			return r, fmt.Errorf("messages[%d] has the role %q", i, m.Role)
		}
	}
	if len(waiting) > 0 {
		return r, fmt.Errorf("no results of %v", waiting)
	}
	return r, nil
}

func (c Call) check(ids map[string]bool) error {
	var object map[string]json.RawMessage
	switch {
	case c.ID == "" || len(c.ID) > 40:
		return fmt.Errorf("the id %q has %d bytes", c.ID, len(c.ID))
	case ids[c.ID]:
		return fmt.Errorf("the id %q is used twice", c.ID)
	case c.Type != "function":
		return fmt.Errorf("the type is %q", c.Type)
	case !toolName.MatchString(c.Function.Name):
		return fmt.Errorf("%q is no tool name", c.Function.Name)
	case json.Unmarshal([]byte(c.Function.Arguments), &object) != nil || object == nil:
		return errors.New("arguments that are no object: " + c.Function.Arguments)
	}
	return nil
}

// String writes a request in short, without its first system message: a letter for the
// role, then the text, the calls and the id a result is of.
func (r Request) String() string {
	var lines []string
	for i, m := range r.Messages {
		if i == 0 && m.Role == "system" {
			continue
		}
		line := m.Role[:1]
		if m.Role == "tool" {
			line += "(" + m.ToolCallID + ")"
		}
		if m.Content != nil && *m.Content != "" {
			line += " " + *m.Content
		}
		for _, c := range m.ToolCalls {
			line += fmt.Sprintf(" %s=%s%s", c.ID, c.Function.Name, c.Function.Arguments)
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "\n")
}
