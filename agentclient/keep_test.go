package agentclient_test

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"runtime"
	"strings"
	"testing"

	"cairn/agentclient"
	"cairn/agui"
)

// Received bytes stay what they were, whatever comes after it and whatever is
// appended to its neighbour, though short frames share memory.
func TestReceivedBytesStay(t *testing.T) {
	var sent []string
	text := started
	for i := range 500 {
		sent = append(sent, fmt.Sprintf(`{"type":"CUSTOM","name":"n","value":"%s%d"}`, strings.Repeat("x", i), i))
		text += "data: " + sent[i] + "\n\n"
	}
	client := serve(t, agentclient.Config{}, stream(text+finished))
	var kept []agentclient.Received
	for got, err := range client.Run(t.Context(), agui.RunAgentInput{}) {
		if err != nil {
			t.Fatal(err)
		}
		if _, ok := got.Event.(*agui.Custom); ok {
			if n := len(kept); n > 0 {
				kept[n-1].Raw = append(kept[n-1].Raw, "more"...)
			}
			kept = append(kept, got)
		}
	}
	if len(kept) != len(sent) {
		t.Fatalf("%d of %d", len(kept), len(sent))
	}
	for i, got := range kept {
		value := string(got.Event.(*agui.Custom).Value)
		if strings.TrimSuffix(string(got.Raw), "more") != sent[i] || !strings.HasSuffix(sent[i], value+"}") {
			t.Fatalf("event %d became %s", i, got.Raw)
		}
	}
}

// A text delta costs one allocation, that of its event, and now and then the room
// its bytes share.
func TestAllocationsOfADelta(t *testing.T) {
	const n = 2000
	cost := func(deltas int) uint64 {
		text := started + strings.Repeat("data: {\"type\":\"TEXT_MESSAGE_CONTENT\",\"messageId\":\"m\",\"delta\":\"word \"}\n\n", deltas) + finished
		client, err := agentclient.New(agentclient.Config{URL: "http://agent.test", HTTPClient: &http.Client{Transport: here(text)}})
		if err != nil {
			t.Fatal(err)
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		for _, err := range client.Run(t.Context(), agui.RunAgentInput{}) {
			if err != nil {
				t.Fatal(err)
			}
		}
		runtime.ReadMemStats(&after)
		return after.Mallocs - before.Mallocs
	}
	if each := float64(cost(2*n)-cost(n)) / n; each > 1.2 {
		t.Errorf("%.2f allocations a delta", each)
	}
}

// here answers with itself, without a connection.
type here string

func (h here) RoundTrip(r *http.Request) (*http.Response, error) {
	return &http.Response{StatusCode: 200, Request: r, Header: http.Header{"Content-Type": {"text/event-stream"}}, Body: io.NopCloser(strings.NewReader(string(h)))}, nil
}

// A member that cannot be sent is named as the protocol names it.
func TestInputThatCannotBeSent(t *testing.T) {
	client, err := agentclient.New(agentclient.Config{URL: "http://agent.test"})
	if err != nil {
		t.Fatal(err)
	}
	for _, err := range client.Run(t.Context(), agui.RunAgentInput{Messages: []agui.Message{{ID: "\xff", Role: agui.RoleAssistant}}}) {
		var failed *agentclient.Error
		if !errors.As(err, &failed) || failed.Err.Error() != "encode input: messages[0].id: is not UTF-8" {
			t.Errorf("%v", err)
		}
	}
}
