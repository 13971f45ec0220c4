package peer_test

import (
	"errors"
	"fmt"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"cairn/agenthost"
	"cairn/agenthost/scriptedmodel"
	"cairn/agenthost/sqlite"
	"cairn/agenthost/trip"
	"cairn/agenthost/trip/ledger"
	"cairn/internal/peer"
)

// TestHostUnderThePeer: every surface of our agent service, driven by the
// protocol's own client: its schemas accept every frame, its verification every
// run, and it can pause, resume and go on.
func TestHostUnderThePeer(t *testing.T) {
	model := httptest.NewServer(scriptedmodel.New(scriptedmodel.Config{NoDelay: true}))
	t.Cleanup(model.Close)
	path := filepath.Join(t.TempDir(), "agent.db")
	store, err := sqlite.Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = store.Close() })
	bookings, err := ledger.Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = bookings.Close() })
	host, err := agenthost.New(agenthost.Config{Token: "peer-token", Store: store,
		Agents: map[string]*agenthost.Agent{trip.Topic: trip.New(bookings)},
		Model:  agenthost.ModelConfig{BaseURL: model.URL + "/v1"}})
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(host)
	t.Cleanup(server.Close)

	steps := []struct {
		peer.Step
		want  string // events, repeats folded
		reply string // part of the last message
	}{
		{peer.Step{Thread: "chat", Say: "Hello"}, "RUN_STARTED TEXT_MESSAGE_CHUNK+ RUN_FINISHED", ""},
		{peer.Step{Thread: "chat", Say: "What are the trail conditions at Half Dome?"},
			"RUN_STARTED TOOL_CALL_START TOOL_CALL_ARGS TOOL_CALL_END TOOL_CALL_RESULT TEXT_MESSAGE_CHUNK+ RUN_FINISHED", "Half Dome"},
		{peer.Step{Thread: "list", Say: "Start a packing list with a tent and two sleeping bags"},
			"RUN_STARTED STATE_SNAPSHOT STATE_DELTA+ TEXT_MESSAGE_CHUNK+ STATE_SNAPSHOT RUN_FINISHED", ""},
		{peer.Step{Thread: "book", Say: "Reserve North Pines for 2 nights"}, "RUN_STARTED CUSTOM RUN_FINISHED", ""},
		{peer.Step{Thread: "book", Say: "Hello?"}, "", ""}, // the peer itself refuses to send
		{peer.Step{Thread: "book", Answer: []byte(`{"approved":true}`)}, "RUN_STARTED TOOL_CALL_RESULT TEXT_MESSAGE_CHUNK+ RUN_FINISHED", "TP-0288"},
		{peer.Step{Thread: "book", Say: "Reserve Upper Pines for 3 nights"}, "RUN_STARTED CUSTOM RUN_FINISHED", ""},
		{peer.Step{Thread: "book", Cancel: true}, "RUN_STARTED TOOL_CALL_RESULT TEXT_MESSAGE_CHUNK+ RUN_FINISHED", "othing was booked"},
		{peer.Step{Thread: "sky", Say: "What is the weather forecast for North Pines this weekend?"},
			"RUN_STARTED TOOL_CALL_START TOOL_CALL_ARGS TOOL_CALL_END SUBAGENT_STARTED TEXT_MESSAGE_START TEXT_MESSAGE_CONTENT+ TEXT_MESSAGE_END SUBAGENT_FINISHED TOOL_CALL_RESULT TEXT_MESSAGE_CHUNK+ RUN_FINISHED", ""},
	}
	var talk []peer.Step
	for _, s := range steps {
		talk = append(talk, s.Step)
	}
	turns, err := peer.Talk(t.Context(), root, server.URL+"/agent/"+trip.Topic, "peer-token", talk)
	if errors.Is(err, peer.ErrMissing) && os.Getenv("CAIRN_PEER") != "1" {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	for i, s := range steps {
		t.Run(fmt.Sprintf("%d %s", i, s.Thread), func(t *testing.T) {
			turn := turns[i]
			if s.want == "" {
				if !strings.Contains(turn.Error, "pending interrupt") {
					t.Fatalf("error %q, want a refusal", turn.Error)
				}
				return
			}
			if turn.Error != "" || len(turn.Invalid) > 0 {
				t.Fatalf("error %q, invalid frames %q", turn.Error, turn.Invalid)
			}
			if got := folded(turn.Events); got != s.want {
				t.Errorf("events %s\nwant   %s", got, s.want)
			}
			if last := turn.Messages[len(turn.Messages)-1]; !strings.Contains(fmt.Sprint(last["content"]), s.reply) {
				t.Errorf("the last message is %v, want %q in it", last, s.reply)
			}
		})
	}
}

// folded writes a run of one event type as TYPE+.
func folded(events []string) string {
	var out []string
	for i, e := range events {
		if i == 0 || e != events[i-1] {
			out = append(out, e)
		} else if last := &out[len(out)-1]; !strings.HasSuffix(*last, "+") {
			*last += "+"
		}
	}
	return strings.Join(out, " ")
}
