package agenthost_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"

	"cairn/agentclient/verify"
	"cairn/agenthost"
	"cairn/agenthost/dialect"
	"cairn/agenthost/sqlite"
	"cairn/agenthost/trip"
	"cairn/agenthost/trip/ledger"
	"cairn/agui"
	"cairn/agui/sse"
)

const testToken = "test-token"

// service is an agent on a store in a test's directory.
type service struct {
	t      *testing.T
	agent  *agenthost.Agent      // nil for the trip planner
	real   agenthost.ModelConfig // instead of the fake model
	model  *fakeModel
	path   string
	store  *sqlite.Store
	ledger *ledger.Ledger
	host   *agenthost.Server
	server *httptest.Server
	runs   int
}

func newService(t *testing.T) *service { return newAgentService(t, nil) }

// newAgentService serves one agent of the test's own as topic mastra. An agent without
// a dialect speaks as Mastra does, which has the most forms of answers;
// protocol_test.go has the default.
func newAgentService(t *testing.T, agent *agenthost.Agent) *service {
	t.Helper()
	if agent != nil && agent.Dialect == nil {
		agent.Dialect = dialect.Mastra{}
	}
	s := &service{t: t, agent: agent, model: newFakeModel(t), path: filepath.Join(t.TempDir(), "agent.db")}
	s.start()
	t.Cleanup(s.halt)
	return s
}

func (s *service) start() {
	var err error
	if s.store, err = sqlite.Open(context.Background(), s.path); err != nil {
		s.t.Fatal(err)
	}
	if s.ledger, err = ledger.Open(context.Background(), s.path); err != nil {
		s.t.Fatal(err)
	}
	agent := s.agent
	if agent == nil {
		agent = trip.New(s.ledger)
	}
	model, steps := s.real, 0
	if model == (agenthost.ModelConfig{}) {
		model.BaseURL, steps = s.model.server.URL, 3
	}
	s.host, err = agenthost.New(agenthost.Config{
		Token:    testToken,
		Agents:   map[string]*agenthost.Agent{trip.Topic: agent},
		Store:    s.store,
		Model:    model,
		MaxSteps: steps,
	})
	if err != nil {
		s.t.Fatal(err)
	}
	s.server = httptest.NewServer(s.host)
}

func (s *service) halt() {
	if err := s.host.Shutdown(context.Background()); err != nil {
		s.t.Error(err)
	}
	s.server.Close()
	if err := errors.Join(s.store.Close(), s.ledger.Close()); err != nil {
		s.t.Error(err)
	}
}

// useModel asks another model from now on.
func (s *service) useModel(m agenthost.ModelConfig) {
	s.real = m
	s.restart()
}

// restart closes everything and opens it again on the same file.
func (s *service) restart() {
	s.halt()
	s.start()
}

// input makes a request body; edit may change it.
func (s *service) input(thread, text string, edit ...func(map[string]any)) map[string]any {
	s.runs++
	in := map[string]any{
		"threadId": thread, "runId": fmt.Sprintf("run-%d", s.runs), "state": map[string]any{},
		"messages": []any{}, "tools": []any{}, "context": []any{}, "forwardedProps": map[string]any{},
	}
	if text != "" {
		in["messages"] = []any{map[string]any{"id": fmt.Sprintf("u-%d", s.runs), "role": "user", "content": text}}
	}
	for _, f := range edit {
		f(in)
	}
	return in
}

func command(resume any, toolCallID, runID string) func(map[string]any) {
	return func(in map[string]any) {
		in["forwardedProps"] = map[string]any{"command": map[string]any{
			"resume": resume, "interruptEvent": map[string]any{"toolCallId": toolCallID, "runId": runID}}}
	}
}

func protocolResume(entry map[string]any) func(map[string]any) {
	return func(in map[string]any) { in["resume"] = []any{entry} }
}

func (s *service) request(ctx context.Context, body any) *http.Request {
	raw, err := json.Marshal(body)
	if err != nil {
		s.t.Fatal(err)
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, s.server.URL+"/agent/mastra", bytes.NewReader(raw))
	if err != nil {
		s.t.Fatal(err)
	}
	r.Header.Set("X-Internal-Token", testToken)
	r.Header.Set("Content-Type", "application/json")
	return r
}

