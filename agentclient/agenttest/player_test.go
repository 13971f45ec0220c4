package agenttest

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"cairn/agui"
)

const (
	listing = `data: {"type":"RUN_STARTED","threadId":"cap-t","runId":"cap-1"}

data: {"type":"TOOL_CALL_START","toolCallId":"call-0","toolCallName":"look"}

data: {"type":"TOOL_CALL_RESULT","toolCallId":"call-0","messageId":"r0","content":"ok"}

data: {"type":"TEXT_MESSAGE_CHUNK","messageId":"m1","delta":"start-"}

data: {"type":"TEXT_MESSAGE_CHUNK","messageId":"m1","delta":"xcap-t cap-1x"}

data: {"type":"TEXT_MESSAGE_CONTENT","messageId":"child","delta":"unseen","subagentRunId":"s"}

data: {"type":"STATE_SNAPSHOT","snapshot":{"list":["tent"]}}

data: {"type":"STATE_DELTA","delta":[{"op":"add","path":"/list/1","value":"lamp"}]}

data: {"type":"RUN_FINISHED","threadId":"cap-t","runId":"cap-1"}

`
	pausing = `data: {"type":"RUN_STARTED","threadId":"cap-t","runId":"cap-2"}

data: {"type":"CUSTOM","name":"on_interrupt","value":"{\"toolCallId\":\"call-7\",\"runId\":\"cap-2\"}"}

data: {"type":"RUN_FINISHED","threadId":"cap-t","runId":"cap-2","outcome":{"type":"interrupt","interrupts":[{"id":"cap-2::call-7","reason":"r"}]}}

`
	resuming = `data: {"type":"RUN_STARTED","threadId":"cap-t","runId":"cap-3"}

data: {"type":"TOOL_CALL_RESULT","toolCallId":"call-9","messageId":"r1","content":"booked"}

data: {"type":"RUN_FINISHED","threadId":"cap-t","runId":"cap-3"}

`
)

func camping() Scenario {
	return Scenario{
		Path: "/agent/x", Token: "secret", Transport: MastraCommandTransport, History: true, State: true,
		Steps: []Step{
			{Name: "list", Message: "(?i)list", Transcript: []byte(listing)},
			{Name: "book", Message: "book", Transcript: []byte(pausing)},
			{Name: "approve", Resume: json.RawMessage(`{"approved":true}`), Transcript: []byte(resuming)},
			{Name: "down", Message: "down", Status: 500, Body: "oops"},
		},
	}
}

// client posts to a player as an application would.
type client struct {
	t      *testing.T
	url    string
	player *Player
	token  string
}

func serve(t *testing.T, sc Scenario) *client {
	t.Helper()
	p, err := NewPlayer(sc)
	if err != nil {
		t.Fatal(err)
	}
	srv := httptest.NewServer(p)
	t.Cleanup(srv.Close)
	return &client{t, srv.URL + "/agent/x", p, "secret"}
}

func (c *client) post(in agui.RunAgentInput) (int, string) {
	c.t.Helper()
	body, err := json.Marshal(in)
	if err != nil {
		c.t.Fatal(err)
	}
	req, err := http.NewRequest(http.MethodPost, c.url, strings.NewReader(string(body)))
	if err != nil {
		c.t.Fatal(err)
	}
	req.Header.Set("X-Internal-Token", c.token)
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		c.t.Fatal(err)
	}
	defer resp.Body.Close()
	got, err := io.ReadAll(resp.Body)
	if err != nil {
		c.t.Fatal(err)
	}
	return resp.StatusCode, string(got)
}

// ok expects an answer without a mismatch.
func (c *client) ok(in agui.RunAgentInput) string {
	c.t.Helper()
	status, body := c.post(in)
	if status != http.StatusOK {
		c.t.Fatalf("status %d: %s", status, body)
	}
	return body
}

// wrong expects a mismatch that says so.
func (c *client) wrong(in agui.RunAgentInput, says string) {
	c.t.Helper()
	before := len(c.player.Errors())
	status, body := c.post(in)
	var answer struct{ Detail string }
	if err := json.Unmarshal([]byte(body), &answer); err != nil {
		c.t.Fatalf("status %d, no JSON: %s", status, body)
	}
	if status != http.StatusUnprocessableEntity || !strings.Contains(answer.Detail, says) {
		c.t.Fatalf("status %d: %s; want 422 that says %q", status, answer.Detail, says)
	}
	if n := len(c.player.Errors()); n != before+1 {
		c.t.Fatalf("%d mismatches recorded, want %d", n, before+1)
	}
}

func user(id, text string) agui.Message {
	return agui.Message{ID: id, Role: agui.RoleUser, Content: agui.TextContent(text)}
}

func input(run string, messages ...agui.Message) agui.RunAgentInput {
	return agui.RunAgentInput{ThreadID: "live-t", RunID: run, Messages: messages}
}

