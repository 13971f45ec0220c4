package agenthost

import (
	"errors"
	"fmt"
	"net/http"
	"testing"

	"cairn/agui"
)

// FuzzInput: whatever is posted is refused with a reason, or becomes a
// conversation that a strict server accepts, with every message of the user's.
func FuzzInput(f *testing.F) {
	for _, messages := range []string{
		`{"id":"1","role":"user","content":"hi"}`,
		`{"id":"1","role":"user","content":[{"type":"text","text":"hi"}]},{"id":"2","role":"assistant","content":"ho"}`,
		`{"id":"1","role":"assistant","toolCalls":[{"id":"c","type":"function","function":{"name":"n","arguments":"{}"}},{"id":"d","type":"function","function":{"name":"n","arguments":""}}]},{"id":"2","role":"tool","toolCallId":"d","content":"x"}`,
		`{"id":"1","role":"tool","toolCallId":"c","content":"","error":"no"},{"id":"2","role":"assistant","toolCalls":[{"id":"c","type":"function","function":{"name":"n","arguments":"{}"}}]}`,
		`{"id":"1","role":"reasoning","content":"x"},{"id":"2","role":"activity","activityType":"x","content":{}},{"id":"3","role":"system","content":"s"}`,
		`{"id":"1","role":"assistant","content":"x","subagentRunId":"s"}`,
		ask + "," + callC + "," + first + "," + again + "," + callC2 + "," + second + "," + second,
		ask + "," + half + "," + again + "," + first + "," + callC + "," + ask,
		first + "," + callC + "," + callC + "," + again + "," + callC,
	} {
		f.Add(fmt.Appendf(nil, `{"threadId":"t","runId":"r","messages":[%s],"tools":[{"name":"n","description":"","parameters":{}}],"resume":[{"interruptId":"i","status":"cancelled"}]}`, messages))
	}
	for _, body := range []string{``, `[]`, `null`, `{"threadId":1}`, `{"threadId":"t","runId":"r","messages":null}`} {
		f.Add([]byte(body))
	}
	interrupts := []Interrupt{
		{InterruptKey: InterruptKey{"r0", "c"}, ToolName: "n", Args: []byte("{}"), State: StateLeft, Result: []byte(`"x"`)},
		{InterruptKey: InterruptKey{"r1", "e"}, ToolName: "n", Args: []byte("{}"), State: StateDecided},
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		in, err := parseInput(body)
		if err != nil {
			var bad *badRequest
			if !errors.As(err, &bad) || bad.status != http.StatusBadRequest || bad.detail == "" {
				t.Fatalf("refused with %v", err)
			}
			return
		}
		if in.ThreadID == "" || in.RunID == "" {
			t.Fatalf("accepted %s", body)
		}
		for _, known := range [][]Interrupt{nil, interrupts} {
			request, err := requestOf(t, history(in.Messages, known))
			if err != nil {
				t.Fatalf("%s: %v in\n%s", body, err, request)
			}
			var said []string // by the user
			for _, m := range request.Messages {
				if m.Role == "user" {
					said = append(said, *m.Content)
				}
			}
			for _, m := range in.Messages {
				if m.Role != agui.RoleUser || m.SubagentRunID != "" {
					continue
				}
				if text := contentText(m.Content); len(said) == 0 || said[0] != text {
					t.Fatalf("%s: %q is not among the messages of\n%s", body, text, request)
				}
				said = said[1:]
			}
		}
	})
}
