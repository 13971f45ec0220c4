package agenthost

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"os"
	"strings"
	"time"

	"cairn/agui"
)

// badRequest is an answer other than a run. read is true when the body was read to its
// end, so that the connection can be used again.
type badRequest struct {
	status int
	detail string
	read   bool
}

func (e *badRequest) Error() string { return e.detail }

func invalid(format string, args ...any) error {
	return &badRequest{http.StatusBadRequest, fmt.Sprintf(format, args...), true}
}

func refused(status int, format string, args ...any) error {
	return &badRequest{status, fmt.Sprintf(format, args...), false}
}

// readInput reads and checks a RunAgentInput. Its errors are [badRequest]s that
// name the field that is wrong.
func (s *Server) readInput(w http.ResponseWriter, r *http.Request) (agui.RunAgentInput, error) {
	if ct := r.Header.Get("Content-Type"); ct != "" {
		if media, _, err := mime.ParseMediaType(ct); err != nil || media != "application/json" {
			return agui.RunAgentInput{}, refused(http.StatusUnsupportedMediaType, "content-type must be application/json")
		}
	}
	if !acceptsEventStream(r.Header.Values("Accept")) {
		return agui.RunAgentInput{}, refused(http.StatusNotAcceptable, "this route answers text/event-stream")
	}
	body, err := s.readBody(w, r)
	if err != nil {
		return agui.RunAgentInput{}, err
	}
	if nestedDeeper(body, s.cfg.MaxDepth) {
		return agui.RunAgentInput{}, invalid("the body is nested deeper than %d levels", s.cfg.MaxDepth)
	}
	in, err := parseInput(body)
	if err != nil {
		return in, err
	}
	return in, s.checkCounts(in)
}

// readBody reads the body within its size and time.
func (s *Server) readBody(w http.ResponseWriter, r *http.Request) ([]byte, error) {
	tooLarge := refused(http.StatusRequestEntityTooLarge, "the body is larger than %d bytes", s.cfg.MaxBody)
	if r.ContentLength > s.cfg.MaxBody {
		return nil, tooLarge
	}
	ctrl := http.NewResponseController(w)
	// A writer without deadlines (a test recorder) has no slow client.
	_ = ctrl.SetReadDeadline(time.Now().Add(s.cfg.ReadTimeout))
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, s.cfg.MaxBody))
	var over *http.MaxBytesError
	switch {
	case errors.As(err, &over):
		return nil, tooLarge
	case errors.Is(err, os.ErrDeadlineExceeded):
		return nil, refused(http.StatusRequestTimeout, "the body did not arrive within %v", s.cfg.ReadTimeout)
	case err != nil:
		return nil, refused(http.StatusBadRequest, "the body could not be read")
	}
	// From here the server reads without a deadline, to notice a client that disconnects.
	_ = ctrl.SetReadDeadline(time.Time{})
	return body, nil
}

func (s *Server) checkCounts(in agui.RunAgentInput) error {
	tooMany := func(what string, most int) error {
		return &badRequest{http.StatusRequestEntityTooLarge, fmt.Sprintf("%s: more than %d", what, most), true}
	}
	switch {
	case len(in.Messages) > s.cfg.MaxMessages:
		return tooMany("messages", s.cfg.MaxMessages)
	case len(in.Tools) > s.cfg.MaxTools:
		return tooMany("tools", s.cfg.MaxTools)
	}
	return nil
}

// maxID is the most bytes of a thread's or a run's id, which many events repeat.
const maxID = 1 << 10

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
	if len(in.ThreadID) > maxID || len(in.RunID) > maxID {
		return in, invalid("threadId and runId have at most %d bytes", maxID)
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
		if p := string(t.Parameters); p != "" && p != "null" && p[0] != '{' {
			return in, invalid("tools[%d].parameters must be an object", i)
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
		return fmt.Errorf("role %q is unknown", excerpt(string(m.Role), maxShort))
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
