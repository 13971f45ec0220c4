package conversation_test

import (
	"bytes"
	"encoding/json"
	"math"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"cairn/agentclient/conversation"
	"cairn/agentclient/jsonpatch"
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
	f.Add([]byte(started + textOf("m", "NO") + `{"type":"MESSAGES_SNAPSHOT","messages":[{"id":"m","role":"user","content":"yes"},{"id":"x","role":"user","content":"hi"}]}` + "\n" +
		textOf("m", "yes") + resultOf("r", "c", "yes") + resultOf("r", "d", "yes") + toolOf("r", "f", "{}") + `{"type":"MESSAGES_SNAPSHOT","messages":[]}` + "\n" +
		`{"type":"MESSAGES_SNAPSHOT","messages":[{"id":"x","role":"user","content":"yes"},{"id":"r","role":"tool","toolCallId":"c","content":"yes"}]}` + "\n" + finished))
	f.Fuzz(func(t *testing.T, in []byte) {
		c, again := conversation.New(), conversation.New()
		var ours []string
		say := func(id, text string) {
			m := agui.Message{ID: id, Role: agui.RoleUser, Content: agui.TextContent(text)}
			ours = append(ours, id+": "+text)
			c.AddMessage(m)
			again.AddMessage(m)
		}
		say("u", "hi")
		lines := 0
		for line := range bytes.Lines(in) {
			lines++
			if i := slices.Index([]int{3, 6, 9}, lines); i >= 0 { // in the middle, under ids that an agent guesses
				say([]string{"m", "r", ""}[i], "NO")
			}
			ev, err := agui.Decode(bytes.ToValidUTF8(line, []byte("?"))) // as package sse returns it
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
		if !json.Valid(c.State()) {
			t.Fatalf("state %s", c.State())
		}
		wrote := map[string]bool{}
		for _, o := range ours {
			wrote[o] = true
		}
		var sent, shown []string
		for _, m := range c.History() {
			if text := m.ID + ": " + m.Content.Text(); m.Role == agui.RoleUser && wrote[text] {
				sent = append(sent, text)
			}
		}
		for _, e := range c.Entries() {
			if m := e.Message; m != nil && m.Role == agui.RoleUser && wrote[m.ID+": "+m.Text()] {
				shown = append(shown, m.ID+": "+m.Text())
			}
		}
		if !slices.Equal(sent, ours) || !slices.Equal(shown, ours) {
			t.Fatalf("the user wrote %q, %q is sent and %q shown", ours, sent, shown)
		}
		if _, err := json.Marshal(agui.RunAgentInput{State: c.State(), Messages: c.History()}); err != nil {
			t.Fatal("the next run cannot be asked for: ", err)
		}
		c.EndRun(conversation.RunTruncated)
		again.EndRun(conversation.RunTruncated)
		sendable(t, c)
		if a, b := meaning(c), meaning(again); a != b {
			t.Fatalf("folded twice:\n%s\nand\n%s", a, b)
		}
	})
}

// meaning is the summary with the state as it is read: a member that comes twice is there
// once when something looked into its object.
func meaning(c *conversation.Conversation) string {
	var v any
	if json.Unmarshal(c.State(), &v) != nil {
		return summary(c)
	}
	read, err := json.Marshal(v)
	if err != nil {
		return summary(c)
	}
	return strings.Replace(summary(c), string(c.State()), string(read), 1)
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
		first := revisions(c.Shared(), nil)
		c.Apply(&agui.StateDelta{Delta: json.RawMessage(patch)})
		if got, want := read(t, c.Shared()), parsed(t, c.State()); !reflect.DeepEqual(got, want) {
			t.Fatalf("%s patched with %s reads as %v, want %v", state, patch, got, want)
		}
		for revision, value := range revisions(c.Shared(), nil) {
			if was, same := first[revision]; same && !reflect.DeepEqual(parsed(t, was), parsed(t, value)) {
				t.Fatalf("%s patched with %s: %s has the revision of %s", state, patch, value, was)
			}
		}
		if !json.Valid(c.State()) {
			t.Fatalf("%s patched with %s is %s", state, patch, c.State())
		}
		if c.Diverged() && string(c.State()) != before {
			t.Fatalf("failed patch %s changed %s to %s", patch, before, c.State())
		}
	})
}

// read is the value as it can be read part by part.
func read(t *testing.T, v jsonpatch.Value) any {
	switch v.Kind() {
	case jsonpatch.KindArray:
		all := []any{}
		for _, item := range v.All() {
			all = append(all, read(t, item))
		}
		if len(all) != v.Len() {
			t.Fatalf("%d items of %d", len(all), v.Len())
		}
		return all
	case jsonpatch.KindObject:
		all := map[string]any{}
		for name, member := range v.All() {
			all[name] = read(t, member)
		}
		if len(all) != v.Len() {
			t.Fatalf("%d members of %d", len(all), v.Len())
		}
		return all
	case jsonpatch.KindString:
		text, whole := v.Text(1 << 30)
		if !whole {
			t.Fatalf("%q is not all of the text", text)
		}
		return text
	default:
		raw, _ := v.JSON(math.MaxInt)
		return parsed(t, raw)
	}
}

func parsed(t *testing.T, raw json.RawMessage) (v any) {
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	if err := dec.Decode(&v); err != nil {
		t.Fatalf("%s: %v", raw, err)
	}
	return v
}

// revisions are those of a value and of what is below it, with its JSON.
func revisions(v jsonpatch.Value, into map[jsonpatch.Revision]json.RawMessage) map[jsonpatch.Revision]json.RawMessage {
	if into == nil {
		into = map[jsonpatch.Revision]json.RawMessage{}
	}
	raw, _ := v.JSON(math.MaxInt)
	into[v.Revision()] = bytes.Clone(raw)
	for _, below := range v.All() {
		revisions(below, into)
	}
	return into
}
