// Package hosttest is for tests of agents. It serves an agent on a model of the test and a
// store in memory, and talks to it over HTTP as a client does. A failure outside the agent
// ends the test. Every run is verified against the order rules of the protocol.
package hosttest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"cairn/agenthost"
	"cairn/agenthost/hosttest/chat"
	"cairn/agenthost/inmem"
	"cairn/agenthost/scriptedmodel"
)

const token = "token"

// Service serves the agents of a test until it ends.
type Service struct {
	url  string
	runs int // run ids are unique, also between threads
}

// Serve serves agents by topic on a model, with an empty store. A request to the model
// that a strict server would refuse fails the test.
func Serve(t *testing.T, agents map[string]*agenthost.Agent, model http.Handler) *Service {
	t.Helper()
	answers := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return // the run was stopped
		}
		if _, err := chat.Check(body); err != nil {
			t.Errorf("request to the model: %v", err)
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		model.ServeHTTP(w, r)
	}))
	t.Cleanup(answers.Close)
	host, err := agenthost.New(agenthost.Config{Token: token, Agents: agents, Store: inmem.New(),
		Model: agenthost.ModelConfig{BaseURL: answers.URL + "/v1"}})
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(host)
	t.Cleanup(server.Close)
	return &Service{url: server.URL}
}

// Scripted returns the scripted model without its delays.
func Scripted() http.Handler { return scriptedmodel.New(scriptedmodel.Config{NoDelay: true}) }

// Saying returns a model with these answers, one per request. Each is the members of a
// chat completion's delta. At "", and after the last answer, the request fails.
func Saying(answers ...string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		if len(answers) == 0 {
			http.Error(w, "nothing left to say", http.StatusBadRequest)
			return
		}
		said := answers[0]
		if answers = answers[1:]; said == "" {
			http.Error(w, "no", http.StatusBadRequest)
			return
		}
		var line bytes.Buffer // a frame's data is one
		if err := json.Compact(&line, []byte(`{"choices":[{"index":0,"delta":{`+said+`}}]}`)); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = fmt.Fprintf(w, "data: %s\n\ndata: %s\n\ndata: [DONE]\n\n", &line, `{"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}`)
	})
}
