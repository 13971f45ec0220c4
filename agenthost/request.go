package agenthost

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"strings"

	"cairn/agui"
)

// badRequest is an answer other than a run.
type badRequest struct {
	status int
	detail string
}

func (e *badRequest) Error() string { return e.detail }

func invalid(format string, args ...any) error {
	return &badRequest{http.StatusBadRequest, fmt.Sprintf(format, args...)}
}

// readInput reads and checks a RunAgentInput. Its errors are [badRequest]s that
// name the field that is wrong.
func readInput(w http.ResponseWriter, r *http.Request, limit int64) (agui.RunAgentInput, error) {
	var in agui.RunAgentInput
	if ct := r.Header.Get("Content-Type"); ct != "" {
		if media, _, err := mime.ParseMediaType(ct); err != nil || media != "application/json" {
			return in, &badRequest{http.StatusUnsupportedMediaType, "content-type must be application/json"}
		}
	}
	if !acceptsEventStream(r.Header.Values("Accept")) {
		return in, &badRequest{http.StatusNotAcceptable, "this route answers text/event-stream"}
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, limit))
	var tooLarge *http.MaxBytesError
	if errors.As(err, &tooLarge) {
		return in, &badRequest{http.StatusRequestEntityTooLarge, fmt.Sprintf("the body is larger than %d bytes", limit)}
	}
	if err != nil {
		return in, invalid("the body could not be read")
	}
	return parseInput(body)
}

// requiredFields must be present; the protocol's other members may be left out.
var requiredFields = []string{"threadId", "runId", "messages"}

func parseInput(body []byte) (agui.RunAgentInput, error) {
	var in agui.RunAgentInput
	var members map[string]json.RawMessage
	if err := json.Unmarshal(body, &members); err != nil || members == nil {
		return in, invalid("the body must be a JSON object")
	}
	for _, name := range requiredFields {
		if v, ok := members[name]; !ok || string(v) == "null" {
			return in, invalid("%s is required", name)
		}
	}
	if err := json.Unmarshal(body, &in); err != nil {
		var wrong *agui.MemberError
		if errors.As(err, &wrong) {
			return in, invalid("%v", wrong)
		}
		return in, invalid("the body is no RunAgentInput")
	}
	if in.ThreadID == "" {
		return in, invalid("threadId must not be empty")
	}
	if in.RunID == "" {
		return in, invalid("runId must not be empty")
	}
	for i, m := range in.Messages {
		if err := checkMessage(m); err != nil {
			return in, invalid("messages[%d].%v", i, err)
		}
	}
	for i, t := range in.Tools {
		if !toolName.MatchString(t.Name) {
			return in, invalid("tools[%d].name is no tool name", i)
		}
	}
	for i, e := range in.Resume {
		if e.InterruptID == "" {
			return in, invalid("resume[%d].interruptId is required", i)
		}
		if e.Status != agui.ResumeResolved && e.Status != agui.ResumeCancelled {
			return in, invalid("resume[%d].status must be resolved or cancelled", i)
		}
	}
	return in, nil
}

func checkMessage(m agui.Message) error {
	switch m.Role {
	case agui.RoleUser, agui.RoleSystem, agui.RoleDeveloper:
		if m.Content.IsZero() {
			return errors.New("content is required")
		}
		if c := m.Content.Raw[0]; c != '"' && c != '[' {
			return errors.New("content must be a string or an array")
		}
	case agui.RoleAssistant:
		for _, c := range m.ToolCalls {
			if c.ID == "" || c.Function.Name == "" {
				return errors.New("toolCalls need an id and a function name")
			}
		}
	case agui.RoleTool:
		if m.ToolCallID == "" {
			return errors.New("toolCallId is required")
		}
	case agui.RoleActivity, agui.RoleReasoning:
	case "":
		return errors.New("role is required")
	default:
		return fmt.Errorf("role %q is unknown", m.Role)
	}
	return nil
}

// acceptsEventStream reads Accept leniently: absent or any range that covers an
// event stream.
func acceptsEventStream(accept []string) bool {
	if len(accept) == 0 {
		return true
	}
	for part := range strings.SplitSeq(strings.Join(accept, ","), ",") {
		media, params, err := mime.ParseMediaType(strings.TrimSpace(part))
		if err != nil || params["q"] == "0" {
			continue
		}
		switch media {
		case "text/event-stream", "text/*", "*/*":
			return true
		}
	}
	return false
}
