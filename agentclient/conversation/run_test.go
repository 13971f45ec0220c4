package conversation_test

import (
	"encoding/json"
	"strings"
	"testing"

	"cairn/agentclient/conversation"
	"cairn/agui"
)

func TestLegacyPause(t *testing.T) {
	c := conversation.New()
	apply(t, c, started+toolOf("c", "f", `{}`)+`{"type":"CUSTOM","name":"on_interrupt","value":"{\"toolCallId\":\"c\"}"}`+"\n"+finished)
	if c.Run().Status != conversation.RunInterrupted || c.Entry(1).ToolCall.Status != conversation.ToolRunning {
		t.Errorf("run %s, call %s; want interrupted and running", c.Run().Status, c.Entry(1).ToolCall.Status)
	}
}

func TestRunStatus(t *testing.T) {
	outcome := func(o string) string {
		return strings.TrimSuffix(finished, "}\n") + `,"outcome":` + o + "}"
	}
	for script, want := range map[string]conversation.RunStatus{
		"":                                      conversation.RunIdle,
		"!begin r":                              conversation.RunRunning,
		started:                                 conversation.RunRunning,
		started + finished:                      conversation.RunFinished,
		started + outcome(`{"type":"success"}`): conversation.RunFinished,
		started + outcome(`{"type":"cancelled"}`):                                        conversation.RunCancelled,
		started + outcome(`{"type":"interrupt","interrupts":[{"id":"i","reason":"x"}]}`): conversation.RunInterrupted,
		started + outcome(`{"type":"interrupt","interrupts":[]}`):                        conversation.RunFailed,
		started + outcome(`{"type":"new"}`):                                              conversation.RunFinished,
		started + `{"type":"RUN_ERROR","message":"x"}`:                                   conversation.RunFailed,
		`{"type":"RUN_ERROR","message":"x"}`:                                             conversation.RunFailed,
		started + finished + `{"type":"RUN_ERROR","message":"x"}`:                        conversation.RunFailed,
		"!begin r\n!end stopped":                                                         conversation.RunStopped,
		"!begin r\n!end truncated":                                                       conversation.RunTruncated,
		"!begin r\n!end failed":                                                          conversation.RunFailed,
		"!begin r\n" + started + finished + "!end stopped":                               conversation.RunFinished,
	} {
		c := conversation.New()
		apply(t, c, script)
		if got := c.Run().Status; got != want {
			t.Errorf("%q: %s, want %s", script, got, want)
		}
	}
}

// TestRunIDOfARunNobodyAskedFor: events before RUN_STARTED do not hide its id.
func TestRunIDOfARunNobodyAskedFor(t *testing.T) {
	c := conversation.New()
	c.Apply(&agui.StateSnapshot{Snapshot: json.RawMessage(`{}`)})
	c.Apply(&agui.RunStarted{ThreadID: "t", RunID: "r1"})
	c.Apply(&agui.RunFinished{ThreadID: "t", RunID: "r1"})
	if id := c.Run().ID; id != "r1" {
		t.Errorf("run id %q", id)
	}
	for _, n := range c.Notes() {
		if n.Rule == "1.3" {
			t.Errorf("note %+v", n)
		}
	}
}
