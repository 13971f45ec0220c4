package agenttest_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"

	"cairn/agentclient"
	"cairn/agentclient/agenttest"
	"cairn/agui"
	"cairn/agui/sse"
)

// A captured stream answers, under the ids of the request; a request that is not
// what the scenario expects is refused and remembered.
func ExamplePlayer() {
	const captured = `data: {"type":"RUN_STARTED","threadId":"t-cap","runId":"r-cap"}

data: {"type":"RUN_FINISHED","threadId":"t-cap","runId":"r-cap"}

`
	player, err := agenttest.NewPlayer(agenttest.Scenario{
		Transport: agenttest.MastraCommandTransport,
		State:     true,
		Steps: []agenttest.Step{
			{Name: "greeting", Message: "(?i)^hello", Transcript: []byte(captured)},
			{Name: "approve", Resume: json.RawMessage(`{"approved":true}`), Transcript: []byte(captured)},
		},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	server := httptest.NewServer(player)
	defer server.Close()

	post := func(body string) {
		resp, err := http.Post(server.URL, "application/json", strings.NewReader(body))
		if err != nil {
			fmt.Println(err)
			return
		}
		defer resp.Body.Close()
		answer, _ := io.ReadAll(resp.Body)
		fmt.Println(resp.StatusCode, strings.TrimSpace(string(answer)))
	}
	post(`{"threadId":"t1","runId":"r1","messages":[{"id":"u1","role":"user","content":"Hello"}]}`)
	post(`{"threadId":"t1","runId":"r2","messages":[],"forwardedProps":{"command":{"resume":{"approved":true}}}}`)
	fmt.Println(player.Err())
	// Output:
	// 200 data: {"type":"RUN_STARTED","threadId":"t1","runId":"r1"}
	//
	// data: {"type":"RUN_FINISHED","threadId":"t1","runId":"r1"}
	// 422 {"detail":"a decision came, and nothing is pending on the thread"}
	// request 2 (POST /): a decision came, and nothing is pending on the thread
}

// An agent that says one word and then loses the connection.
func ExampleScript() {
	hello := "Hello"
	script := agenttest.NewScript(agenttest.Turn{Steps: []agenttest.Action{
		agenttest.Emit(&agui.RunStarted{}),
		agenttest.Emit(&agui.TextMessageChunk{Delta: &hello}),
		agenttest.Drop(),
	}})
	server := httptest.NewServer(script)
	defer server.Close()

	resp, err := http.Post(server.URL, "application/json", strings.NewReader(`{"threadId":"t1","runId":"r1"}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	defer resp.Body.Close()
	answer, err := io.ReadAll(resp.Body)
	fmt.Println(strings.Count(string(answer), "data:"), "events, then", err)
	// Output: 2 events, then unexpected EOF
}

// Testing an agent of your own: a strict client in front of its handler names the
// first event that breaks the protocol, with its frame and its rule.
func Example_yourOwnAgent() {
	mine := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var in agui.RunAgentInput
		if err := json.NewDecoder(r.Body).Decode(&in); err != nil {
			http.Error(w, err.Error(), http.StatusUnprocessableEntity)
			return
		}
		w.Header().Set("Content-Type", "text/event-stream")
		for _, ev := range []agui.Event{
			&agui.RunStarted{ThreadID: in.ThreadID, RunID: in.RunID},
			&agui.TextMessageStart{MessageID: "m1", Role: agui.RoleAssistant},
			&agui.TextMessageContent{MessageID: "m2", Delta: "Hello"}, // not the id that was started
			&agui.RunFinished{ThreadID: in.ThreadID, RunID: in.RunID},
		} {
			data, err := agui.Encode(ev)
			if err != nil || sse.WriteData(w, data) != nil {
				return
			}
		}
	})
	server := httptest.NewServer(mine)
	defer server.Close()

	client, err := agentclient.New(agentclient.Config{URL: server.URL, Strict: true})
	if err != nil {
		fmt.Println(err)
		return
	}
	for received, err := range client.Run(context.Background(), agui.RunAgentInput{ThreadID: "t1", RunID: "r1"}) {
		var failed *agentclient.Error
		if errors.As(err, &failed) {
			fmt.Println(failed.Kind, "in frame", failed.Frame, "of rule", failed.Rule)
			break
		}
		fmt.Println(received.Event.Head().Type)
	}
	// Output:
	// RUN_STARTED
	// TEXT_MESSAGE_START
	// violation in frame 3 of rule R10
}
