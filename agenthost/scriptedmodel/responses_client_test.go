package scriptedmodel

import (
	"encoding/json"
	"errors"
	"io"
	"strings"
	"testing"

	openai "github.com/sashabaranov/go-openai"
)

func tripResponse(input ...any) openai.CreateResponseRequest {
	req := openai.CreateResponseRequest{Model: "gpt-4o-mini", Instructions: plannerSays, Input: input}
	for _, name := range []string{"check_conditions", "reserve_campsite", "agent-weather_forecaster", "updateWorkingMemory"} {
		req.Tools = append(req.Tools, openai.NewResponseFunctionTool(openai.FunctionDefinition{Name: name, Parameters: json.RawMessage(`{"type":"object"}`)}))
	}
	return req
}

func userItem(text string) any { return map[string]any{"role": "user", "content": text} }

func outputItemOf(callID, output string) any {
	return map[string]any{"type": "function_call_output", "call_id": callID, "output": output}
}

func itemReference(id string) any { return map[string]any{"type": "item_reference", "id": id} }

// item is the first of a response's output.
func item(t *testing.T, res openai.CreateResponseResponse) (out openai.ResponseOutputItem) {
	t.Helper()
	if len(res.Output) == 0 {
		t.Fatalf("no output in %+v", res)
	}
	raw, err := json.Marshal(res.Output[0])
	if err == nil {
		err = json.Unmarshal(raw, &out)
	}
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// TestResponsesClientStreams drives a step and its successor.
func TestResponsesClientStreams(t *testing.T) {
	client := dial(t)
	req := tripResponse(userItem("Check trail conditions at Half Dome"))
	run := func() (kinds, deltas string, end openai.CreateResponseResponse) {
		t.Helper()
		stream, err := client.CreateResponseStream(t.Context(), req)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = stream.Close() }()
		last := ""
		for n := 0; ; n++ {
			raw, err := stream.RecvRaw()
			if errors.Is(err, io.EOF) {
				return strings.TrimSpace(kinds), deltas, end
			} else if err != nil {
				t.Fatal(err)
			}
			var e struct {
				Type     string                         `json:"type"`
				Number   int                            `json:"sequence_number"`
				Delta    string                         `json:"delta"`
				Response *openai.CreateResponseResponse `json:"response"`
			}
			if err := json.Unmarshal(raw, &e); err != nil || e.Number != n {
				t.Errorf("event %d: %s, %v", n, raw, err)
			}
			if e.Type != last {
				kinds += strings.TrimPrefix(e.Type, "response.") + " "
			}
			last = e.Type
			deltas += e.Delta
			if e.Response != nil {
				end = *e.Response
			}
		}
	}
	kinds, deltas, end := run()
	if kinds != "created in_progress output_item.added function_call_arguments.delta function_call_arguments.done output_item.done completed" {
		t.Errorf("events %s", kinds)
	}
	if end.Status != "completed" || end.Usage == nil || end.Usage.TotalTokens == 0 || len(end.Output) != 1 {
		t.Fatalf("ends with %+v", end)
	}
	call := item(t, end)
	if call.Name != "check_conditions" || call.Arguments != `{"location":"Half Dome"}` || deltas != call.Arguments || call.CallID == "" || call.ID == "" {
		t.Errorf("call %+v, deltas %s", call, deltas)
	}

	req.Input = append(req.Input.([]any), map[string]any{"type": "function_call", "call_id": call.CallID, "name": call.Name, "arguments": call.Arguments},
		outputItemOf(call.CallID, `{"location":"Half Dome","forecast":"Snow","high_c":1}`))
	kinds, deltas, end = run()
	if kinds != "created in_progress output_item.added content_part.added output_text.delta output_text.done content_part.done output_item.done completed" {
		t.Errorf("events %s", kinds)
	}
	if want := "Half Dome is snow, high 1 °C."; end.GetOutputText() != want || deltas != want {
		t.Errorf("text %q, deltas %q", end.GetOutputText(), deltas)
	}
}

// TestResponsesClientRefers: what was said before may be referred to instead of
// being sent again, by the response or by the item.
func TestResponsesClientRefers(t *testing.T) {
	client := dial(t)
	ask := func(req openai.CreateResponseRequest) openai.CreateResponseResponse {
		t.Helper()
		res, err := client.CreateResponse(t.Context(), req)
		if err != nil {
			t.Fatal(err)
		}
		return res
	}
	first := ask(tripResponse(userItem("Reserve North Pines")))
	if !strings.HasPrefix(first.GetOutputText(), "How many nights") {
		t.Fatalf("asks %q", first.GetOutputText())
	}
	byResponse := tripResponse(userItem("two"))
	byResponse.PreviousResponseID = first.ID
	byItem := tripResponse(userItem("Reserve North Pines"), itemReference(item(t, first).ID), userItem("two"))
	for name, req := range map[string]openai.CreateResponseRequest{"response": byResponse, "item": byItem} {
		if res := ask(req); item(t, res).Arguments != `{"nights":2,"site":"North Pines"}` {
			t.Errorf("by %s: %+v", name, res)
		}
	}

	// A call may be known by the response only.
	call := ask(byResponse)
	result := tripResponse(outputItemOf(item(t, call).CallID, "Reserved. Confirmation TP-0288."))
	result.PreviousResponseID = call.ID
	if got := ask(result).GetOutputText(); got != "Reserved North Pines for two nights, confirmation number TP-0288." {
		t.Errorf("got %q", got)
	}

	// An item from before a restart is not known, and is no mistake.
	if got := ask(tripResponse(userItem("hi"), itemReference("msg_gone"), userItem("thanks"))).GetOutputText(); got != "You're welcome, enjoy the trip!" {
		t.Errorf("got %q", got)
	}
	if got := ask(tripResponse(userItem("thanks"), itemReference("fc_gone"), outputItemOf("call_gone", "done"))).GetOutputText(); got == "" {
		t.Error("no answer")
	}
	lost := tripResponse(userItem("two"))
	lost.PreviousResponseID = "resp_gone"
	_, err := client.CreateResponse(t.Context(), lost)
	var apiErr *openai.APIError
	if !errors.As(err, &apiErr) || apiErr.HTTPStatusCode != 400 || apiErr.Code != "previous_response_not_found" {
		t.Errorf("got %v", err)
	}
}

func TestResponsesClientStructured(t *testing.T) {
	client := dial(t)
	const ask = "Refund a duplicate charge of $47.50 to cus_a8x2k"
	res, err := client.CreateResponse(t.Context(), openai.CreateResponseRequest{Model: "m", Input: ask,
		Text: &openai.ResponseTextConfig{Format: &openai.ResponseTextFormat{Type: "json_schema", Name: "refund", Schema: json.RawMessage(draftParams)}}})
	if err != nil || res.GetOutputText() != `{"amount":47.5,"customer_id":"cus_a8x2k","reason":"Duplicate charge"}` {
		t.Errorf("%v %v", res, err)
	}
	whole, err := client.CreateChatCompletion(t.Context(), openai.ChatCompletionRequest{Model: "m", Messages: []openai.ChatCompletionMessage{{Role: "user", Content: ask}},
		ResponseFormat: &openai.ChatCompletionResponseFormat{Type: "json_schema", JSONSchema: &openai.ChatCompletionResponseFormatJSONSchema{Name: "refund", Schema: json.RawMessage(draftParams)}}})
	if err != nil || whole.Choices[0].Message.Content != res.GetOutputText() {
		t.Errorf("%v %v", whole, err)
	}
}
