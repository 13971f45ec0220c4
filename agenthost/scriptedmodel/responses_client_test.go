package scriptedmodel

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/responses"
	"github.com/openai/openai-go/v3/shared"
)

func tripResponse(items ...responses.ResponseInputItemUnionParam) responses.ResponseNewParams {
	p := responses.ResponseNewParams{
		Model:        "gpt-4o-mini",
		Instructions: openai.String(plannerSays),
		Input:        responses.ResponseNewParamsInputUnion{OfInputItemList: items},
	}
	for _, name := range []string{"check_conditions", "reserve_campsite", "agent-weather_forecaster", "updateWorkingMemory"} {
		p.Tools = append(p.Tools, responses.ToolUnionParam{OfFunction: &responses.FunctionToolParam{Name: name, Strict: openai.Bool(false), Parameters: map[string]any{"type": "object"}}})
	}
	return p
}

func userItem(text string) responses.ResponseInputItemUnionParam {
	return responses.ResponseInputItemParamOfMessage(text, responses.EasyInputMessageRoleUser)
}

func outputItemOf(callID, output string) responses.ResponseInputItemUnionParam {
	return responses.ResponseInputItemUnionParam{OfFunctionCallOutput: &responses.ResponseInputItemFunctionCallOutputParam{
		CallID: openai.String(callID), Output: responses.ResponseInputItemFunctionCallOutputOutputUnionParam{OfString: openai.String(output)},
	}}
}

// TestResponsesClientStreams drives a step and its successor with the vendor's
// client, which knows every event by its members.
func TestResponsesClientStreams(t *testing.T) {
	client := dial(t)
	params := tripResponse(userItem("Check trail conditions at Half Dome"))
	run := func() (kinds []string, deltas string, end responses.Response) {
		t.Helper()
		stream := client.Responses.NewStreaming(t.Context(), params)
		defer func() { _ = stream.Close() }()
		last := ""
		for n := int64(0); stream.Next(); n++ {
			e := stream.Current()
			if e.SequenceNumber != n {
				t.Errorf("event %d says it is %d", n, e.SequenceNumber)
			}
			if e.Type != last {
				kinds = append(kinds, strings.TrimPrefix(e.Type, "response."))
			}
			last = e.Type
			switch x := e.AsAny().(type) {
			case responses.ResponseTextDeltaEvent:
				deltas += x.Delta
			case responses.ResponseFunctionCallArgumentsDeltaEvent:
				deltas += x.Delta
			case responses.ResponseCompletedEvent:
				end = x.Response
			case nil:
				t.Errorf("unknown event %s", e.RawJSON())
			}
		}
		if err := stream.Err(); err != nil {
			t.Fatal(err)
		}
		return kinds, deltas, end
	}
	kinds, deltas, end := run()
	if got := strings.Join(kinds, " "); got != "created in_progress output_item.added function_call_arguments.delta function_call_arguments.done output_item.done completed" {
		t.Errorf("events %s", got)
	}
	if end.Status != "completed" || end.Usage.TotalTokens == 0 || len(end.Output) != 1 {
		t.Fatalf("ends with %s", end.RawJSON())
	}
	call := end.Output[0].AsFunctionCall()
	if call.Name != "check_conditions" || call.Arguments != `{"location":"Half Dome"}` || deltas != call.Arguments || call.CallID == "" || call.ID == "" {
		t.Errorf("call %+v, deltas %s", call, deltas)
	}

	params.Input.OfInputItemList = append(params.Input.OfInputItemList,
		responses.ResponseInputItemParamOfFunctionCall(call.Arguments, call.CallID, call.Name),
		outputItemOf(call.CallID, `{"location":"Half Dome","forecast":"Snow","high_c":1}`))
	kinds, deltas, end = run()
	if got := strings.Join(kinds, " "); got != "created in_progress output_item.added content_part.added output_text.delta output_text.done content_part.done output_item.done completed" {
		t.Errorf("events %s", got)
	}
	if want := "Half Dome is snow, high 1 °C."; end.OutputText() != want || deltas != want {
		t.Errorf("text %q, deltas %q", end.OutputText(), deltas)
	}
}