// run posts a body and reads the whole stream.
func (s *service) run(body any) []agui.Event {
	s.t.Helper()
	resp, err := http.DefaultClient.Do(s.request(context.Background(), body))
	if err != nil {
		s.t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	if resp.StatusCode != http.StatusOK {
		b, _ := io.ReadAll(resp.Body)
		s.t.Fatalf("status %d: %s", resp.StatusCode, b)
	}
	events := readEvents(s.t, resp.Body)
	inOrder(s.t, events)
	return events
}

// runUntilGone posts a body and reads until ctx ends, which may be before the first
// event is heard.
func (s *service) runUntilGone(ctx context.Context, body any) {
	resp, err := http.DefaultClient.Do(s.request(ctx, body))
	if err != nil {
		return
	}
	_, _ = io.Copy(io.Discard, resp.Body)
	_ = resp.Body.Close()
}

// inOrder holds a stream against the protocol's rules.
func inOrder(t *testing.T, events []agui.Event) {
	t.Helper()
	v := verify.New(verify.Strict)
	for _, ev := range events {
		_, violations := v.Feed(ev)
		for _, broken := range violations {
			t.Errorf("%v in %s", broken, types(events))
		}
	}
}

func readEvents(t *testing.T, r io.Reader) []agui.Event {
	t.Helper()
	frames := sse.NewReader(r, sse.Limits{})
	var list []agui.Event
	for {
		f, err := frames.Next()
		if err == io.EOF {
			return list
		}
		if err != nil {
			t.Fatal(err)
		}
		ev, err := agui.Decode([]byte(f.Data))
		if err != nil {
			t.Fatalf("frame %s: %v", f.Data, err)
		}
		list = append(list, ev)
	}
}

// types writes the events' types in short, runs of one type as one with a plus.
func types(events []agui.Event) string {
	var out []string
	for i, ev := range events {
		name := string(ev.Head().Type)
		if ev.Head().SubagentRunID != "" && !strings.HasPrefix(name, "SUBAGENT") {
			name += "@sub"
		}
		repeats := name == "TEXT_MESSAGE_CHUNK" || name == "STATE_DELTA" || strings.HasPrefix(name, "TEXT_MESSAGE_CONTENT")
		if repeats {
			name += "+"
			if i > 0 && len(out) > 0 && out[len(out)-1] == name {
				continue
			}
		}
		out = append(out, name)
	}
	return strings.Join(out, " ")
}

func find[E agui.Event](t *testing.T, events []agui.Event) E {
	t.Helper()
	for _, ev := range events {
		if e, ok := ev.(E); ok {
			return e
		}
	}
	var none E
	t.Fatalf("no %T in %s", none, types(events))
	return none
}

func text(events []agui.Event) string {
	var b strings.Builder
	for _, ev := range events {
		switch e := ev.(type) {
		case *agui.TextMessageChunk:
			b.WriteString(*e.Delta)
		case *agui.TextMessageContent:
			if e.SubagentRunID == "" {
				b.WriteString(e.Delta)
			}
		}
	}
	return b.String()
}

// decide records an approval of each interrupt, as a service does that then dies.
func (s *service) decide(thread string, keys ...agenthost.InterruptKey) []agenthost.Interrupt {
	s.t.Helper()
	var answers []agenthost.Decision
	for _, k := range keys {
		answers = append(answers, agenthost.Decision{InterruptKey: k, Answer: json.RawMessage(`{"payload":{"approved":true}}`)})
	}
	list, err := s.store.Decide(context.Background(), agenthost.Thread{Agent: trip.Topic, ID: thread}, answers)
	if err != nil {
		s.t.Fatal(err)
	}
	return list
}

// lastInterrupt is the newest of a thread.
func (s *service) lastInterrupt(thread string) agenthost.Interrupt {
	s.t.Helper()
	list, err := s.store.Interrupts(context.Background(), agenthost.Thread{Agent: trip.Topic, ID: thread})
	if err != nil || len(list) == 0 {
		s.t.Fatalf("%d interrupts, %v", len(list), err)
	}
	return list[len(list)-1]
}

// reservations reads the ledger while the service runs.
func (s *service) reservations() []trip.Booking {
	s.t.Helper()
	list, err := ledger.List(context.Background(), s.path)
	if err != nil {
		s.t.Fatal(err)
	}
	return list
}

func (s *service) bookings() int { return len(s.reservations()) }

// wantError checks that a run began and failed with a code, and nothing else.
func wantError(t *testing.T, events []agui.Event, code string) {
	t.Helper()
	if got := types(events); got != "RUN_STARTED RUN_ERROR" {
		t.Fatalf("events %s, want a run that fails with %s", got, code)
	}
	if e := events[1].(*agui.RunError); e.Code != code {
		t.Fatalf("code %s (%s), want %s", e.Code, e.Message, code)
	}
}
