package conversation_test

import (
	"strings"
	"testing"

	"cairn/agentclient/conversation"
)

// delegation is a child that talks and calls a tool, then a snapshot of the
// parent's messages, which has nothing of the child (measured).
const delegation = `
{"type":"RUN_STARTED","threadId":"t","runId":"r"}
{"type":"TOOL_CALL_START","toolCallId":"d","toolCallName":"delegate"}
{"type":"TOOL_CALL_END","toolCallId":"d"}
{"type":"SUBAGENT_STARTED","subagentRunId":"s","name":"child","parentToolCallId":"d"}
{"type":"TEXT_MESSAGE_START","messageId":"c","role":"assistant","subagentRunId":"s"}
{"type":"TEXT_MESSAGE_CONTENT","messageId":"c","delta":"Looking.","subagentRunId":"s"}
{"type":"TEXT_MESSAGE_END","messageId":"c","subagentRunId":"s"}
{"type":"TOOL_CALL_START","toolCallId":"k","toolCallName":"look","parentMessageId":"c","subagentRunId":"s"}
{"type":"TOOL_CALL_END","toolCallId":"k","subagentRunId":"s"}
{"type":"TOOL_CALL_RESULT","messageId":"kr","toolCallId":"k","content":"found","subagentRunId":"s"}
{"type":"SUBAGENT_FINISHED","subagentRunId":"s"}
{"type":"TOOL_CALL_RESULT","messageId":"dr","toolCallId":"d","content":"done"}`

const parents = `
{"type":"MESSAGES_SNAPSHOT","messages":[{"id":"a","role":"assistant","toolCalls":[{"id":"d","type":"function","function":{"name":"delegate","arguments":"{}"}}]},{"id":"dr","role":"tool","toolCallId":"d","content":"done"}]}`

// TestSnapshotLeavesSubagentsTheirWords: they stay in the card, also over later
// snapshots, and the next run is sent what the snapshot says.
func TestSnapshotLeavesSubagentsTheirWords(t *testing.T) {
	c := conversation.New()
	apply(t, c, delegation+parents+parents)
	var child *conversation.Subagent
	for _, e := range c.Entries() {
		if e.Subagent != nil {
			child = e.Subagent
		}
	}
	if child == nil || len(child.Entries) != 2 || child.Entries[0].Message.Text() != "Looking." {
		t.Fatalf("the child's card:\n%s", summary(c))
	}
	if call := child.Entries[1].ToolCall; call == nil || call.Result != "found" || call.Status != conversation.ToolComplete {
		t.Errorf("the child's call:\n%s", summary(c))
	}
	for _, m := range c.History() {
		if m.SubagentRunID != "" || m.ID == "c" || m.ID == "kr" {
			t.Errorf("the next run is sent %+v", m)
		}
	}
	if n := len(c.History()); n != 2 {
		t.Errorf("%d messages in the history:\n%s", n, summary(c))
	}
}

// TestSnapshotThatSpeaksOfSubagents: what it names of them is sent, and what it leaves out
// stays on the page.
func TestSnapshotThatSpeaksOfSubagents(t *testing.T) {
	const names = `
{"type":"MESSAGES_SNAPSHOT","messages":[{"id":"c","role":"assistant","content":"Looked.","subagentRunId":"s"}]}`
	c := conversation.New()
	apply(t, c, delegation+parents+names)
	sent := false
	for _, m := range c.History() {
		sent = sent || m.ID == "c" && m.Content.Text() == "Looked." && len(m.ToolCalls) == 0
	}
	if !sent {
		t.Errorf("history %+v\n%s", c.History(), summary(c))
	}
	if s := summary(c); !strings.Contains(s, "found") || !strings.Contains(s, "Looked.") {
		t.Errorf("what was shown of the subagent is gone:\n%s", s)
	}
}
