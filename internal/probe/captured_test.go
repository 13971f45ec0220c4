package probe

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
)

// TestCapturedRuntimes judges recordings put together from what real runtimes
// sent: where their captures show a gap, the matrix shows it.
func TestCapturedRuntimes(t *testing.T) {
	for _, tc := range []struct {
		runtime, done string
		steps         map[string]string // capture by surface/step
		want          map[string]string // status and cause by surface
	}{
		{
			runtime: "mastra", done: `TP-0\d+88`,
			steps: map[string]string{
				"messages/prompt 1": "01-plain-chat", "messages/prompt 2": "02-plain-chat-turn2-history-resent",
				"tools/call":     "03-tool-call",
				"state/prompt 1": "05-packing-list-create", "state/prompt 2": "06-packing-list-add-lantern",
				"interrupts/ask": "10-interrupt", "interrupts/approve": "11-resume-approve",
				"interrupts/repeated answer":     "12-resume-already-resumed",
				"interrupts/ask, to decline":     "14-interrupt-for-decline",
				"interrupts/decline":             "15-resume-decline-approved-false",
				"interrupts/wrong id":            "24-resume-wrong-toolCallId",
				"interrupts/ask, then no answer": "10-interrupt", "interrupts/ask, then a message": "10-interrupt",
				"interrupts/approve after wrong id": "25-resume-right-toolCallId-after-wrong",
				"subagents/delegate":                "73-subagent-delegation",
				"errors/model error":                "89-model-http400", "errors/next message": "94-chat-after-model-failure-same-thread",
			},
			want: map[string]string{
				SurfaceMessages: "supported none", SurfaceTools: "supported none", SurfaceState: "supported none",
				SurfaceInterrupts: "supported none", SurfaceSubagents: "supported none", SurfaceErrors: "supported none",
				SurfaceAbort: "not probed none",
			},
		},
		{
			runtime: "mastra", done: `TP-0\d+88`,
			steps: map[string]string{
				"tools/call": "84-tool-throws", "state/prompt 1": "152-packing-list-args-one-delta",
				"subagents/delegate": "75-subagent-delegation-bridge-only-no-injector",
				"interrupts/ask":     "01-plain-chat", "errors/model error": "01-plain-chat",
			},
			want: map[string]string{
				SurfaceTools: "partial upstream bridge", SurfaceState: "partial upstream bridge",
				SurfaceSubagents: "absent upstream bridge", SurfaceInterrupts: "absent upstream bridge",
				SurfaceErrors: "absent upstream bridge",
			},
		},
		{
			runtime: "strands", done: `"booked":true`,
			steps: map[string]string{
				"messages/prompt 1": "01-plain-chat", "state/prompt 1": "05-state-schedule-to-interrupt",
				"interrupts/ask": "06-interrupt", "interrupts/approve": "07-resume-approve",
				"interrupts/ask, to decline": "09-interrupt", "interrupts/decline": "10-resume-decline-resolved-false",
				"interrupts/ask, then a message": "16-interrupt", "interrupts/plain message": "19-missing-resume-new-message",
				"interrupts/approve after plain message": "20-resume-after-missing",
				"errors/model error":                     "52-model-failure-500",
			},
			want: map[string]string{
				SurfaceState: "partial upstream bridge", SurfaceInterrupts: "partial upstream bridge", SurfaceErrors: "supported none",
			},
		},
		{
			runtime: "langgraph",
			steps: map[string]string{
				"messages/prompt 1": "01-plain-chat", "interrupts/ask": "07-interrupt-default",
				"subagents/delegate": "44-subagent-default", "errors/model error": "50-model-failure-midstream",
			},
			want: map[string]string{
				SurfaceMessages: "supported none", SurfaceSubagents: "absent upstream bridge", SurfaceErrors: "partial upstream bridge",
			},
		},
	} {
		rec := everything(t)
		rec.Scenario.Interrupts.Done = tc.done
		for _, s := range Plan(rec.Scenario, true) {
			if name, ok := tc.steps[s.Surface+"/"+s.Name]; ok {
				rec.Exchanges = append(rec.Exchanges, capture(t, tc.runtime, name, s))
			}
		}
		m := Evaluate(rec)
		for surface, want := range tc.want {
			s := statusOf(t, m, surface)
			if got := string(s.Status) + " " + string(s.Cause); got != want {
				t.Errorf("%s %s: %s, want %s: %s %+v", tc.runtime, surface, got, want, s.Detail, s.Facts)
			}
		}
	}
}

// capture is a committed transcript as the exchange of a step.
func capture(t *testing.T, runtime, name string, s Step) Exchange {
	t.Helper()
	base := filepath.Join("..", "..", "agentclient", "testdata", "transcripts", runtime, name)
	body, err := os.ReadFile(base + ".sse")
	if err != nil {
		t.Fatal(err)
	}
	raw, err := os.ReadFile(base + ".request.json")
	if err != nil {
		t.Fatal(err)
	}
	var req requestFile
	if err := json.Unmarshal(raw, &req); err != nil {
		t.Fatal(err)
	}
	return Exchange{Step: s, File: s.file(), Status: 200, ContentType: "text/event-stream", Request: req.Body, Body: body}
}