// TestResponsesClientRefers: what was said before may be referred to instead of
// being sent again, by the response or by the item.
func TestResponsesClientRefers(t *testing.T) {
	client := dial(t)
	first, err := client.Responses.New(t.Context(), tripResponse(userItem("Reserve North Pines")))
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(first.OutputText(), "How many nights") {
		t.Fatalf("asks %q", first.OutputText())
	}
	byResponse := tripResponse(userItem("two"))
	byResponse.PreviousResponseID = openai.String(first.ID)
	byItem := tripResponse(userItem("Reserve North Pines"), responses.ResponseInputItemParamOfItemReference(first.Output[0].ID), userItem("two"))
	for name, params := range map[string]responses.ResponseNewParams{"response": byResponse, "item": byItem} {
		res, err := client.Responses.New(t.Context(), params)
		if err != nil {
			t.Fatal(name, err)
		}
		if call := res.Output[0].AsFunctionCall(); call.Arguments != `{"nights":2,"site":"North Pines"}` {
			t.Errorf("by %s: %s", name, res.RawJSON())
		}
	}

	// A call may be known by the response only.
	call, err := client.Responses.New(t.Context(), byResponse)
	if err != nil {
		t.Fatal(err)
	}
	result := tripResponse(outputItemOf(call.Output[0].CallID, "Reserved. Confirmation TP-0288."))
	result.PreviousResponseID = openai.String(call.ID)
	done, err := client.Responses.New(t.Context(), result)
	if err != nil {
		t.Fatal(err)
	}
	if got := done.OutputText(); got != "Reserved North Pines for two nights, confirmation number TP-0288." {
		t.Errorf("got %q", got)
	}

	// An item from before a restart is not known, and is no mistake.
	gone := tripResponse(userItem("hi"), responses.ResponseInputItemParamOfItemReference("msg_gone"), userItem("thanks"))
	if res, err := client.Responses.New(t.Context(), gone); err != nil || res.OutputText() != "You're welcome, enjoy the trip!" {
		t.Errorf("%v %v", res, err)
	}
	goneCall := tripResponse(userItem("thanks"), responses.ResponseInputItemParamOfItemReference("fc_gone"), outputItemOf("call_gone", "done"))
	if res, err := client.Responses.New(t.Context(), goneCall); err != nil || res.OutputText() == "" {
		t.Errorf("%v %v", res, err)
	}
	lost := tripResponse(userItem("two"))
	lost.PreviousResponseID = openai.String("resp_gone")
	_, err = client.Responses.New(t.Context(), lost)
	var apiErr *openai.Error
	if !errors.As(err, &apiErr) || apiErr.StatusCode != 400 || apiErr.Code != "previous_response_not_found" {
		t.Errorf("got %v", err)
	}
}

func TestResponsesClientStructured(t *testing.T) {
	client := dial(t)
	var schema map[string]any
	if err := json.Unmarshal([]byte(draftParams), &schema); err != nil {
		t.Fatal(err)
	}
	res, err := client.Responses.New(t.Context(), responses.ResponseNewParams{
		Model: "m",
		Input: responses.ResponseNewParamsInputUnion{OfString: openai.String("Refund a duplicate charge of $47.50 to cus_a8x2k")},
		Text: responses.ResponseTextConfigParam{Format: responses.ResponseFormatTextConfigUnionParam{
			OfJSONSchema: &responses.ResponseFormatTextJSONSchemaConfigParam{Name: "refund", Schema: schema},
		}},
	})
	if err != nil || res.OutputText() != `{"amount":47.5,"customer_id":"cus_a8x2k","reason":"Duplicate charge"}` {
		t.Errorf("%v %v", res, err)
	}
	whole, err := client.Chat.Completions.New(t.Context(), openai.ChatCompletionNewParams{
		Model:    "m",
		Messages: []openai.ChatCompletionMessageParamUnion{openai.UserMessage("Refund a duplicate charge of $47.50 to cus_a8x2k")},
		ResponseFormat: openai.ChatCompletionNewParamsResponseFormatUnion{
			OfJSONSchema: &shared.ResponseFormatJSONSchemaParam{JSONSchema: shared.ResponseFormatJSONSchemaJSONSchemaParam{Name: "refund", Schema: schema}},
		},
	})
	if err != nil || whole.Choices[0].Message.Content != res.OutputText() {
		t.Errorf("%v %v", whole, err)
	}
}
