package scriptedmodel

import (
	"fmt"
	"slices"
	"strings"
)

var roles = []string{"system", "developer", "user", "assistant", "tool"}

// checkMessages refuses unknown roles and, like the API, tool calls without
// their results and results without their call.
func checkMessages(msgs []chatMessage) *apiError {
	var open []string
	unanswered := func(i int) *apiError {
		return &apiError{
			Message: "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. " +
				"The following tool_call_ids did not have response messages: " + strings.Join(open, ", "),
			Type: invalidRequest, Param: fmt.Sprintf("messages.[%d].role", i),
		}
	}
	for i, m := range msgs {
		param := fmt.Sprintf("messages[%d]", i)
		if !slices.Contains(roles, m.Role) {
			return &apiError{
				Message: fmt.Sprintf("Invalid value: %q. Supported values are: %s.", m.Role, strings.Join(roles, ", ")),
				Type:    invalidRequest, Param: param + ".role", Code: "invalid_value",
			}
		}
		if m.Role == "tool" {
			at := slices.Index(open, m.ToolCallID)
			if at < 0 {
				return &apiError{
					Message: "Invalid parameter: messages with role 'tool' must be a response to a preceding message with 'tool_calls'.",
					Type:    invalidRequest, Param: param + ".role",
				}
			}
			open = slices.Delete(open, at, at+1)
			continue
		}
		if len(open) > 0 {
			return unanswered(i)
		}
		if m.Role == "assistant" {
			for _, c := range m.ToolCalls {
				open = append(open, c.ID)
			}
		}
	}
	if len(open) > 0 {
		return unanswered(len(msgs) - 1)
	}
	return nil
}
