package scriptedmodel

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"

	"cairn/agenthost/scriptedmodel/script"
)

// responsesRequest is the part of a Responses request that the script uses.
type responsesRequest struct {
	Model        string          `json:"model"`
	Instructions content         `json:"instructions"`
	Input        inputItems      `json:"input"`
	Previous     string          `json:"previous_response_id"`
	Tools        []responsesTool `json:"tools"`
	ToolChoice   json.RawMessage `json:"tool_choice"`
	Parallel     *bool           `json:"parallel_tool_calls"`
	Text         struct {
		Format json.RawMessage `json:"format"`
	} `json:"text"`
	Store  *bool `json:"store"`
	Stream bool  `json:"stream"`
}

type responsesTool struct {
	Type       string        `json:"type"`
	Name       string        `json:"name"`
	Parameters script.Schema `json:"parameters"`
}

// inputItem is a message, a tool call, its result, or a reference to an item the
// model said before.
type inputItem struct {
	Type      string  `json:"type"`
	ID        string  `json:"id"`
	Role      string  `json:"role"`
	Content   content `json:"content"`
	CallID    string  `json:"call_id"`
	Name      string  `json:"name"`
	Arguments string  `json:"arguments"`
	Output    content `json:"output"`
}

// inputItems is the input: a string is one message of the user.
type inputItems []inputItem

func (in *inputItems) UnmarshalJSON(b []byte) error {
	if bytes.HasPrefix(b, []byte(`"`)) {
		*in = inputItems{{Role: "user"}}
		return json.Unmarshal(b, &(*in)[0].Content)
	}
	return json.Unmarshal(b, (*[]inputItem)(in))
}

// decodeResponses reads a request body and holds it to the rules the real API
// enforces.
func decodeResponses(body []byte) (*responsesRequest, *apiError) {
	var req responsesRequest
	if bad := decodeBody(body, &req); bad != nil {
		return nil, bad
	}
	if req.Model == "" {
		return nil, &apiError{Message: "Missing required parameter: 'model'.", Type: invalidRequest, Param: "model", Code: "missing_required_parameter"}
	}
	if len(req.Input) == 0 {
		return nil, &apiError{Message: "Missing required parameter: 'input'.", Type: invalidRequest, Param: "input", Code: "missing_required_parameter"}
	}
	for i, t := range req.Tools {
		if t.Type == "function" && t.Name == "" {
			param := fmt.Sprintf("tools[%d].name", i)
			return nil, &apiError{Message: "Missing required parameter: '" + param + "'.", Type: invalidRequest, Param: param, Code: "missing_required_parameter"}
		}
	}
	return &req, nil
}

// request is the request without what is particular to its API. What earlier
// responses said is looked up in the store.
func (r *responsesRequest) request(kept *store) (*request, *apiError) {
	out := &request{
		Model: r.Model, Stream: r.Stream, OneCall: r.Parallel != nil && !*r.Parallel,
		NoTools: string(r.ToolChoice) == `"none"`,
	}
	var named struct{ Name string }
	if json.Unmarshal(r.ToolChoice, &named) == nil {
		out.Forced = named.Name
	}
	var format struct {
		Type   string          `json:"type"`
		Schema json.RawMessage `json:"schema"`
	}
	if json.Unmarshal(r.Text.Format, &format) == nil {
		out.Format = formatOf(format.Type, format.Schema)
	}
	for _, t := range r.Tools {
		if t.Type == "function" { // the script has no use for the hosted tools
			out.Tools = append(out.Tools, script.Tool{Name: t.Name, Schema: t.Parameters})
		}
	}
	if r.Instructions != "" {
		out.Messages = append(out.Messages, message{Role: "system", Text: string(r.Instructions)})
	}
	if r.Previous != "" {
		history, ok := kept.response(r.Previous)
		if !ok {
			return nil, &apiError{
				Message: fmt.Sprintf("Previous response with id '%s' not found.", r.Previous),
				Type:    invalidRequest, Param: "previous_response_id", Code: "previous_response_not_found",
			}
		}
		out.Messages = append(out.Messages, history...)
	}
	for i, it := range r.Input {
		if bad := out.add(it, i, kept); bad != nil {
			return nil, bad
		}
	}
	return out, checkCalls(out)
}

// add appends an input item to the messages. Calls that follow the assistant's
// words, or each other, belong to one message.
func (r *request) add(it inputItem, i int, kept *store) *apiError {
	kind := it.Type
	if kind == "" && it.Role == "" && it.ID != "" {
		kind = "item_reference"
	}
	switch kind {
	case "", "message":
		if !slices.Contains([]string{"user", "assistant", "system", "developer"}, it.Role) {
			param := fmt.Sprintf("input[%d].role", i)
			return &apiError{Message: fmt.Sprintf("Invalid value: '%s'.", it.Role), Type: invalidRequest, Param: param, Code: "invalid_value"}
		}
		r.Messages = append(r.Messages, message{Role: it.Role, Text: string(it.Content)})
	case "function_call":
		r.addCall(script.Call{ID: it.CallID, Name: it.Name, Arguments: it.Arguments})
	case "function_call_output":
		r.Messages = append(r.Messages, message{Role: "tool", CallID: it.CallID, Text: string(it.Output)})
	case "item_reference":
		switch m, ok := kept.item(it.ID); {
		case !ok: // said before this process began, or long ago
			r.Lenient = true
			r.Messages = append(r.Messages, message{Role: "assistant"})
		case len(m.Calls) > 0:
			r.addCall(m.Calls[0])
		default:
			r.Messages = append(r.Messages, m)
		}
	case "reasoning":
	default:
		param := fmt.Sprintf("input[%d].type", i)
		return &apiError{Message: fmt.Sprintf("Invalid value: '%s'.", kind), Type: invalidRequest, Param: param, Code: "invalid_value"}
	}
	return nil
}

func (r *request) addCall(c script.Call) {
	if n := len(r.Messages); n > 0 && r.Messages[n-1].Role == "assistant" {
		last := &r.Messages[n-1]
		last.Calls = append(slices.Clip(last.Calls), c) // they may be a kept response's
		return
	}
	r.Messages = append(r.Messages, message{Role: "assistant", Calls: []script.Call{c}})
}

// checkCalls refuses a result without its call and a call without its result,
// like the API, which wants them anywhere in the input.
func checkCalls(r *request) *apiError {
	if r.Lenient {
		return nil
	}
	open := map[string]bool{}
	var order []string
	for _, m := range r.Messages {
		for _, c := range m.Calls {
			open[c.ID] = true
			order = append(order, c.ID)
		}
		if m.Role != "tool" {
			continue
		}
		if _, called := open[m.CallID]; !called {
			return &apiError{Message: "No tool call found for function call output with call_id " + m.CallID + ".", Type: invalidRequest, Param: "input"}
		}
		open[m.CallID] = false
	}
	for _, id := range order {
		if open[id] {
			return &apiError{Message: "No tool output found for function call " + id + ".", Type: invalidRequest, Param: "input"}
		}
	}
	return nil
}
