package peer_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"cairn/agenthost"
	"cairn/agenthost/sqlite"
	"cairn/internal/peer"
)

// rareModel answers each request with the deltas of the next line of its script,
// or with an HTTP error.
func rareModel(t *testing.T, script []string) *httptest.Server {
	model := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		if len(script) == 0 {
			t.Error("the model was asked once too often")
			return
		}
		line := script[0]
		script = script[1:]
		if line == "fails" {
			http.Error(w, `{"error":{"message":"no"}}`, http.StatusBadRequest)
			return
		}
		w.Header().Set("Content-Type", "text/event-stream")
		if line == "breaks off" {
			line = `{"content":"Well, "}`
			_, _ = fmt.Fprintf(w, `data: {"choices":[{"index":0,"delta":%s}]}`+"\n\n", line)
			return
		}
		_, _ = fmt.Fprintf(w, `data: {"choices":[{"index":0,"delta":%s,"finish_reason":"stop"}]}`+"\n\ndata: [DONE]\n\n", line)
	}))
	t.Cleanup(model.Close)
	return model
}

func says(text string) string { return fmt.Sprintf(`{"content":%q}`, text) }

func calls(names ...string) string {
	var list []string
	for i, name := range names {
		args := "{}"
		if strings.HasPrefix(name, "agent-") {
			args = `{"prompt":"go"}`
		}
		list = append(list, fmt.Sprintf(`{"index":%d,"id":"c%d-%s","function":{"name":%q,"arguments":%q}}`, i, i, name, name, args))
	}
	return `{"tool_calls":[` + strings.Join(list, ",") + `]}`
}

// TestRareSurfacesUnderThePeer: the protocol's own client accepts the default dialect, also
// in what the demos do not show.
func TestRareSurfacesUnderThePeer(t *testing.T) {
	const (
		call = "TOOL_CALL_START TOOL_CALL_ARGS TOOL_CALL_END "
		said = "TEXT_MESSAGE_START TEXT_MESSAGE_CONTENT TEXT_MESSAGE_END "
	)
	steps := []struct {
		peer.Step
		model []string
		want  string
	}{
		{peer.Step{Thread: "unknown", Say: "go"}, []string{calls("fly"), says("No.")}, call + "TOOL_CALL_RESULT " + said + "RUN_FINISHED"},
		{peer.Step{Thread: "child", Say: "go"}, []string{calls("agent-scout"), calls("look"), says("A bear."), says("Beware.")},
			call + "SUBAGENT_STARTED " + call + "TOOL_CALL_RESULT " + said + "SUBAGENT_FINISHED TOOL_CALL_RESULT " + said + "RUN_FINISHED"},
		{peer.Step{Thread: "child", Say: "again"}, []string{calls("agent-scout"), "fails", says("It failed.")},
			call + "SUBAGENT_STARTED SUBAGENT_ERROR TOOL_CALL_RESULT " + said + "RUN_FINISHED"},
		{peer.Step{Thread: "child", Say: "once more"}, []string{calls("agent-scout"), "breaks off", says("It failed.")},
			call + "SUBAGENT_STARTED " + said + "SUBAGENT_ERROR TOOL_CALL_RESULT " + said + "RUN_FINISHED"},
		{peer.Step{Thread: "error", Say: "go"}, []string{"fails"}, "RUN_ERROR"},
		{peer.Step{Thread: "error", Say: "again"}, []string{"breaks off"}, said + "RUN_ERROR"},
		{peer.Step{Thread: "error", Say: "once more"}, []string{says("Here.")}, said + "RUN_FINISHED"},
		{peer.Step{Thread: "two", Say: "go"}, []string{calls("pay", "look", "book")}, call + "TOOL_CALL_RESULT " + call + call + "RUN_FINISHED"},
		{peer.Step{Thread: "two", Answer: []byte(`{}`)}, []string{calls("pay")}, "TOOL_CALL_RESULT+ " + call + "RUN_FINISHED"},
		{peer.Step{Thread: "two", Cancel: true}, []string{says("Done.")}, "TOOL_CALL_RESULT " + said + "RUN_FINISHED"},
	}
	var script []string
	var talk []peer.Step
	for _, s := range steps {
		script, talk = append(script, s.model...), append(talk, s.Step)
	}
	type none struct{}
	look := agenthost.NewTool("look", "", func(context.Context, agenthost.Call[none]) (any, error) { return "a bear", nil })
	tools := []*agenthost.Tool{look}
	for _, name := range []string{"pay", "book"} {
		tool := agenthost.NewTool(name, "", func(_ context.Context, c agenthost.Call[none]) (any, error) {
			if c.Resume == nil {
				return nil, agenthost.Suspend(name + "?")
			}
			return name, nil
		})
		tool.Resume = agenthost.SchemaOf[none]()
		tools = append(tools, tool)
	}
	store, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "agent.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = store.Close() })
	host, err := agenthost.New(agenthost.Config{Token: "peer-token", Store: store, Model: agenthost.ModelConfig{BaseURL: rareModel(t, script).URL},
		Agents: map[string]*agenthost.Agent{"rare": {Name: "rare", Instructions: "Go.", Tools: tools,
			Children: []*agenthost.Agent{{Name: "scout", Instructions: "Look.", Tools: []*agenthost.Tool{look}}}}}})
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(host)
	t.Cleanup(server.Close)
	turns, err := peer.Talk(t.Context(), root, server.URL+"/agent/rare", "peer-token", talk)
	if errors.Is(err, peer.ErrMissing) && os.Getenv("CAIRN_PEER") != "1" {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	for i, s := range steps {
		turn := turns[i]
		if len(turn.Invalid) > 0 {
			t.Errorf("%d %s: invalid frames %q", i, s.Thread, turn.Invalid)
		}
		if got, want := folded(turn.Events), "RUN_STARTED "+s.want; got != want {
			t.Errorf("%d %s: events %s\nwant   %s", i, s.Thread, got, want)
		}
		if turn.Error != "" && !strings.HasSuffix(s.want, "RUN_ERROR") {
			t.Errorf("%d %s: the client says %q", i, s.Thread, turn.Error)
		}
	}
}
