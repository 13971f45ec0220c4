package main

import (
	"bytes"
	"context"
	"io"
	"net/http"

	"cairn/agentclient"
	"cairn/agentclient/conversation"
	"cairn/agui"
)

// pipeline is our client as an application uses it, on bytes that are already here:
// run, framing, decoding, expansion, verification, reducer.
func pipeline(text []byte, into *conversation.Conversation) (events int, err error) {
	client, err := agentclient.New(agentclient.Config{
		URL:        "http://agent.invalid/",
		HTTPClient: &http.Client{Transport: answer(text)},
	})
	if err != nil {
		return 0, err
	}
	in := agui.RunAgentInput{ThreadID: "t", RunID: "r"}
	into.BeginRun(in.RunID)
	for ev, err := range client.Run(context.Background(), in) {
		if err != nil {
			return events, err
		}
		into.Apply(ev.Event)
		events++
	}
	return events, nil
}

// answer answers every request with itself.
type answer []byte

func (a answer) RoundTrip(req *http.Request) (*http.Response, error) {
	if req.Body != nil {
		_ = req.Body.Close()
	}
	return &http.Response{
		StatusCode: http.StatusOK, Request: req,
		Header: http.Header{"Content-Type": {"text/event-stream"}},
		Body:   io.NopCloser(bytes.NewReader(a)),
	}, nil
}

// content is the bytes of text, arguments, results and state a conversation holds.
func content(c *conversation.Conversation) int {
	n := len(c.State())
	for _, e := range c.Entries() {
		switch {
		case e.Message != nil:
			n += e.Message.Len()
		case e.ToolCall != nil:
			n += len(e.ToolCall.Args()) + len(e.ToolCall.Result)
		}
	}
	return n
}
