package conversation_test

import (
	"testing"

	"cairn/agentclient/conversation"
)

// TestNamesAreExact: a member by almost the name is another one.
func TestNamesAreExact(t *testing.T) {
	failed := func(result string) conversation.ToolStatus {
		c := conversation.New()
		apply(t, c, started+toolOf("c", "f", "{}")+resultOf("r", "c", result))
		return c.Entry(1).ToolCall.Status
	}
	if failed(`{\"error\":true}`) != conversation.ToolError {
		t.Error("an error is none")
	}
	if failed(`{\"Error\":true,\"kind\":\"error\"}`) != conversation.ToolComplete {
		t.Error("Error is error")
	}
	waits := func(name string) conversation.ToolStatus {
		c := conversation.New()
		apply(t, c, started+toolOf("c", "f", "{}")+`{"type":"CUSTOM","name":"on_interrupt","value":{"`+name+`":"c"}}`+"\n"+finished)
		return c.Entry(1).ToolCall.Status
	}
	if waits("toolCallId") != conversation.ToolRunning {
		t.Error("the call does not wait")
	}
	if waits("TOOLCALLID") != conversation.ToolIncomplete {
		t.Error("TOOLCALLID is toolCallId")
	}
}
