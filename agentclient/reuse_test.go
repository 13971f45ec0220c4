package agentclient_test

import (
	"encoding/json"
	"testing"

	"cairn/agentclient"
	"cairn/agentclient/interrupt"
)

// TestACallIDOfAnotherTurn: an approval stays at the call it was about when a later turn
// uses the id again, and the new call has a card of its own.
func TestACallIDOfAnotherTurn(t *testing.T) {
	f := &fold{Session: agentclient.NewSession(agentclient.SessionConfig{Transport: interrupt.TransportProtocol}), t: t}
	events := func(run string, all ...string) {
		for _, raw := range all {
			f.row(agentclient.RecordEvent, run, json.RawMessage(raw))
		}
		f.row(agentclient.RecordEnd, run, end(agentclient.OutcomeFinished))
	}
	const begin, call, over = `{"type":"RUN_STARTED","threadId":"t","runId":"r"}`, `{"type":"TOOL_CALL_START","toolCallId":"call_0","toolCallName":"pay"}`, `{"type":"TOOL_CALL_END","toolCallId":"call_0"}`
	f.ask("m1", "pay", "r1")
	events("r1", begin, call, over, `{"type":"RUN_FINISHED","threadId":"t","runId":"r","outcome":{"type":"interrupt","interrupts":[{"id":"i","reason":"x","toolCallId":"call_0"}]}}`)
	a := f.Open()
	f.row(agentclient.RecordClaim, "r2", agentclient.ClaimData{Generation: a.Generation, Approved: true, Resume: agentclient.Answer(a.Pending, true)})
	f.row(agentclient.RecordRun, "r2", agentclient.RunData{Reason: agentclient.ReasonDecision})
	events("r2", begin, `{"type":"TOOL_CALL_RESULT","messageId":"t1","toolCallId":"call_0","content":"paid"}`, `{"type":"RUN_FINISHED","threadId":"t","runId":"r"}`)
	old := f.Conversation.CallKey("call_0")
	if !f.Asked("call_0") || len(a.Decision.Results[0]) != 1 {
		t.Fatalf("the approval is not about its call: %+v", a)
	}
	f.ask("m2", "again", "r3")
	events("r3", begin, call, over, `{"type":"TOOL_CALL_RESULT","messageId":"t2","toolCallId":"call_0","content":"seen"}`, `{"type":"RUN_FINISHED","threadId":"t","runId":"r"}`)
	now := f.Conversation.Entry(f.Conversation.CallKey("call_0"))
	if now.Key == old || f.Asked("call_0") || now.ToolCall.Result != "seen" {
		t.Errorf("the new call: key %d after %d, asked %t, %q", now.Key, old, f.Asked("call_0"), now.ToolCall.Result)
	}
	was := f.Conversation.Entry(old).ToolCall
	if !f.Asked(was.ID) || was.Result != "paid" || a.Pending[0].ToolCallID != was.ID {
		t.Errorf("the call that was approved: %+v, asked %t, the approval names %s", was, f.Asked(was.ID), a.Pending[0].ToolCallID)
	}
	ids := map[string]bool{}
	for _, m := range f.Input().Messages {
		for _, c := range m.ToolCalls {
			if ids[c.ID] {
				t.Errorf("two calls are sent with the id %s", c.ID)
			}
			ids[c.ID] = true
		}
	}
}
