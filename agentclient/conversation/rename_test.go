package conversation_test

import (
	"testing"

	"cairn/agentclient/conversation"
)

// Snapshots that call messages by other ids than they streamed by. Keys show
// that the entry stays.
func TestSnapshotRenames(t *testing.T) {
	snapshot := func(messages string) string {
		return `{"type":"MESSAGES_SNAPSHOT","messages":[` + messages + `]}` + "\n"
	}
	const open = `{"type":"TEXT_MESSAGE_START","messageId":"m"}` + "\n" + `{"type":"TEXT_MESSAGE_CONTENT","messageId":"m","delta":"Hel"}` + "\n"
	tests := []struct{ name, script, page, notes, history string }{
		{"complete", "!user u hi\n" + started + textOf("m", "Hello") + snapshot(`{"id":"u","role":"user","content":"hi"},{"id":"stored","role":"assistant","content":"Hello"}`) + finished,
			"#1 user complete \"hi\"\n#2 assistant complete \"Hello\"", "", "user:u assistant:stored"},
		{"and back", started + textOf("m", "Hello") + snapshot(`{"id":"s","role":"assistant","content":"Hello"}`) + snapshot(`{"id":"m","role":"assistant","content":"Hello"}`) + finished,
			`#1 assistant complete "Hello"`, "", "assistant:m"},
		{"streaming, same text so far, goes on", started + open + snapshot(`{"id":"s","role":"assistant","content":"Hel"}`) +
			`{"type":"TEXT_MESSAGE_CONTENT","messageId":"m","delta":"lo"}` + "\n" + `{"type":"TEXT_MESSAGE_END","messageId":"m"}` + "\n" + finished,
			`#1 assistant complete "Hello"`, "", "assistant:s"},
		{"streaming, the snapshot is ahead", started + open + snapshot(`{"id":"s","role":"assistant","content":"Hello"}`) + `{"type":"TEXT_MESSAGE_END","messageId":"m"}` + "\n" + finished,
			`#1 assistant complete "Hello"`, "", "assistant:s"},
		{"streaming, renamed and renamed back", started + open + snapshot(`{"id":"s","role":"assistant","content":"Hel"}`) + snapshot(`{"id":"m","role":"assistant","content":"Hel"}`) +
			`{"type":"TEXT_MESSAGE_CONTENT","messageId":"m","delta":"lo"}` + "\n" + `{"type":"TEXT_MESSAGE_END","messageId":"m"}` + "\n" + finished,
			`#1 assistant complete "Hello"`, "", "assistant:m"},
		{"the same words twice", started + textOf("a", "Yes") + textOf("b", "Yes") + snapshot(`{"id":"x","role":"assistant","content":"Yes"},{"id":"y","role":"assistant","content":"Yes"}`) + finished,
			"#1 assistant complete \"Yes\"\n#2 assistant complete \"Yes\"", "", "assistant:x assistant:y"},
		{"one of two is known", started + textOf("a", "Yes") + textOf("b", "Yes") + snapshot(`{"id":"b","role":"assistant","content":"Yes"},{"id":"y","role":"assistant","content":"Yes"}`) + finished,
			"#1 assistant complete \"Yes\"\n#2 assistant complete \"Yes\"", "", "assistant:y assistant:b"},
		{"other words", started + textOf("a", "Yes") + snapshot(`{"id":"x","role":"assistant","content":"No"}`) + finished,
			"#1 assistant complete \"Yes\"\n#2 assistant complete \"No\"", "6.6", "assistant:x"},
		{"another role", started + textOf("a", "Yes") + snapshot(`{"id":"x","role":"user","content":"Yes"}`) + finished,
			"#1 assistant complete \"Yes\"\n#2 user complete \"Yes\"", "6.6", "assistant:a user:x"},
		{"another agent", started + textOf("a", "Yes") + snapshot(`{"id":"x","role":"assistant","content":"Yes","subagentRunId":"s"}`) + finished,
			`#1 assistant complete "Yes"`, "6.6", "assistant:a assistant:x"},
		{"with its call", started + textOf("m", "Look:") + `{"type":"TOOL_CALL_START","toolCallId":"c","toolCallName":"f","parentMessageId":"m"}` + "\n" +
			snapshot(`{"id":"s","role":"assistant","content":"Look:","toolCalls":[{"id":"c","type":"function","function":{"name":"f","arguments":"{}"}}]},{"id":"r","role":"tool","toolCallId":"c","content":"ok"}`) + finished,
			"#1 assistant complete \"Look:\"\n#2 tool \"f\" complete args {} result ok", "R23", "assistant:s tool:r"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c := conversation.New()
			apply(t, c, tt.script)
			check(t, c, tt.page, tt.notes)
			var history string
			for i, m := range c.History() {
				if i > 0 {
					history += " "
				}
				history += string(m.Role) + ":" + m.ID
			}
			if history != tt.history {
				t.Errorf("history %s, want %s", history, tt.history)
			}
		})
	}
}
