package conversation_test

import (
	"encoding/json"
	"strings"
	"testing"

	"cairn/agentclient/conversation"
	"cairn/agui"
)

// Anything an agent sent that no request may hold must not keep the user from ever
// saying anything again.
func TestHistoryCanBeSent(t *testing.T) {
	result := func(rest string) string {
		return toolOf("c", "look", "{}") + `{"type":"TOOL_CALL_RESULT","messageId":"r","toolCallId":` + rest + `}`
	}
	snapshot := func(message string) string {
		return `{"type":"MESSAGES_SNAPSHOT","messages":[` + message + `]}`
	}
	for _, tt := range []struct{ name, events, want, page string }{
		{"a result that is an object", result(`"c","content":{"a": "<b>"}`), `"{\"a\": \"<b>\"}"`, `{"a": "<b>"}`},
		{"a result that is a number", result(`"c","content":7`), `"7"`, `7`},
		{"a result without content", result(`"c"`), `""`, ``},
		{"a result of parts", result(`"c","content":[{"type":"text","text":"x"}]`), `[{"type":"text","text":"x"}]`, `x`},
		{"a result for no call", result(`"","content":"x"`), `"` + conversation.NoResult + `"`, `x`},
		{"a user's object", snapshot(`{"id":"a","role":"user","content":{"a":1}}`), `"{\"a\":1}"`, `{"a":1}`},
		{"an assistant's number", snapshot(`{"id":"a","role":"assistant","content":7}`), `"7"`, `7`},
		{"a role that nobody has", `{"type":"TEXT_MESSAGE_CHUNK","messageId":"m","role":"bot","delta":"hi"}`, `"hi"`, `hi`},
		{"a tool that speaks", `{"type":"TEXT_MESSAGE_CHUNK","messageId":"m","role":"tool","delta":"hi"}`, `"hi"`, `hi`},
		{"a call without an id", toolOf("", "look", "{}") + resultOf("r", "", "x"), ``, `x`},
		{"nothing said by a user", snapshot(`{"id":"a","role":"user"}`), ``, ``},
		{"a tool's object", snapshot(`{"id":"a","role":"tool","toolCallId":"c","content":{"a":1}}`), `"{\"a\":1}"`, `{"a":1}`},
		{"a tool message for no call", snapshot(`{"id":"a","role":"tool","content":"x"}`), ``, `x`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := conversation.New()
			apply(t, c, started+tt.events+"\n"+finished)
			raw, err := agui.RunAgentInput{Messages: c.History()}.MarshalJSON()
			if err != nil {
				t.Fatal(err)
			}
			var sent agui.RunAgentInput
			if err := json.Unmarshal(raw, &sent); err != nil {
				t.Fatal(err)
			}
			sendable(t, c)
			got := ""
			for _, m := range sent.Messages {
				if len(m.ToolCalls) == 0 {
					got += string(m.Content.Raw)
				}
			}
			if got != tt.want {
				t.Errorf("sent %s, want %s", got, tt.want)
			}
			entries := c.Entries()
			shown := ""
			if len(entries) > 0 {
				if last := entries[len(entries)-1]; last.ToolCall != nil {
					shown = last.ToolCall.Result
				} else {
					shown = last.Message.Text()
				}
			}
			if shown != tt.page {
				t.Errorf("shown %q, want %q", shown, tt.page)
			}
		})
	}
}

// TestHistoryAfterAnyEnd: models refuse a call without a result or with half of its
// arguments, and two messages under one id. Whatever ends a run, and wherever, the next
// request has neither.
func TestHistoryAfterAnyEnd(t *testing.T) {
	calls := []string{
		"RUN r", "SAY m Let me look.", "OPEN c f m", `ARGS c {"a":`, "ARGS c 1}", "CLOSE c", "RESULT m c ok",
		"OPEN c f m", `ARGS c {"a":2}`, "CLOSE c", `CHUNK d g {"b":`, `CHUNK e g {"b":2}`, `CHUNK d g 1}`, "SAY m Done.",
	}
	for n := 1; n <= len(calls); n++ {
		for _, end := range []string{"DONE", "CANCELLED", "FAIL", "ASK c", "!end stopped", "!end truncated", "!end failed", ""} {
			c := conversation.New()
			apply(t, c, "!user u1 a\n!begin r\n"+spelled(t, strings.Join(calls[:n], "\n")+"\n"+end)+"!user u2 b\n!begin r2\n")
			if c.Run().Status != conversation.RunRunning {
				t.Fatal("the next run has not begun")
			}
			c.EndRun(conversation.RunStopped)
			sendable(t, c)
			if t.Failed() {
				t.Fatalf("after %q and %q: %s", calls[n-1], end, summary(c))
			}
		}
	}
}
