package agenthost_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"cairn/agenthost/hosttest/chat"
)

// modelRequest is what the tests look at in a Chat Completions request.
type modelRequest struct {
	Messages []struct {
		Role       string `json:"role"`
		Content    string `json:"content"`
		ToolCallID string `json:"tool_call_id"`
		ToolCalls  []struct {
			ID       string `json:"id"`
			Function struct{ Name, Arguments string }
		} `json:"tool_calls"`
	} `json:"messages"`
	Tools []struct {
		Function struct {
			Name       string          `json:"name"`
			Parameters json.RawMessage `json:"parameters"`
		} `json:"function"`
	} `json:"tools"`
}

func (r modelRequest) isChild() bool {
	return strings.HasPrefix(r.Messages[0].Content, "You are a weather forecaster")
}

func (r modelRequest) last() string { return r.Messages[len(r.Messages)-1].Content }

// modelAnswer is what the fake model says to one request.
type modelAnswer struct {
	text   string // streamed by words
	calls  []modelCall
	piece  int  // size of a piece of arguments; 0 is 12 bytes
	status int  // an HTTP error instead
	cut    bool // the stream breaks off before its end
	hang   bool // after the text nothing more comes until the client leaves
}

type modelCall struct{ id, name, args string }

// fakeModel answers requests from a queue, one answer each. A request that a strict
// server would refuse fails the test.
type fakeModel struct {
	t        *testing.T
	server   *httptest.Server
	mu       sync.Mutex
	queue    []modelAnswer
	requests []modelRequest
	left     chan struct{} // gets a value when the client leaves a hanging answer
}

func newFakeModel(t *testing.T) *fakeModel {
	m := &fakeModel{t: t, left: make(chan struct{}, 16)}
	m.server = httptest.NewServer(m)
	t.Cleanup(m.server.Close)
	return m
}

// says queues answers.
func (m *fakeModel) says(answers ...modelAnswer) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.queue = append(m.queue, answers...)
}

// asked returns the requests so far.
func (m *fakeModel) asked() []modelRequest {
	m.mu.Lock()
	defer m.mu.Unlock()
	return append([]modelRequest(nil), m.requests...)
}

func (m *fakeModel) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return // the run was stopped
	}
	if _, err := chat.Check(body); err != nil {
		m.t.Errorf("model request: %v", err)
	}
	var req modelRequest
	if err := json.Unmarshal(body, &req); err != nil {
		m.t.Errorf("model request: %v", err)
	}
	m.mu.Lock()
	m.requests = append(m.requests, req)
	if len(m.queue) == 0 {
		m.mu.Unlock()
		m.t.Errorf("the model was asked once too often, last message %q", req.last())
		http.Error(w, `{"error":{"message":"no answer queued"}}`, http.StatusBadRequest)
		return
	}
	a := m.queue[0]
	m.queue = m.queue[1:]
	m.mu.Unlock()
	if a.status != 0 {
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("X-Should-Retry", "false")
		w.WriteHeader(a.status)
		_, _ = fmt.Fprint(w, `{"error":{"message":"upstream secret sk-123"}}`)
		return
	}
	m.stream(w, r, a)
}

func (m *fakeModel) stream(w http.ResponseWriter, r *http.Request, a modelAnswer) {
	w.Header().Set("Content-Type", "text/event-stream")
	send := func(delta map[string]any, finish any) {
		raw, err := json.Marshal(map[string]any{"id": "x", "object": "chat.completion.chunk", "model": "fake",
			"choices": []any{map[string]any{"index": 0, "delta": delta, "finish_reason": finish}}})
		if err != nil {
			m.t.Errorf("chunk: %v", err)
		}
		_, _ = fmt.Fprintf(w, "data: %s\n\n", raw)
		w.(http.Flusher).Flush()
	}
	for _, word := range strings.SplitAfter(a.text, " ") {
		send(map[string]any{"role": "assistant", "content": word}, nil)
	}
	if a.hang {
		<-r.Context().Done()
		m.left <- struct{}{}
		return
	}
	piece := a.piece
	if piece == 0 {
		piece = 12
	}
	for i, c := range a.calls {
		send(map[string]any{"tool_calls": []any{map[string]any{"index": i, "id": c.id, "type": "function",
			"function": map[string]any{"name": c.name, "arguments": ""}}}}, nil)
		for rest := c.args; rest != ""; {
			n := min(piece, len(rest))
			send(map[string]any{"tool_calls": []any{map[string]any{"index": i, "function": map[string]any{"arguments": rest[:n]}}}}, nil)
			rest = rest[n:]
		}
	}
	if a.cut {
		return
	}
	finish := "stop"
	if len(a.calls) > 0 {
		finish = "tool_calls"
	}
	send(map[string]any{}, finish)
	_, _ = fmt.Fprint(w, `data: {"id":"x","object":"chat.completion.chunk","model":"fake","choices":[],"usage":{"prompt_tokens":10,"completion_tokens":3,"total_tokens":13}}`+"\n\ndata: [DONE]\n\n")
}
