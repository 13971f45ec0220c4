package scriptedmodel

import (
	"errors"
	"io"
	"net/http/httptest"
	"strings"
	"testing"

	openai "github.com/sashabaranov/go-openai"
)

// dial returns the client that the agent service uses, on a running server.
func dial(t *testing.T) *openai.Client {
	t.Helper()
	srv := httptest.NewServer(New(Config{NoDelay: true}))
	t.Cleanup(srv.Close)
	cfg := openai.DefaultConfig("unused")
	cfg.BaseURL = srv.URL + "/v1"
	return openai.NewClientWithConfig(cfg)
}

func tripChat(text string) openai.ChatCompletionRequest {
	req := openai.ChatCompletionRequest{
		Model: "gpt-4o-mini",
		Messages: []openai.ChatCompletionMessage{
			{Role: "system", Content: plannerSays + "\nCurrent working memory (JSON): {}"}, {Role: "user", Content: text}},
		StreamOptions: &openai.StreamOptions{IncludeUsage: true},
	}
	for _, name := range []string{"check_conditions", "reserve_campsite", "agent-weather_forecaster", "updateWorkingMemory"} {
		req.Tools = append(req.Tools, openai.Tool{Type: "function", Function: &openai.FunctionDefinition{Name: name}})
	}
	return req
}

// streamed puts the chunks of an answer together by the calls' indices.
func streamed(t *testing.T, client *openai.Client, req openai.ChatCompletionRequest) (msg openai.ChatCompletionMessage, finish openai.FinishReason, chunks int) {
	t.Helper()
	stream, err := client.CreateChatCompletionStream(t.Context(), req)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = stream.Close() }()
	msg.Role = "assistant"
	tokens := 0
	for ; ; chunks++ {
		c, err := stream.Recv()
		if errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		if c.Usage != nil {
			tokens += c.Usage.TotalTokens
		}
		for _, choice := range c.Choices {
			msg.Content += choice.Delta.Content
			finish += choice.FinishReason
			for _, d := range choice.Delta.ToolCalls {
				if *d.Index == len(msg.ToolCalls) {
					msg.ToolCalls = append(msg.ToolCalls, d)
					continue
				}
				msg.ToolCalls[*d.Index].Function.Arguments += d.Function.Arguments
			}
		}
	}
	if tokens == 0 {
		t.Error("no usage")
	}
	return msg, finish, chunks
}

// TestClientStreams drives a whole step and its successor: what was put together can go
// straight back.
func TestClientStreams(t *testing.T) {
	client := dial(t)
	req := tripChat("Start a packing list called Yosemite weekend with a tent and two sleeping bags")
	msg, finish, n := streamed(t, client, req)
	if finish != "tool_calls" || len(msg.ToolCalls) != 1 || n < 8 {
		t.Fatalf("got %+v, %s, %d chunks", msg, finish, n)
	}
	call := msg.ToolCalls[0]
	want := `{"memory":{"packing_list":{"title":"Yosemite weekend","items":[{"name":"tent","qty":1},{"name":"sleeping bag","qty":2}]}}}`
	if call.Function.Name != "updateWorkingMemory" || call.Function.Arguments != want {
		t.Errorf("call %+v", call)
	}
	req.Messages = append(req.Messages, msg, openai.ChatCompletionMessage{Role: "tool", Content: `{"success":true}`, ToolCallID: call.ID})
	if msg, finish, _ = streamed(t, client, req); finish != "stop" || msg.Content != "Started your Yosemite weekend list with a tent and two sleeping bags." {
		t.Errorf("got %+v, %s", msg, finish)
	}
}

// TestClientStreamsTwo: pieces of two calls are told apart by their index.
func TestClientStreamsTwo(t *testing.T) {
	msg, _, _ := streamed(t, dial(t), tripChat("[model: two tools]"))
	calls := msg.ToolCalls
	if len(calls) != 2 || calls[0].Function.Arguments != `{"location":"Half Dome"}` || calls[1].Function.Arguments != `{"location":"Tuolumne Meadows"}` || calls[1].ID == "" || calls[1].Function.Name != "check_conditions" || calls[0].ID == calls[1].ID {
		t.Errorf("got %+v", calls)
	}
}

func TestClientWhole(t *testing.T) {
	client := dial(t)
	req := tripChat("Check conditions at Half Dome")
	req.StreamOptions = nil
	res, err := client.CreateChatCompletion(t.Context(), req)
	if err != nil {
		t.Fatal(err)
	}
	if c := res.Choices[0]; c.FinishReason != "tool_calls" || c.Message.ToolCalls[0].Function.Arguments != `{"location":"Half Dome"}` {
		t.Errorf("got %+v", c)
	}
	models, err := client.ListModels(t.Context())
	if err != nil || len(models.Models) != 1 {
		t.Errorf("models %v %v", models, err)
	}
	_, err = client.CreateChatCompletion(t.Context(), openai.ChatCompletionRequest{Model: "m"})
	var apiErr *openai.APIError
	if !errors.As(err, &apiErr) || apiErr.HTTPStatusCode != 400 || !strings.Contains(apiErr.Message, "messages") {
		t.Errorf("got %v", err)
	}
}
