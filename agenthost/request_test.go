package agenthost

import (
	"errors"
	"fmt"
	"net/http"
	"testing"
)

// FuzzInput: whatever is posted is refused with a reason, or becomes a
// conversation a model's server accepts: each call is followed by its result, and
// no result stands alone.
func FuzzInput(f *testing.F) {
	for _, messages := range []string{
		`{"id":"1","role":"user","content":"hi"}`,
		`{"id":"1","role":"user","content":[{"type":"text","text":"hi"}]},{"id":"2","role":"assistant","content":"ho"}`,
		`{"id":"1","role":"assistant","toolCalls":[{"id":"c","type":"function","function":{"name":"n","arguments":"{}"}},{"id":"d","type":"function","function":{"name":"n","arguments":""}}]},{"id":"2","role":"tool","toolCallId":"d","content":"x"}`,
		`{"id":"1","role":"tool","toolCallId":"c","content":"","error":"no"},{"id":"2","role":"assistant","toolCalls":[{"id":"c","type":"function","function":{"name":"n","arguments":"{}"}}]}`,
		`{"id":"1","role":"reasoning","content":"x"},{"id":"2","role":"activity","activityType":"x","content":{}},{"id":"3","role":"system","content":"s"}`,
		`{"id":"1","role":"assistant","content":"x","subagentRunId":"s"}`,
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
			list := history(in.Messages, known)
			if _, err := (&model{}).params(list, nil); err != nil {
				t.Errorf("%s: %v", body, err)
			}
			var open []string // calls whose results are to come, in order
			for i, m := range list {
				switch {
				case m.Role == "tool" && (len(open) == 0 || open[0] != m.ToolCallID):
					t.Fatalf("%s: message %d of %+v is the result of no call", body, i, list)
				case m.Role == "tool":
					open = open[1:]
				case len(open) > 0:
					t.Fatalf("%s: the call %s of %+v has no result", body, open[0], list)
				}
				for _, c := range m.ToolCalls {
					open = append(open, c.ID)
				}
			}
			if len(open) > 0 {
				t.Fatalf("%s: the call %s of %+v has no result", body, open[0], list)
			}
		}
	})
}
