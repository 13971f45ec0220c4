package agenttest_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"

	"cairn/agentclient/agenttest"
	"cairn/agui"
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
