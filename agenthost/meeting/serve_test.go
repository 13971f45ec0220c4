package meeting

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"cairn/agenthost"
	"cairn/agenthost/scriptedmodel"
	"cairn/agenthost/sqlite"
)

// event has what the tests read of an event.
type event struct {
	Type     string          `json:"type"`
	Code     string          `json:"code"`
	Content  json.RawMessage `json:"content"`
	Name     string          `json:"name"`
	Delta    string          `json:"delta"`
	Snapshot json.RawMessage `json:"snapshot"`
	Outcome  struct {
		Interrupts []struct {
			ID       string                     `json:"id"`
			Metadata map[string]json.RawMessage `json:"metadata"`
		} `json:"interrupts"`
	} `json:"outcome"`
}

// scheduler serves the agent on the scripted model; the function runs one input.
func scheduler(t *testing.T) func(body map[string]any) []event {
	t.Helper()
	return serve(t, scriptedmodel.New(scriptedmodel.Config{NoDelay: true}))
}

func serve(t *testing.T, answers http.Handler) func(body map[string]any) []event {
	t.Helper()
	model := httptest.NewServer(answers)
	t.Cleanup(model.Close)
	store, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "agent.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = store.Close() })
	host, err := agenthost.New(agenthost.Config{Token: "token", Agents: map[string]*agenthost.Agent{Topic: New()}, Store: store,
		Model: agenthost.ModelConfig{BaseURL: model.URL + "/v1"}})
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(host)
	t.Cleanup(server.Close)
	return func(body map[string]any) []event {
		t.Helper()
		raw, err := json.Marshal(body)
		if err != nil {
			t.Fatal(err)
		}
		req, err := http.NewRequestWithContext(t.Context(), "POST", server.URL+"/agent/"+Topic, strings.NewReader(string(raw)))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("X-Internal-Token", "token")
		req.Header.Set("Content-Type", "application/json")
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = resp.Body.Close() }()
		all, err := io.ReadAll(resp.Body)
		if err != nil || resp.StatusCode != http.StatusOK {
			t.Fatalf("HTTP %d: %s %v", resp.StatusCode, all, err)
		}
		var events []event
		for line := range strings.Lines(string(all)) {
			if data, ok := strings.CutPrefix(line, "data: "); ok {
				var ev event
				if err := json.Unmarshal([]byte(data), &ev); err != nil {
					t.Fatal(err)
				}
				events = append(events, ev)
			}
		}
		return events
	}
}

func input(thread, run, text string) map[string]any {
	body := map[string]any{"threadId": thread, "runId": run, "tools": []any{}, "context": []any{}, "forwardedProps": map[string]any{},
		"state": map[string]any{"booking": map[string]any{"topic": "mine", "slot": "now", "status": "booked"}}, "messages": []any{}}
	if text != "" {
		body["messages"] = []any{map[string]any{"id": "u-" + run, "role": "user", "content": text}}
	}
	return body
}

func answer(thread, run, interrupt string, decision map[string]any) map[string]any {
	body := input(thread, run, "")
	decision["interruptId"] = interrupt
	body["resume"] = []any{decision}
	return body
}

// last finds the last event of a type.
func last(t *testing.T, events []event, name string) event {
	t.Helper()
	for i := len(events) - 1; i >= 0; i-- {
		if events[i].Type == name {
			return events[i]
		}
	}
	t.Fatalf("no %s in %+v", name, events)
	return event{}
}

func sameJSON(t *testing.T, what string, got json.RawMessage, want string) {
	t.Helper()
	var g, w any
	if err := json.Unmarshal(got, &g); err != nil {
		t.Fatalf("%s: %s: %v", what, got, err)
	}
	if err := json.Unmarshal([]byte(want), &w); err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(g, w) {
		t.Errorf("%s: %s, want %s", what, got, want)
	}
}

func contentOf(t *testing.T, ev event) (text string) {
	t.Helper()
	if err := json.Unmarshal(ev.Content, &text); err != nil {
		t.Fatal(err)
	}
	return text
}