// listed is the history and the state after the "list" step.
func listed(run string, more ...agui.Message) agui.RunAgentInput {
	in := input(run, append([]agui.Message{
		user("u1", "a list"),
		{ID: "m0", Role: agui.RoleAssistant, ToolCalls: []agui.ToolCall{{ID: "call-0", Type: "function"}}},
		{ID: "r0", Role: agui.RoleTool, ToolCallID: "call-0", Content: agui.TextContent("ok")},
		{ID: "m1", Role: agui.RoleAssistant, Content: agui.TextContent("start-xcap-t cap-1x")},
	}, more...)...)
	in.State = json.RawMessage(`{"list":["tent","lamp"]}`)
	return in
}

func decided(in agui.RunAgentInput, props string) agui.RunAgentInput {
	in.ForwardedProps = json.RawMessage(props)
	return in
}

func TestPlayerRewritesIDs(t *testing.T) {
	c := serve(t, camping())
	got := c.ok(input("live-1", user("u1", "a list")))
	want := strings.NewReplacer(`"threadId":"cap-t"`, `"threadId":"live-t"`, `"runId":"cap-1"`, `"runId":"live-1"`).Replace(listing)
	if got != want {
		t.Fatalf("got\n%s\nwant\n%s", got, want)
	}
	got = c.ok(listed("live-2", user("u2", "book it")))
	for _, part := range []string{`\"runId\":\"live-2\"`, `"live-2::call-7"`, `\"toolCallId\":\"call-7\"`} {
		if !strings.Contains(got, part) {
			t.Errorf("%s is missing in\n%s", part, got)
		}
	}
	if strings.Contains(got, "cap-") {
		t.Errorf("a captured id is left in\n%s", got)
	}
	got = c.ok(decided(listed("live-3", user("u2", "book it")), `{"command":{"resume":{"approved":true},"interruptEvent":{"toolCallId":"call-7","runId":"live-2"}}}`))
	if !strings.Contains(got, `"toolCallId":"call-7"`) || strings.Contains(got, "call-9") {
		t.Errorf("the result is not of the call that paused:\n%s", got)
	}
	if err := c.player.Err(); err != nil {
		t.Fatal(err)
	}
	if r := c.player.Requests(); len(r) != 3 || r[2].Step != "approve" || r[1].Input.RunID != "live-2" {
		t.Fatalf("recorded %+v", r)
	}
}

func TestPlayerNamesMismatches(t *testing.T) {
	book := func(run string) agui.RunAgentInput { return input(run, user("u1", "book")) }
	const (
		approve = `{"command":{"resume":{"approved":true},"interruptEvent":{"toolCallId":"call-7","runId":"live-1"}}}`
		bare    = `{"command":{"resume":{"approved":true}}}`
		other   = `{"command":{"resume":{"approved":true},"interruptEvent":{"toolCallId":"call-7","runId":"live-0"}}}`
		text    = `{"command":{"resume":{"approved":"yes"},"interruptEvent":{"toolCallId":"call-7","runId":"live-1"}}}`
	)
	for _, tc := range []struct {
		name string
		do   func(*client)
	}{
		{"token", func(c *client) { c.token = "guess"; c.wrong(book("live-1"), "X-Internal-Token") }},
		{"path", func(c *client) { c.url += "y"; c.wrong(book("live-1"), "path /agent/xy") }},
		{"no run id", func(c *client) { c.wrong(book(""), "runId") }},
		{"no step", func(c *client) { c.wrong(input("live-1", user("u1", "sing")), `message "sing"`) }},
		{"message while pending", func(c *client) { c.ok(book("live-1")); c.wrong(book("live-2"), "pending") }},
		{"decision on nothing", func(c *client) { c.wrong(decided(book("live-1"), approve), "nothing is pending") }},
		{"decision twice", func(c *client) {
			c.ok(book("live-1"))
			c.ok(decided(book("live-2"), approve))
			c.wrong(decided(book("live-3"), approve), "nothing is pending")
		}},
		{"no interruptEvent", func(c *client) { c.ok(book("live-1")); c.wrong(decided(book("live-2"), bare), "interruptEvent absent") }},
		{"other interruptEvent", func(c *client) { c.ok(book("live-1")); c.wrong(decided(book("live-2"), other), "live-0") }},
		{"approved is no boolean", func(c *client) { c.ok(book("live-1")); c.wrong(decided(book("live-2"), text), "no step for decision") }},
		{"resume[] too", func(c *client) {
			c.ok(book("live-1"))
			in := decided(book("live-2"), approve)
			in.Resume = []agui.ResumeEntry{{InterruptID: "live-1::call-7", Status: agui.ResumeResolved}}
			c.wrong(in, "resume[] is present")
		}},
		{"command without resume", func(c *client) { c.wrong(decided(book("live-1"), `{"command":{}}`), "no resume") }},
		{"state", func(c *client) {
			c.ok(input("live-1", user("u1", "a list")))
			in := listed("live-2", user("u2", "book"))
			in.State = json.RawMessage(`{"list":["tent"]}`)
			c.wrong(in, "state")
		}},
		{"history without the message before", func(c *client) {
			c.ok(input("live-1", user("u1", "a list")))
			in := listed("live-2", user("u2", "book"))
			in.Messages = in.Messages[1:]
			c.wrong(in, `"u1"`)
		}},
		{"history without the answer", func(c *client) {
			c.ok(input("live-1", user("u1", "a list")))
			in := listed("live-2", user("u2", "book"))
			in.Messages[3].Content = agui.TextContent("start-")
			c.wrong(in, "assistant message")
		}},
		{"history without the tool result", func(c *client) {
			c.ok(input("live-1", user("u1", "a list")))
			in := listed("live-2", user("u2", "book"))
			in.Messages[2].ToolCallID = "call-x"
			c.wrong(in, `"call-0"`)
		}},
		{"not a body", func(c *client) {
			resp, err := http.Get(c.url)
			if err != nil {
				c.t.Fatal(err)
			}
			resp.Body.Close()
			if resp.StatusCode != http.StatusUnprocessableEntity {
				c.t.Fatalf("status %d", resp.StatusCode)
			}
		}},
	} {
		t.Run(tc.name, func(t *testing.T) { tc.do(serve(t, camping())) })
	}
}

