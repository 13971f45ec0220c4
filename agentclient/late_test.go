package agentclient_test

import (
	"testing"

	"cairn/agentclient"
	"cairn/agentclient/conversation"
	"cairn/agui"
)

// TestErrorAfterAPause: a run that fails after it has paused is a failed run, and what it
// asked can be answered; the call that waits is sent without a result.
func TestErrorAfterAPause(t *testing.T) {
	s := agentclient.NewSession(agentclient.SessionConfig{ThreadID: "T"})
	turn, err := s.Send("r", "u", "pay", noon)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Begin(turn); err != nil {
		t.Fatal(err)
	}
	for _, raw := range []string{
		`{"type":"RUN_STARTED","threadId":"T","runId":"r"}`,
		`{"type":"TOOL_CALL_START","toolCallId":"k1","toolCallName":"pay"}`,
		`{"type":"TOOL_CALL_ARGS","toolCallId":"k1","delta":"{\"amount\":1}"}`,
		`{"type":"TOOL_CALL_END","toolCallId":"k1"}`,
		`{"type":"RUN_FINISHED","threadId":"T","runId":"r","outcome":{"type":"interrupt","interrupts":[{"id":"k","reason":"tool_call","toolCallId":"k1"}]}}`,
		`{"type":"RUN_ERROR","message":"the connection to the store was lost"}`,
	} {
		ev, err := agui.Decode([]byte(raw))
		if err != nil {
			t.Fatal(err)
		}
		s.Apply(ev)
	}
	s.End(agentclient.EndData{Outcome: agentclient.OutcomeFinished}, noon)
	if got := s.Conversation.Run().Status; got != conversation.RunFailed || s.Run.Failure == nil {
		t.Errorf("run %s, failure %v", got, s.Run.Failure)
	}
	a := s.Open()
	if a == nil {
		t.Fatal("nothing is asked any more")
	}
	turn, err = s.Decide("r2", a.Generation, []agentclient.Verdict{{Approved: true}}, noon)
	if err != nil {
		t.Fatal(err)
	}
	in, err := s.Begin(turn)
	if err != nil {
		t.Fatal(err)
	}
	if len(in.Resume) != 1 || in.Resume[0].InterruptID != "k" {
		t.Errorf("resume %+v", in.Resume)
	}
	for _, m := range in.Messages {
		if m.Role == agui.RoleTool {
			t.Errorf("the call that waits is answered: %s", m.Content.Text())
		}
	}
	if last := in.Messages[len(in.Messages)-1]; len(last.ToolCalls) != 1 || last.ToolCalls[0].ID != "k1" {
		t.Errorf("the call that waits is not sent: %+v", last)
	}
}
