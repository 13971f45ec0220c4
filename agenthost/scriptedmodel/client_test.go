package scriptedmodel

import (
	"encoding/json"
	"errors"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
)

// dial returns the vendor's client on a running server.
func dial(t *testing.T) openai.Client {
	t.Helper()
	srv := httptest.NewServer(New(Config{NoDelay: true}))
	t.Cleanup(srv.Close)
	return openai.NewClient(option.WithBaseURL(srv.URL+"/v1"), option.WithAPIKey("unused"), option.WithMaxRetries(0))
}

func tripParams(msgs ...openai.ChatCompletionMessageParamUnion) openai.ChatCompletionNewParams {
	p := openai.ChatCompletionNewParams{
		Model:         "gpt-4o-mini",
		Messages:      append([]openai.ChatCompletionMessageParamUnion{openai.SystemMessage(plannerSays + "\nCurrent working memory (JSON): {}")}, msgs...),
		StreamOptions: openai.ChatCompletionStreamOptionsParam{IncludeUsage: openai.Bool(true)},
	}
	for _, name := range []string{"check_conditions", "reserve_campsite", "agent-weather_forecaster", "updateWorkingMemory"} {
		p.Tools = append(p.Tools, openai.ChatCompletionFunctionTool(openai.FunctionDefinitionParam{Name: name}))
	}
	return p
}

// TestVendorClientStreams drives a whole step and its successor with the
// client the agent service uses: what it accumulates is a valid call, and the
// message it accumulated can go straight back.
func TestVendorClientStreams(t *testing.T) {
	client := dial(t)
	params := tripParams(openai.UserMessage("Start a packing list called Yosemite weekend with a tent and two sleeping bags"))
	run := func() (openai.ChatCompletionAccumulator, int) {
		t.Helper()
		stream := client.Chat.Completions.NewStreaming(t.Context(), params)
		defer func() { _ = stream.Close() }()
		var acc openai.ChatCompletionAccumulator
		n := 0
		for ; stream.Next(); n++ {
			if !acc.AddChunk(stream.Current()) {
				t.Fatal("the accumulator refused a chunk")
			}
		}
		if err := stream.Err(); err != nil {
			t.Fatal(err)
		}
		if acc.Usage.TotalTokens == 0 {
			t.Error("no usage")
		}
		return acc, n
	}
	acc, n := run()
	choice := acc.Choices[0]
	if choice.FinishReason != "tool_calls" || len(choice.Message.ToolCalls) != 1 {
		t.Fatalf("got %+v", choice)
	}
	call := choice.Message.ToolCalls[0]
	want := `{"memory":{"packing_list":{"title":"Yosemite weekend","items":[{"name":"tent","qty":1},{"name":"sleeping bag","qty":2}]}}}`
	if call.Function.Name != "updateWorkingMemory" || call.Function.Arguments != want || !json.Valid([]byte(call.Function.Arguments)) {
		t.Errorf("call %s %s", call.Function.Name, call.Function.Arguments)
	}
	if n < 8 {
		t.Errorf("only %d chunks", n)
	}
	params.Messages = append(params.Messages, choice.Message.ToParam(), openai.ToolMessage(`{"success":true}`, call.ID))
	acc, _ = run()
	if got := acc.Choices[0]; got.FinishReason != "stop" || got.Message.Content != "Started your Yosemite weekend list with a tent and two sleeping bags." {
		t.Errorf("got %+v", got)
	}
}

// TestVendorClientStreamsTwo: pieces of two calls are told apart by their index.
func TestVendorClientStreamsTwo(t *testing.T) {
	client := dial(t)
	stream := client.Chat.Completions.NewStreaming(t.Context(), tripParams(openai.UserMessage("[model: two tools]")))
	defer func() { _ = stream.Close() }()
	var acc openai.ChatCompletionAccumulator
	for stream.Next() {
		acc.AddChunk(stream.Current())
	}
	calls := acc.Choices[0].Message.ToolCalls
	if len(calls) != 2 || calls[0].Function.Arguments != `{"location":"Half Dome"}` || calls[1].Function.Arguments != `{"location":"Tuolumne Meadows"}` || calls[1].ID == "" || calls[1].Function.Name != "check_conditions" || calls[0].ID == calls[1].ID {
		t.Errorf("got %+v", calls)
	}
}

func TestVendorClientWhole(t *testing.T) {
	client := dial(t)
	res, err := client.Chat.Completions.New(t.Context(), tripParams(openai.UserMessage("Check conditions at Half Dome")))
	if err != nil {
		t.Fatal(err)
	}
	if c := res.Choices[0]; c.FinishReason != "tool_calls" || c.Message.ToolCalls[0].Function.Arguments != `{"location":"Half Dome"}` {
		t.Errorf("got %+v", c)
	}
	models, err := client.Models.List(t.Context())
	if err != nil || len(models.Data) != 1 {
		t.Errorf("models %v %v", models, err)
	}
	_, err = client.Chat.Completions.New(t.Context(), openai.ChatCompletionNewParams{Model: "m"})
	var apiErr *openai.Error
	if !errors.As(err, &apiErr) || apiErr.StatusCode != 400 || apiErr.Code != "empty_array" || !strings.Contains(apiErr.Message, "messages") {
		t.Errorf("got %v", err)
	}
}
