package dialect

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"cairn/agui"
)

func speaker() *mastra {
	n := 0
	return Mastra{}.NewWriter(Run{ThreadID: "t", RunID: "r", NewID: func() string { n++; return fmt.Sprintf("m%d", n) }}).(*mastra)
}

// TestMessageIDs: which message a piece of text or a call belongs to. No id
// comes back after another message began.
func TestMessageIDs(t *testing.T) {
	const text, call, step = "text", "call", "step"
	for _, tc := range []struct{ said, want string }{
		{"text text", "m1 m1"},
		{"call step text text", "m1< m1-agui-text m1-agui-text"}, // measured transcript 03
		{"call call step text", "m1< m1< m1-agui-text"},          // 80
		{"text call step text", "m1 m1< m1-agui-text"},
		{"step text", "m1"}, // after hidden memory calls, 05
		{"text step text", "m1 m2"},
		{"call step text call step text", "m1< m1-agui-text m2< m2-agui-text"},
		{"text call step call step text", "m1 m1< m1< m1-agui-text"},
	} {
		m := speaker()
		var got []string
		for _, word := range strings.Fields(tc.said) {
			switch word {
			case text:
				got = append(got, *m.Text("x")[0].(*agui.TextMessageChunk).MessageID)
			case call:
				got = append(got, m.ToolCall(Call{ID: "c", Name: "n", Args: json.RawMessage("{}")})[0].(*agui.ToolCallStart).ParentMessageID+"<")
			case step:
				m.Step()
			}
		}
		if g := strings.Join(got, " "); g != tc.want {
			t.Errorf("%s: %s, want %s", tc.said, g, tc.want)
		}
	}
}

// TestFailedClosesChildren: nothing is left open when a run fails.
func TestFailedClosesChildren(t *testing.T) {
	m := speaker()
	m.ChildStarted(Delegation{Call: Call{ID: "c", Name: "agent-x", Args: json.RawMessage("{}")}, Child: "x"})
	m.ChildText("c", "half")
	var got []string
	for _, ev := range m.Failed("code", "message") {
		raw, err := agui.Encode(ev)
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, string(raw))
	}
	want := []string{
		`{"type":"TEXT_MESSAGE_END","subagentRunId":"c:sub","messageId":"c:sub:msg"}`,
		`{"type":"SUBAGENT_ERROR","subagentRunId":"c:sub","message":"message"}`,
		`{"type":"RUN_ERROR","message":"message","code":"code"}`,
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}
