package conversation

import (
	"encoding/json"
	"testing"

	"cairn/agui"
)

func TestSaysFailed(t *testing.T) {
	failed := []string{
		`{"error":true}`, `{"error":"no such site"}`, `{"error":{"code":404}}`, ` { "error" : "x" } `,
		`{"isError":true}`, `{"isError":true,"content":[{"type":"text","text":"no route"}]}`, `{"is_error":true}`,
		`{"success":false}`, `{"ok":false,"reason":"closed"}`, `{"status":"error"}`, `{"status":"failed","id":7}`, `{"status":"ERROR"}`,
		`{"success":true,"error":"half of it"}`,
	}
	fine := []string{
		``, `ok`, `null`, `[]`, `{}`, `{"error":null}`, `{"error":""}`, `{"error":"  "}`, `{"error":false}`, `{"error":{}}`, `{"error":{ }}`, `{"error":0}`, `{"error":0.5}`,
		`{"Error":true}`, `{"OK":false}`, `{"error":true,"error":null}`, `{"errors":[]}`, `{"errors":["a"]}`, `{"error_count":0}`, `{"error_count":3}`, `{"isError":false}`, `{"isError":"true"}`,
		`{"success":true}`, `{"success":null}`, `{"success":0}`, `{"ok":true}`, `{"status":"ok"}`, `{"status":500}`, `{"status":"failed over"}`, `{"status":{"error":true}}`,
		`{"data":{"error":true}}`, `[{"error":true}]`, `{"error":true`, `error: true`, `{"text":"\"error\": true"}`,
	}
	for want, all := range map[bool][]string{true: failed, false: fine} {
		for _, result := range all {
			quoted, _ := json.Marshal(result)
			for _, said := range []string{result, string(quoted)} {
				if got := SaysFailed(said); got != want {
					t.Errorf("%s: %v, want %v", said, got, want)
				}
			}
		}
	}
}

// TestFailedResultIsAFailedCall: however the result comes.
func TestFailedResultIsAFailedCall(t *testing.T) {
	call := `{"type":"TOOL_CALL_START","toolCallId":"c","toolCallName":"book"}`
	for name, events := range map[string][]string{
		"event":          {call, `{"type":"TOOL_CALL_RESULT","messageId":"r","toolCallId":"c","content":"{\"ok\":false}"}`},
		"no call":        {`{"type":"TOOL_CALL_RESULT","messageId":"r","toolCallId":"c","content":"{\"error\":\"gone\"}"}`},
		"in a text part": {call, `{"type":"TOOL_CALL_RESULT","messageId":"r","toolCallId":"c","content":[{"type":"text","text":"{\"isError\":true}"}]}`},
		"snapshot":       {`{"type":"MESSAGES_SNAPSHOT","messages":[{"id":"a","role":"assistant","toolCalls":[{"id":"c","type":"function","function":{"name":"book","arguments":"{}"}}]},{"id":"r","role":"tool","toolCallId":"c","content":"{\"status\":\"failed\"}"}]}`},
		"error member":   {`{"type":"MESSAGES_SNAPSHOT","messages":[{"id":"a","role":"assistant","toolCalls":[{"id":"c","type":"function","function":{"name":"book","arguments":"{}"}}]},{"id":"r","role":"tool","toolCallId":"c","content":"Booked.","error":"calendar is down"}]}`},
	} {
		c := New()
		c.BeginRun("R")
		for _, raw := range append([]string{`{"type":"RUN_STARTED","threadId":"T","runId":"R"}`}, events...) {
			ev, err := agui.Decode([]byte(raw))
			if err != nil {
				t.Fatal(name, err)
			}
			c.Apply(ev)
		}
		for _, e := range c.Entries() {
			if e.ToolCall != nil && (e.ToolCall.Status != ToolError || !e.ToolCall.ResultError) {
				t.Errorf("%s: %s", name, e.ToolCall.Status)
			}
		}
		if len(c.Entries()) == 0 {
			t.Errorf("%s: nothing is shown", name)
		}
	}
}
