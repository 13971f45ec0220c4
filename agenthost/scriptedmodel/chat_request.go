package scriptedmodel

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"cairn/agenthost/scriptedmodel/script"
)

// chatRequest is the part of a Chat Completions request that the script uses.
// Unknown members are ignored, as the API does for the sampling options.
type chatRequest struct {
	Model      string          `json:"model"`
	Messages   []chatMessage   `json:"messages"`
	Tools      []chatTool      `json:"tools"`
	ToolChoice json.RawMessage `json:"tool_choice"`
	N          *int            `json:"n"`
	Parallel   *bool           `json:"parallel_tool_calls"`
	Format     struct {
		Type   string `json:"type"`
		Schema struct {
			Schema json.RawMessage `json:"schema"`
		} `json:"json_schema"`
	} `json:"response_format"`
	Stream        bool `json:"stream"`
	StreamOptions *struct {
		IncludeUsage bool `json:"include_usage"`
	} `json:"stream_options"`
}

type chatMessage struct {
	Role       string     `json:"role"`
	Content    content    `json:"content"`
	ToolCalls  []toolCall `json:"tool_calls"`
	ToolCallID string     `json:"tool_call_id"`
}

type toolCall struct {
	ID       string `json:"id"`
	Type     string `json:"type"`
	Function struct {
		Name      string `json:"name"`
		Arguments string `json:"arguments"`
	} `json:"function"`
}

type chatTool struct {
	Type     string `json:"type"`
	Function struct {
		Name       string        `json:"name"`
		Parameters script.Schema `json:"parameters"`
	} `json:"function"`
}

// content is a message's text: the API takes a string, null, or an array of
// parts, of which only the text parts are read here.
type content string

func (c *content) UnmarshalJSON(b []byte) error {
	switch {
	case bytes.Equal(b, []byte("null")):
		*c = ""
		return nil
	case len(b) > 0 && b[0] == '"':
		var s string
		err := json.Unmarshal(b, &s)
		*c = content(s)
		return err
	}
	var parts []struct {
		Type string `json:"type"`
		Text string `json:"text"`
	}
	if err := json.Unmarshal(b, &parts); err != nil {
		return err
	}
	var texts []string
	for _, p := range parts {
		if p.Type == "text" || p.Type == "input_text" || p.Type == "output_text" {
			texts = append(texts, p.Text)
		}
	}
	*c = content(strings.Join(texts, "\n"))
	return nil
}

func (r *chatRequest) includeUsage() bool {
	return r.StreamOptions != nil && r.StreamOptions.IncludeUsage
}

// decodeChat reads a request body and holds it to the rules the real API
// enforces, so that a caller's mistake shows here and not first with a key.
func decodeChat(body []byte) (*chatRequest, *apiError) {
	var req chatRequest
	if bad := decodeBody(body, &req); bad != nil {
		return nil, bad
	}
	if req.Model == "" {
		return nil, &apiError{Message: "you must provide a model parameter", Type: invalidRequest, Param: "model"}
	}
	if len(req.Messages) == 0 {
		return nil, &apiError{
			Message: "Invalid 'messages': expected an array with minimum length 1.",
			Type:    invalidRequest, Param: "messages", Code: "empty_array",
		}
	}
	if req.N != nil && *req.N != 1 {
		return nil, &apiError{Message: "This model answers with one choice only.", Type: invalidRequest, Param: "n", Code: "unsupported_value"}
	}
	for i, t := range req.Tools {
		if t.Type != "function" || t.Function.Name == "" {
			param := fmt.Sprintf("tools[%d]", i)
			return nil, &apiError{Message: "Invalid '" + param + "': expected a function with a name.", Type: invalidRequest, Param: param, Code: "invalid_value"}
		}
	}
	if bad := checkMessages(req.Messages); bad != nil {
		return nil, bad
	}
	return &req, nil
}

// decodeBody reads one JSON value into v.
func decodeBody(body []byte, v any) *apiError {
	dec := json.NewDecoder(bytes.NewReader(body))
	if err := dec.Decode(v); err != nil {
		var wrong *json.UnmarshalTypeError
		if errors.As(err, &wrong) && wrong.Field != "" {
			return &apiError{
				Message: fmt.Sprintf("Invalid type for '%s': got %s.", wrong.Field, wrong.Value),
				Type:    invalidRequest, Param: wrong.Field, Code: "invalid_type",
			}
		}
		return unparsable()
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return unparsable()
	}
	return nil
}

// request is the chat request without what is particular to its API.
func (r *chatRequest) request() *request {
	out := &request{
		Model: r.Model, Stream: r.Stream, OneCall: r.Parallel != nil && !*r.Parallel,
		Format: formatOf(r.Format.Type, r.Format.Schema.Schema),
	}
	var choice struct {
		Function struct {
			Name string `json:"name"`
		} `json:"function"`
	}
	out.NoTools = string(r.ToolChoice) == `"none"`
	if json.Unmarshal(r.ToolChoice, &choice) == nil {
		out.Forced = choice.Function.Name
	}
	for _, t := range r.Tools {
		out.Tools = append(out.Tools, script.Tool{Name: t.Function.Name, Schema: t.Function.Parameters})
	}
	for _, m := range r.Messages {
		n := message{Role: m.Role, Text: string(m.Content), CallID: m.ToolCallID}
		for _, c := range m.ToolCalls {
			n.Calls = append(n.Calls, script.Call{ID: c.ID, Name: c.Function.Name, Arguments: c.Function.Arguments})
		}
		out.Messages = append(out.Messages, n)
	}
	return out
}

func unparsable() *apiError {
	return &apiError{Message: "We could not parse the JSON body of your request.", Type: invalidRequest}
}
