// Package rules holds the tests of the rules in RULES.md that several packages
// keep together. It uses what a program that imports the library can use.
package rules

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"cairn/agentclient"
	"cairn/agentclient/agenttest"
	"cairn/agentclient/conversation"
	"cairn/agentclient/interrupt"
	"cairn/agui"
)

var noon = time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)

// events reads one event a line.
func events(t *testing.T, lines string) []agui.Event {
	t.Helper()
	var all []agui.Event
	for line := range strings.Lines(lines) {
		if line = strings.TrimSpace(line); line == "" {
			continue
		}
		ev, err := agui.Decode([]byte(line))
		if err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		all = append(all, ev)
	}
	return all
}

// thread is a conversation and its pause, folded together as a program does.
type thread struct {
	*conversation.Conversation
	pause *interrupt.Session
	t     *testing.T
}

func newThread(t *testing.T) *thread {
	return &thread{conversation.New(), interrupt.New(interrupt.TransportAuto, interrupt.Profile{}), t}
}

// run folds the events of one run of ours.
func (th *thread) run(runID, lines string) *thread {
	th.t.Helper()
	th.BeginRun(runID)
	return th.more(runID, lines)
}

// more folds further events of the run, whose id stands for "r" in them.
func (th *thread) more(runID, lines string) *thread {
	th.t.Helper()
	lines = strings.ReplaceAll(lines, `"runId":"r"`, `"runId":"`+runID+`"`)
	for _, ev := range events(th.t, lines) {
		th.pause.Observe(ev, runID)
		th.Apply(ev)
	}
	return th
}

// page is what a reader sees, one line an entry: "assistant a complete: text",
// "call c1 book complete {args} -> result", "sub s1 [parent call] status: …".
func (th *thread) page() string { return page(th.Entries()) }

func page(entries []*conversation.Entry) string {
	var lines []string
	for _, e := range entries {
		switch {
		case e.Message != nil:
			lines = append(lines, fmt.Sprintf("%s %s %s: %s", e.Message.Role, e.Message.ID, e.Message.Status, e.Message.Text()+string(e.Message.Content())))
		case e.ToolCall != nil:
			c := e.ToolCall
			lines = append(lines, fmt.Sprintf("call %s %s %s %s -> %s", c.ID, c.Name, c.Status, c.Args(), c.Result))
		case e.Subagent != nil:
			s := e.Subagent
			lines = append(lines, fmt.Sprintf("sub %s %s [%s] %s%s (%s)", s.RunID, s.Name, s.ToolCallID, s.Status, s.Error, page(s.Entries)))
		}
	}
	return strings.Join(lines, "\n")
}

// sent is the history of the next run, one line a message.
func (th *thread) sent() string {
	th.t.Helper()
	var lines []string
	for _, m := range th.History() {
		b, err := json.Marshal(m)
		if err != nil {
			th.t.Fatal(err)
		}
		lines = append(lines, string(b))
	}
	return strings.Join(lines, "\n")
}

// want compares line by line, white space around a line apart.
func want(t *testing.T, what, got, want string) {
	t.Helper()
	if got, want = trimmed(got), trimmed(want); got != want {
		t.Errorf("%s\n got\n%s\nwant\n%s", what, got, want)
	}
}

func trimmed(text string) string {
	var lines []string
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" {
			lines = append(lines, line)
		}
	}
	return strings.Join(lines, "\n")
}

// state is the live state, its members in one order.
func (th *thread) state() string {
	th.t.Helper()
	var v any
	if err := json.Unmarshal(th.State(), &v); err != nil {
		th.t.Fatal(err)
	}
	b, err := json.Marshal(v)
	if err != nil {
		th.t.Fatal(err)
	}
	return string(b)
}

// serve returns a client of an agent that answers with the turns.
func serve(t *testing.T, turns ...agenttest.Turn) (*agentclient.Client, *agenttest.Script) {
	t.Helper()
	script := agenttest.NewScript(turns...)
	server := httptest.NewServer(script)
	t.Cleanup(server.Close)
	client, err := agentclient.New(agentclient.Config{URL: server.URL, HTTPClient: &http.Client{Transport: server.Client().Transport}})
	if err != nil {
		t.Fatal(err)
	}
	return client, script
}
