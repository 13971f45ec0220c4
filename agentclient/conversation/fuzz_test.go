package conversation_test

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"testing"
	"unicode/utf8"

	"cairn/agentclient/conversation"
	"cairn/agui"
)

// FuzzApply folds any events, one JSON object per line, and checks what a page
// relies on: keys are unique and found again, the state and every outgoing
// message are JSON, and the same events fold to the same conversation.
func FuzzApply(f *testing.F) {
	paths, _ := filepath.Glob(filepath.Join(transcripts, "*.sse"))
	if len(paths) == 0 {
		f.Fatal("no captured streams")
	}
	for _, path := range paths {
		var seed bytes.Buffer
		for _, ev := range events(f, path) {
			raw, err := agui.Encode(ev)
			if err != nil {
				f.Fatal(err)
			}
			seed.Write(append(raw, '\n'))
		}
		f.Add(seed.Bytes())
	}
	f.Add([]byte(started + textOf("m", "x") + toolOf("c", "f", "{}") + resultOf("r", "c", "ok") + resultOf("o", "p", "ok") +
		`{"type":"MESSAGES_SNAPSHOT","messages":[{"id":"m","role":"assistant","content":[{"type":"text","text":"x"}]},{"id":"r","role":"tool","toolCallId":"p","content":"1"}]}` + "\n" +
		`{"type":"SUBAGENT_STARTED","subagentRunId":"s","name":"w"}` + "\n" +
		`{"type":"ACTIVITY_SNAPSHOT","messageId":"a","activityType":"t","content":{}}` + "\n" +
		`{"type":"STATE_SNAPSHOT","snapshot":{"a":{"b":[null,1]}}}` + "\n" +
		`{"type":"STATE_DELTA","delta":[{"op":"move","from":"/a/b/0","path":"/a/c"},{"op":"copy","from":"/a","path":"/b/-"}]}` + "\n" + finished))
	f.Add([]byte(started + `{"type":"TOOL_CALL_RESULT","messageId":"r","toolCallId":"c","content":{}}` + "\n" +
		`{"type":"MESSAGES_SNAPSHOT","messages":[{"id":"a","role":"tool","toolCallId":"","content":7},{"id":"b","role":"assistant","content":null,"toolCalls":[{"id":"","type":"odd"}]}]}` + "\n" +
		`{"type":"TOOL_CALL_START","toolCallId":"","toolCallName":""}` + "\n" + `{"type":"TOOL_CALL_RESULT","messageId":"","toolCallId":""}` + "\n" + finished))
	f.Fuzz(func(t *testing.T, in []byte) {
		c, again := conversation.New(), conversation.New()
		c.AddMessage(agui.Message{ID: "u", Role: agui.RoleUser, Content: agui.TextContent("hi")})
		again.AddMessage(agui.Message{ID: "u", Role: agui.RoleUser, Content: agui.TextContent("hi")})
		for line := range bytes.Lines(in) {
			ev, err := agui.Decode(bytes.ToValidUTF8(line, []byte("?"))) // as package sse gives it
			if err != nil {
				continue
			}
			for _, key := range c.Apply(ev).Keys {
				if c.Entry(key) == nil {
					t.Fatalf("changed key %d has no entry", key)
				}
			}
			again.Apply(ev)
			_ = c.Snapshot()
		}
		if got, want := entriesText(c.Snapshot().Entries), entriesText(c.Entries()); got != want {
			t.Fatalf("snapshot\n%s\nconversation\n%s", got, want)
		}
		seen := map[int]bool{}
		var walk func(entries []*conversation.Entry)
		walk = func(entries []*conversation.Entry) {
			for _, e := range entries {
				if seen[e.Key] || c.Entry(e.Key) != e {
					t.Fatalf("key %d is not its entry's alone", e.Key)
				}
				seen[e.Key] = true
				if e.Message != nil && !utf8.ValidString(e.Message.Text()) || e.ToolCall != nil && !utf8.ValidString(e.ToolCall.Args()) {
					t.Fatalf("entry %d is no UTF-8", e.Key)
				}
				if e.Subagent != nil {
					walk(e.Subagent.Entries)
				}
			}
		}
		walk(c.Entries())
		if !json.Valid(c.State()) || !json.Valid(c.Committed()) {
			t.Fatalf("state %s, committed %s", c.State(), c.Committed())
		}
		if err := (agui.RunAgentInput{State: c.Committed(), Messages: c.History()}).Validate(); err != nil {
			t.Fatal("the next run cannot be asked for: ", err)
		}
		c.EndRun(conversation.EndTruncated)
		again.EndRun(conversation.EndTruncated)
		if summary(c) != summary(again) {
			t.Fatalf("folded twice:\n%s\nand\n%s", summary(c), summary(again))
		}
	})
}

// FuzzStateDelta patches any state with any patch: the result is JSON, and a
// patch that fails leaves the state as it was.
func FuzzStateDelta(f *testing.F) {
	for _, seed := range [][2]string{
		{`{"a":{"b":[null,1]},"c":"x"}`, `[{"op":"move","from":"/a/b/0","path":"/a/c"},{"op":"copy","from":"/a","path":"/d"}]`},
		{`{"a/b":1,"m~n":{}}`, `[{"op":"replace","path":"/a~1b","value":null},{"op":"add","path":"/m~0n/x","value":[]}]`},
		{`[1,[2]]`, `[{"op":"add","path":"/1/-","value":3},{"op":"test","path":"/1/1","value":3},{"op":"remove","path":""}]`},
		{`null`, `[{"op":"add","path":"/a","value":1}]`},
		{`{"a":null}`, `[{"op":"test","path":"/a","value":null},{"op":"remove","path":"/a/b"}]`},
		{`{"a":[1,2]}`, `[{"op":"move","from":"/a/0","path":"/a/-1"},{"op":"copy","from":"/a","path":"/a/0"}]`},
		{`{}`, `[{"op":"replace","path":"","value":{"a":1}},{"op":"remove","path":"/a"}]`},
		{`{"a":[null]}`, `[{"op":"test","path":"/a","value":[null]},{"op":"add","path":"/b","value":1}]`},
		{`{"a":[1,[null]]}`, `[{"op":"test","path":"/a","value":[null,[1]]}]`},
		{`{"a":{"b":1.0,"c":"\u00e9"}}`, `[{"op":"test","path":"/a","value":{"c":"é","b":10e-1}},{"op":"remove","path":"/a/b"}]`},
		{`{"":{"":[]}}`, `[{"op":"add","path":"///-","value":1},{"op":"move","from":"//","path":"/"}]`},
		{`{"a":1}`, `[{"OP":"add","path":"/b","value":1},{"op":"remove","path":"/a"},{"op":"add","path":"/a","value":2},{"op":"test","path":"/a","value":3}]`},
	} {
		f.Add(seed[0], seed[1])
	}
	f.Fuzz(func(t *testing.T, state, patch string) {
		if !json.Valid([]byte(state)) {
			return
		}
		c := conversation.New()
		c.Apply(&agui.RunStarted{ThreadID: "t", RunID: "r"})
		c.Apply(&agui.StateSnapshot{Snapshot: json.RawMessage(state)})
		before := string(c.State())
		c.Apply(&agui.StateDelta{Delta: json.RawMessage(patch)})
		if !json.Valid(c.State()) {
			t.Fatalf("%s patched with %s is %s", state, patch, c.State())
		}
		if c.Diverged() && string(c.State()) != before {
			t.Fatalf("failed patch %s changed %s to %s", patch, before, c.State())
		}
	})
}
