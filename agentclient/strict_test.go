package agentclient_test

import (
	"strings"
	"testing"

	"cairn/agentclient"
)

// TestStrict runs the same streams strictly and not.
func TestStrict(t *testing.T) {
	end := "data: {\"type\":\"TEXT_MESSAGE_END\",\"messageId\":\"n\"}\n\n"
	unnamed := "data: {\"type\":\"TEXT_MESSAGE_CHUNK\",\"delta\":\"x\"}\n\n"
	unknown := "data: {\"type\":\"NEWS\"}\n\n"
	tests := []struct {
		name, text string
		lenient    int // events without Strict
		strict     int // events with it
		rule       string
	}{
		{"valid", unknown + started + chunk + finished, 4, 4, ""},
		{"end without start", started + chunk + end + finished, 4, 2, "R10"},
		{"chunk without an id", started + unnamed + finished, 3, 1, "4.2"},
		{"at the terminal event", started + strings.Replace(end, "END", "START", 1) + finished, 3, 2, "R21"},
		{"a reasoning message by the assistant", started + frameOf(`{"type":"REASONING_MESSAGE_START","messageId":"q","role":"assistant"}`) + frameOf(`{"type":"REASONING_MESSAGE_END","messageId":"q"}`) + finished, 4, 1, "1.5"},
		{"a call without a name", started + frameOf(`{"type":"TOOL_CALL_START","toolCallId":"c","toolCallName":""}`) + frameOf(`{"type":"TOOL_CALL_END","toolCallId":"c"}`) + finished, 4, 1, "1.4"},
		{"a patch that is no list", started + frameOf(`{"type":"STATE_DELTA","delta":{"op":"add"}}`) + finished, 3, 1, "1.6"},
		{"an operation without a path", started + frameOf(`{"type":"STATE_DELTA","delta":[{"op":"add","value":1}]}`) + finished, 3, 1, "1.6"},
		{"the whole as a path", started + frameOf(`{"type":"STATE_DELTA","delta":[{"op":"add","path":"","value":1}]}`) + finished, 3, 3, ""},
		{"a pause for nothing", started + frameOf(`{"type":"RUN_FINISHED","threadId":"t","runId":"r","outcome":{"type":"interrupt","interrupts":[]}}`), 2, 1, "3.1"},
		{"a message that is none", started + frameOf(`{"type":"MESSAGES_SNAPSHOT","messages":[7,{"id":"u","role":"user","content":"x"}]}`) + finished, 3, 1, "2.2"},
		{"a message of an unknown role", started + frameOf(`{"type":"MESSAGES_SNAPSHOT","messages":[{"id":"u","role":"new","content":"x"}]}`) + finished, 3, 3, ""},
		{"at the first event", chunk + finished, 2, 0, "R3"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			types, failed := collect(t, t.Context(), serve(t, agentclient.Config{}, stream(tt.text)))
			if len(types) != tt.lenient || failed != nil {
				t.Errorf("lenient: %v, %v", types, failed)
			}
			types, failed = collect(t, t.Context(), serve(t, agentclient.Config{Strict: true}, stream(tt.text)))
			switch {
			case len(types) != tt.strict:
				t.Errorf("strict: %v", types)
			case tt.rule == "" && failed != nil:
				t.Error(failed)
			case tt.rule == "":
			case failed == nil:
				t.Error("strict: no error")
			case failed.Kind != agentclient.KindViolation || failed.Rule != tt.rule || failed.Frame != tt.strict+1 ||
				!strings.Contains(failed.Error(), "violation at frame") || !strings.Contains(failed.Error(), "rule "+tt.rule):
				t.Errorf("%#v %v", failed, failed)
			}
		})
	}
}

// frameOf is an event on the wire.
func frameOf(event string) string { return "data: " + event + "\n\n" }
