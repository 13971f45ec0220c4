package agentclient_test

import (
	"io"
	"net/http"
	"testing"

	"cairn/agentclient"
	"cairn/agui"
)

// The client notes what it leaves out of an event, and retired events come as
// what they are now.
func TestRunTellsWhatItLeavesOut(t *testing.T) {
	client := serve(t, agentclient.Config{}, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = io.WriteString(w, started+
			"data: {\"type\":\"THINKING_START\"}\n\n"+
			"data: {\"type\":\"NEW\"}\n\n"+
			"data: {\"type\":\"CUSTOM\",\"name\":\"x\",\"value\":1,\"colour\":\"red\"}\n\n"+finished)
	})
	var types []agui.EventType
	var told []string
	for got, err := range client.Run(t.Context(), agui.RunAgentInput{}) {
		if err != nil {
			t.Fatal(err)
		}
		types = append(types, got.Event.Head().Type)
		for _, d := range got.Diagnostics {
			told = append(told, d.String())
		}
	}
	if len(types) != 5 || types[1] != agui.TypeReasoningStart {
		t.Errorf("got %v", types)
	}
	if len(told) != 2 || told[0] != `type: unknown event "NEW"` || told[1] != `unknown member "colour"; ignored` {
		t.Errorf("told %q", told)
	}
}
