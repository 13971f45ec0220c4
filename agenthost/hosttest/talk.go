package hosttest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"testing"

	"cairn/agentclient/verify"
	"cairn/agenthost"
	"cairn/agui"
	"cairn/agui/sse"
)

// Talk is the conversation of a client that adopts every snapshot and sends it with the
// next run.
type Talk struct {
	Messages []agui.Message
	State    json.RawMessage
	// Claims, when set, is sent in place of the state.
	Claims json.RawMessage

	t             *testing.T
	service       *Service
	topic, thread string
}

// Talk returns a new conversation with the agent of a topic, for the test t or a subtest.
func (s *Service) Talk(t *testing.T, topic, thread string) *Talk {
	return &Talk{t: t, service: s, topic: topic, thread: thread}
}

// Say runs with one more message.
func (c *Talk) Say(text string) []agui.Event {
	c.t.Helper()
	c.Messages = append(c.Messages, agui.Message{ID: fmt.Sprint("u", len(c.Messages)), Role: agui.RoleUser, Content: agui.TextContent(text)})
	return c.Run(nil)
}

// Decide runs with decisions and no new message.
func (c *Talk) Decide(decisions ...agui.ResumeEntry) []agui.Event {
	c.t.Helper()
	return c.Run(func(in *agui.RunAgentInput) { in.Resume = decisions })
}

// Run sends the messages and the state, changed by edit unless that is nil, and returns
// all events of the run. An order that the protocol does not allow fails the test.
func (c *Talk) Run(edit func(*agui.RunAgentInput)) []agui.Event {
	t := c.t
	t.Helper()
	c.service.runs++
	in := agui.RunAgentInput{ThreadID: c.thread, RunID: fmt.Sprint("r", c.service.runs), Messages: c.Messages, State: c.State,
		Tools: []agui.Tool{}, Context: []agui.ContextItem{}, ForwardedProps: json.RawMessage("{}")}
	if c.Claims != nil {
		in.State = c.Claims
	}
	if edit != nil {
		edit(&in)
	}
	resp := c.post(in)
	defer func() { _ = resp.Body.Close() }()
	var events []agui.Event
	order := verify.New(verify.Strict)
	for frames := sse.NewReader(resp.Body, sse.Limits{}); ; {
		frame, err := frames.Next()
		if errors.Is(err, io.EOF) && len(events) > 0 {
			return events
		}
		if err != nil {
			t.Fatalf("after %d events: %v", len(events), err)
		}
		ev, err := agui.Decode([]byte(frame.Data))
		if err != nil {
			t.Fatalf("%s: %v", frame.Data, err)
		}
		if _, broken := order.Feed(ev); len(broken) > 0 {
			t.Errorf("%s: %v", frame.Data, broken)
		}
		c.keep(ev)
		events = append(events, ev)
	}
}

func (c *Talk) keep(ev agui.Event) {
	switch e := ev.(type) {
	case *agui.StateSnapshot:
		c.State = e.Snapshot
	case *agui.MessagesSnapshot:
		c.Messages = e.Messages
	}
}

// post returns the response of an accepted run.
func (c *Talk) post(in agui.RunAgentInput) *http.Response {
	t := c.t
	t.Helper()
	body, err := json.Marshal(in)
	if err != nil {
		t.Fatal(err)
	}
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, c.service.url+"/agent/"+c.topic, bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set(agenthost.TokenHeader, token)
	req.Header.Set("Content-Type", "application/json")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	if resp.StatusCode != http.StatusOK {
		defer func() { _ = resp.Body.Close() }()
		said, _ := io.ReadAll(resp.Body)
		t.Fatalf("status %d: %s", resp.StatusCode, said)
	}
	return resp
}

// LastWord returns the text of the newest message.
func (c *Talk) LastWord() string { return c.Messages[len(c.Messages)-1].Content.Text() }
