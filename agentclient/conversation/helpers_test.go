package conversation_test

import (
	"strings"
	"testing"

	"cairn/agentclient/conversation"
	"cairn/agui"
)

// apply folds events written as JSON, one per line. Lines of the form "!end X"
// end the run without a terminal event, "!begin X" requests one, and "!frame X" is
// applied also when it is no event.
func apply(t testing.TB, c *conversation.Conversation, script string) {
	t.Helper()
	for line := range strings.Lines(script) {
		line = strings.TrimSpace(line)
		switch {
		case line == "":
		case strings.HasPrefix(line, "!end "):
			c.EndRun(conversation.RunStatus(line[len("!end "):]))
		case strings.HasPrefix(line, "!begin "):
			c.BeginRun(line[len("!begin "):])
		case strings.HasPrefix(line, "!user "):
			id, text, _ := strings.Cut(line[len("!user "):], " ")
			c.AddMessage(agui.Message{ID: id, Role: agui.RoleUser, Content: agui.TextContent(text)})
		case strings.HasPrefix(line, "!mark "):
			c.Mark(line[len("!mark "):])
		case strings.HasPrefix(line, "!frame "): // as a session reads it
			raw := []byte(line[len("!frame "):])
			ev, err := agui.Decode(raw)
			if err != nil {
				ev = &agui.Malformed{Raw: raw, Err: err}
			}
			c.Apply(ev)
		default:
			ev, err := agui.Decode([]byte(line))
			if err != nil {
				t.Fatalf("%s: %v", line, err)
			}
			c.Apply(ev)
		}
	}
}

const (
	started  = `{"type":"RUN_STARTED","threadId":"t","runId":"r"}` + "\n"
	finished = `{"type":"RUN_FINISHED","threadId":"t","runId":"r"}` + "\n"
)

func check(t *testing.T, c *conversation.Conversation, page, notes string) {
	t.Helper()
	var b strings.Builder
	writeEntries(&b, c.Entries(), "")
	if got := strings.TrimSuffix(b.String(), "\n"); got != page {
		t.Errorf("page:\n%s\nwant:\n%s", got, page)
	}
	var rules []string
	for _, n := range c.Notes() {
		rules = append(rules, n.Rule)
	}
	if got := strings.Join(rules, " "); got != notes {
		t.Errorf("notes %q, want %q: %v", got, notes, c.Notes())
	}
}

func textOf(id, text string) string {
	return `{"type":"TEXT_MESSAGE_START","messageId":"` + id + `"}
		{"type":"TEXT_MESSAGE_CONTENT","messageId":"` + id + `","delta":"` + text + `"}
		{"type":"TEXT_MESSAGE_END","messageId":"` + id + `"}` + "\n"
}

func toolOf(id, name, args string) string {
	return `{"type":"TOOL_CALL_START","toolCallId":"` + id + `","toolCallName":"` + name + `"}
		{"type":"TOOL_CALL_ARGS","toolCallId":"` + id + `","delta":"` + strings.ReplaceAll(args, `"`, `\"`) + `"}
		{"type":"TOOL_CALL_END","toolCallId":"` + id + `"}` + "\n"
}

func resultOf(id, call, content string) string {
	return `{"type":"TOOL_CALL_RESULT","messageId":"` + id + `","toolCallId":"` + call + `","content":"` + content + `"}` + "\n"
}

func state(snapshot string) string {
	return `{"type":"STATE_SNAPSHOT","snapshot":` + snapshot + `}` + "\n"
}
