package conversation_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"cairn/agentclient/conversation"
	"cairn/agui"
)

// TestFamilies: what agents send under ids that they use again, in chunks that take turns,
// in snapshots that leave things out, and around the end of a run. Each file holds cases:
// the events, one a line, and the page, the history and the notes that come of them.
func TestFamilies(t *testing.T) {
	files, err := filepath.Glob("testdata/families/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatal("no cases", err)
	}
	for _, file := range files {
		a, err := txtar.ParseFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if *update {
			expected(t, file, a)
		}
		for i := 0; i+1 < len(a.Files); i += 2 {
			name, script, want := a.Files[i].Name, string(a.Files[i].Data), strings.TrimSpace(string(a.Files[i+1].Data))
			t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar")+"/"+name, func(t *testing.T) {
				c := conversation.New()
				apply(t, c, spelled(t, script))
				got := strings.TrimSpace(summary(c))
				if got != want {
					t.Errorf("got\n%s\nwant\n%s", got, want)
				}
				sendable(t, c)
				again := conversation.New()
				apply(t, again, spelled(t, script))
				if summary(again) != summary(c) {
					t.Error("the same events fold to another page")
				}
			})
		}
	}
}

// expected writes what comes of each case into its file, to be read before it is committed.
func expected(t *testing.T, file string, a *txtar.Archive) {
	t.Helper()
	for i := 0; i+1 < len(a.Files); i += 2 {
		c := conversation.New()
		apply(t, c, spelled(t, string(a.Files[i].Data)))
		a.Files[i+1].Data = []byte(summary(c))
	}
	if err := os.WriteFile(file, txtar.Format(a), 0o644); err != nil {
		t.Fatal(err)
	}
}

// spelled writes the short forms of a script as events: RUN id, DONE, ASK call, FAIL, START
// and THINK id, TEXT id words, END id, SAY id words, CALL id name arguments, RESULT id call
// text, and CHUNK id name arguments.
func spelled(t *testing.T, script string) string {
	t.Helper()
	var b strings.Builder
	run := "r"
	for line := range strings.Lines(script) {
		word, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		f := append(strings.SplitN(rest, " ", 3), "", "", "")
		e := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
		switch word {
		case "RUN":
			run = rest
			e(`{"type":"RUN_STARTED","threadId":"t","runId":%q}`, run)
		case "DONE":
			e(`{"type":"RUN_FINISHED","threadId":"t","runId":%q}`, run)
		case "CANCELLED":
			e(`{"type":"RUN_FINISHED","threadId":"t","runId":%q,"outcome":{"type":"cancelled"}}`, run)
		case "ASK":
			e(`{"type":"RUN_FINISHED","threadId":"t","runId":%q,"outcome":{"type":"interrupt","interrupts":[{"id":"i","reason":"x","toolCallId":%q}]}}`, run, rest)
		case "FAIL":
			e(`{"type":"RUN_ERROR","message":"it broke"}`)
		case "START":
			e(`{"type":"TEXT_MESSAGE_START","messageId":%q,"role":%q}`, f[0], cmp.Or(f[1], "assistant"))
		case "THINK":
			e(`{"type":"REASONING_MESSAGE_START","messageId":%q,"role":"reasoning"}`, f[0])
		case "THOUGHT":
			e(`{"type":"REASONING_MESSAGE_CONTENT","messageId":%q,"delta":%q}`, f[0], strings.TrimPrefix(rest, f[0]+" "))
		case "THOUGHTOUT":
			e(`{"type":"REASONING_MESSAGE_END","messageId":%q}`, f[0])
		case "TEXT":
			e(`{"type":"TEXT_MESSAGE_CONTENT","messageId":%q,"delta":%q}`, f[0], strings.TrimPrefix(rest, f[0]+" "))
		case "END":
			e(`{"type":"TEXT_MESSAGE_END","messageId":%q}`, f[0])
		case "SAY":
			b.WriteString(textOf(f[0], strings.TrimPrefix(rest, f[0]+" ")))
		case "OPEN":
			e(`{"type":"TOOL_CALL_START","toolCallId":%q,"toolCallName":%q,"parentMessageId":%q}`, f[0], f[1], f[2])
		case "ARGS":
			e(`{"type":"TOOL_CALL_ARGS","toolCallId":%q,"delta":%q}`, f[0], strings.TrimPrefix(rest, f[0]+" "))
		case "CLOSE":
			e(`{"type":"TOOL_CALL_END","toolCallId":%q}`, f[0])
		case "CALL":
			b.WriteString(spelled(t, "OPEN "+f[0]+" "+f[1]+"\nARGS "+f[0]+" "+f[2]+"\nCLOSE "+f[0]))
		case "RESULT":
			e(`{"type":"TOOL_CALL_RESULT","messageId":%q,"toolCallId":%q,"content":%q}`, f[0], f[1], f[2])
		case "CHUNK":
			e(`{"type":"TOOL_CALL_CHUNK","toolCallId":%q,"toolCallName":%q,"delta":%q}`, f[0], f[1], f[2])
		case "WORDS":
			e(`{"type":"TEXT_MESSAGE_CHUNK","messageId":%q,"delta":%q}`, f[0], strings.TrimPrefix(rest, f[0]+" "))
		case "SNAPSHOT":
			e(`{"type":"MESSAGES_SNAPSHOT","messages":[%s]}`, rest)
		default:
			e("%s", strings.TrimSpace(line))
		}
	}
	return b.String()
}

// sendable reports what models refuse in the history.
func sendable(t *testing.T, c *conversation.Conversation) {
	t.Helper()
	ids, open := map[string]bool{}, map[string]bool{}
	for _, m := range c.History() {
		if ids[m.ID] {
			t.Errorf("two messages have the id %q", m.ID)
		}
		ids[m.ID] = true
		for _, call := range m.ToolCalls {
			if open[call.ID] {
				t.Errorf("call %q is sent twice", call.ID)
			}
			open[call.ID] = true
			if !json.Valid([]byte(call.Function.Arguments)) {
				t.Errorf("call %q has the arguments %q", call.ID, call.Function.Arguments)
			}
		}
		if m.Role == agui.RoleTool {
			delete(open, m.ToolCallID)
		}
	}
	if s := c.Run().Status; s == conversation.RunRunning || s == conversation.RunInterrupted {
		return
	}
	for id := range open {
		if e := c.Entry(c.CallKey(id)); e == nil || e.ToolCall.Status != conversation.ToolRunning {
			t.Errorf("nothing waits for call %q, and it has no result", id)
		}
	}
}
