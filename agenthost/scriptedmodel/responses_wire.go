package scriptedmodel

import (
	"crypto/rand"
	"encoding/json"

	"cairn/agenthost/scriptedmodel/script"
)

// response is the response object of the Responses API: the members every
// client reads, and those the API never leaves out.
type response struct {
	ID                string            `json:"id"`
	Object            string            `json:"object"`
	CreatedAt         int64             `json:"created_at"` // seconds since 1970
	Status            string            `json:"status"`
	Error             *apiError         `json:"error"`
	IncompleteDetails *struct{}         `json:"incomplete_details"`
	Instructions      *string           `json:"instructions"`
	Metadata          map[string]string `json:"metadata"`
	Model             string            `json:"model"`
	Output            []outputItem      `json:"output"`
	ParallelToolCalls bool              `json:"parallel_tool_calls"`
	PreviousID        *string           `json:"previous_response_id"`
	Store             bool              `json:"store"`
	Temperature       float64           `json:"temperature"`
	Text              json.RawMessage   `json:"text"`
	ToolChoice        json.RawMessage   `json:"tool_choice"`
	Tools             []struct{}        `json:"tools"`
	TopP              float64           `json:"top_p"`
	Truncation        string            `json:"truncation"`
	Usage             *responseUsage    `json:"usage"`
}

type responseUsage struct {
	Input        int `json:"input_tokens"`
	InputDetails struct {
		Cached int `json:"cached_tokens"`
	} `json:"input_tokens_details"`
	Output        int `json:"output_tokens"`
	OutputDetails struct {
		Reasoning int `json:"reasoning_tokens"`
	} `json:"output_tokens_details"`
	Total int `json:"total_tokens"`
}

// outputItem is a message or a function call.
type outputItem struct {
	ID        string        `json:"id"`
	Type      string        `json:"type"`
	Status    string        `json:"status"`
	Role      string        `json:"role,omitempty"`
	Content   *[]outputText `json:"content,omitempty"`
	CallID    string        `json:"call_id,omitempty"`
	Name      string        `json:"name,omitempty"`
	Arguments *string       `json:"arguments,omitempty"`
}

type outputText struct {
	Type        string     `json:"type"`
	Text        string     `json:"text"`
	Annotations []struct{} `json:"annotations"`
	Logprobs    []struct{} `json:"logprobs"`
}

func textPart(text string) outputText {
	return outputText{Type: "output_text", Text: text, Annotations: []struct{}{}, Logprobs: []struct{}{}}
}

func newResponse(r *responsesRequest, created int64) response {
	out := response{
		ID: "resp_" + rand.Text(), Object: "response", CreatedAt: created, Status: "in_progress",
		Metadata: map[string]string{}, Model: r.Model, Output: []outputItem{}, Tools: []struct{}{},
		ParallelToolCalls: r.Parallel == nil || *r.Parallel, Store: r.Store == nil || *r.Store,
		Temperature: 1, TopP: 1, Truncation: "disabled",
		Text: json.RawMessage(`{"format":{"type":"text"}}`), ToolChoice: json.RawMessage(`"auto"`),
	}
	if text := string(r.Instructions); text != "" {
		out.Instructions = &text
	}
	if r.Previous != "" {
		out.PreviousID = &r.Previous
	}
	return out
}

// items are the reply as finished output items: its text first.
func items(rep script.Reply) []outputItem {
	var out []outputItem
	if rep.Text != "" || len(rep.Calls) == 0 {
		out = append(out, outputItem{
			ID: "msg_" + rand.Text(), Type: "message", Status: "completed", Role: "assistant",
			Content: &[]outputText{textPart(rep.Text)},
		})
	}
	for _, c := range rep.Calls {
		out = append(out, outputItem{
			ID: "fc_" + rand.Text(), Type: "function_call", Status: "completed",
			CallID: c.ID, Name: c.Name, Arguments: &c.Arguments,
		})
	}
	return out
}

// completed is the response at its end.
func (r response) completed(out []outputItem, u usage) response {
	r.Status, r.Output = "completed", out
	r.Usage = &responseUsage{Input: u.Prompt, Output: u.Completion, Total: u.Total}
	return r
}

// said is each item as the message a later request may refer to.
func said(out []outputItem) map[string]message {
	byID := map[string]message{}
	for _, it := range out {
		m := message{Role: "assistant"}
		if it.Content != nil {
			m.Text = (*it.Content)[0].Text
		} else {
			m.Calls = []script.Call{{ID: it.CallID, Name: it.Name, Arguments: *it.Arguments}}
		}
		byID[it.ID] = m
	}
	return byID
}
