package agenttest_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"cairn/agentclient"
	"cairn/agentclient/agenttest"
	"cairn/agui"
)

// How a client takes it when the connection breaks off in the middle: any HTTP
// client can have this transport.
func ExampleTransport() {
	agent := agenttest.NewScript(agenttest.Events(
		&agui.RunStarted{},
		&agui.TextMessageStart{MessageID: "m1"},
		&agui.TextMessageContent{MessageID: "m1", Delta: "Hello, world"},
		&agui.TextMessageEnd{MessageID: "m1"},
		&agui.RunFinished{},
	))
	client, err := agentclient.New(agentclient.Config{
		URL: "http://agent/run",
		HTTPClient: &http.Client{Transport: &agenttest.Transport{
			Base:  agenttest.InProcess(agent),
			Modes: []agenttest.Mode{agenttest.CutAfter(200)},
		}},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	for received, err := range client.Run(context.Background(), agui.RunAgentInput{ThreadID: "t1", RunID: "r1"}) {
		if failed := new(agentclient.Error); errors.As(err, &failed) {
			fmt.Println("failed:", failed.Kind)
			continue
		}
		fmt.Println(received.Event.Head().Type)
	}
	// Output:
	// RUN_STARTED
	// TEXT_MESSAGE_START
	// TEXT_MESSAGE_CONTENT
	// failed: truncated
}

// Frames in an order and number no agent should send.
func ExampleBreak() {
	const stream = "data: one\n\ndata: two\n\ndata: three\n\n"
	broken := agenttest.Break(context.Background(), strings.NewReader(stream),
		agenttest.SwapFrames(1), agenttest.DuplicateFrame(3), agenttest.EndAfter(40))
	got, err := io.ReadAll(broken)
	fmt.Printf("%q %v\n", got, err)
	// Output: "data: two\n\ndata: one\n\ndata: three\n\ndata:" <nil>
}

// A captured answer, a thousand times as fast as it was recorded.
func ExampleTranscript() {
	recorded := agenttest.Transcript{
		Raw:   []byte("data: {\"type\":\"RUN_STARTED\",\"threadId\":\"t\",\"runId\":\"r\"}\n\ndata: {\"type\":\"RUN_FINISHED\",\"threadId\":\"t\",\"runId\":\"r\"}\n\n"),
		Times: []time.Duration{400 * time.Millisecond, 1700 * time.Millisecond},
	}
	client := &http.Client{Transport: agenttest.InProcess(recorded.Handler(1000))}
	resp, err := client.Post("http://agent/run", "application/json", strings.NewReader("{}"))
	if err != nil {
		fmt.Println(err)
		return
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	fmt.Println(strings.Count(string(body), "data:"), "events", err)
	// Output: 2 events <nil>
}