func TestPlayerProtocolTransport(t *testing.T) {
	sc := camping()
	sc.Transport = ProtocolTransport
	resume := func(id string) agui.RunAgentInput {
		in := input("live-2", user("u1", "book"))
		in.Resume = []agui.ResumeEntry{{InterruptID: id, Status: agui.ResumeResolved, Payload: json.RawMessage(`{"approved":true}`)}}
		return in
	}
	c := serve(t, sc)
	c.ok(input("live-1", user("u1", "book")))
	c.wrong(resume("call-7"), "resume[] answers")
	c.wrong(decided(input("live-2", user("u1", "book")), `{"command":{"resume":{"approved":true}}}`), "command is present")
	c.ok(resume("live-1::call-7"))
}

func TestPlayerOrderedScenario(t *testing.T) {
	sc := camping()
	sc.Ordered = true
	c := serve(t, sc)
	c.ok(input("live-1", user("u1", "a list")))
	if err := c.player.Err(); err == nil || !strings.Contains(err.Error(), "book was never asked for") {
		t.Fatalf("error %v", err)
	}
	c.wrong(listed("live-2", user("u2", "another list")), "does not match")
	c.player.Reset()
	if c.player.Errors() != nil || c.player.Requests() != nil {
		t.Fatal("not reset")
	}
	c.ok(input("live-1", user("u1", "a list")))
}

func TestPlayerPrefersStepsNotYetPlayed(t *testing.T) {
	second := strings.ReplaceAll(listing, "start-", "second-")
	sc := Scenario{Steps: []Step{{Name: "a", Transcript: []byte(listing)}, {Name: "b", Transcript: []byte(second)}}}
	c := serve(t, sc)
	for i, want := range []string{"start-", "second-", "second-"} {
		if got := c.ok(input("live-1", user("u1", "x"))); !strings.Contains(got, want) {
			t.Fatalf("request %d: no %q", i, want)
		}
	}
}

func TestPlayerStatus(t *testing.T) {
	c := serve(t, camping())
	if status, body := c.post(input("live-1", user("u1", "down"))); status != 500 || body != "oops" {
		t.Fatalf("%d %q", status, body)
	}
	if err := c.player.Err(); err != nil {
		t.Fatal(err)
	}
}

func TestExactMessagesAndState(t *testing.T) {
	c := serve(t, Scenario{Steps: []Step{{
		Transcript: []byte(listing), Messages: []string{"user: x"}, StateIs: json.RawMessage(`{"a":1}`),
	}}})
	in := input("live-1", user("u1", "x"))
	c.wrong(in, "state {}")
	in.State = json.RawMessage(`{ "a": 1.0 }`)
	c.ok(in)
	in.Messages = append(in.Messages, user("u2", "y"))
	c.wrong(in, "messages")
}

func TestIncompleteScenarios(t *testing.T) {
	for name, sc := range map[string]Scenario{
		"nothing to play":    {Steps: []Step{{}}},
		"transport":          {Transport: "pigeon"},
		"decision":           {Steps: []Step{{Resume: AnyDecision, Status: 200}}},
		"regular expression": {Steps: []Step{{Message: "(", Status: 200}}},
	} {
		if _, err := NewPlayer(sc); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
}

func TestLoad(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	write("a.sse", listing)
	sc, err := Load(write("s.json", `{"path":"/agent/x","frameDelay":"3ms","steps":[{"message":"x","play":"a.sse"}]}`))
	if err != nil {
		t.Fatal(err)
	}
	if string(sc.Steps[0].Transcript) != listing || sc.FrameDelay != Duration(3e6) {
		t.Fatalf("%+v", sc)
	}
	for _, bad := range []string{`{`, `{"frameDelay":"soon"}`, `{"frameDelay":3}`, `{"steps":[{"play":"none.sse"}]}`} {
		if _, err := Load(write("bad.json", bad)); err == nil {
			t.Errorf("%s: loaded", bad)
		}
	}
}
