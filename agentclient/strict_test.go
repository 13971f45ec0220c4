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
		{"a reasoning message by the assistant", started + frameOf(`{"type":"REASONING_MESSAGE_START","messageId":"q","role":"assistant"}`) + frameOf(`{"type":"REASONING_MESSAGE_END","messageId":"q"}`) + finished, 4, 1, "1.7"},
		{"a call without a name", started + frameOf(`{"type":"TOOL_CALL_START","toolCallId":"c","toolCallName":""}`) + frameOf(`{"type":"TOOL_CALL_END","toolCallId":"c"}`) + finished, 4, 1, "1.5"},
		{"a patch that is no list", started + frameOf(`{"type":"STATE_DELTA","delta":{"op":"add"}}`) + finished, 3, 1, "1.6"},
		{"an operation without a path", started + frameOf(`{"type":"STATE_DELTA","delta":[{"op":"add","value":1}]}`) + finished, 3, 1, "1.6"},
		{"a patch that is null", started + frameOf(`{"type":"STATE_DELTA","delta":null}`) + finished, 3, 1, "1.6"},
		{"no patch", started + frameOf(`{"type":"STATE_DELTA"}`) + finished, 3, 1, "1.1"},
		{"an operation that is null", started + frameOf(`{"type":"STATE_DELTA","delta":[null]}`) + finished, 3, 1, "1.6"},
		{"a path by another name", started + frameOf(`{"type":"STATE_DELTA","delta":[{"op":"remove","Path":"/a"}]}`) + finished, 3, 1, "1.6"},
		{"a path without a slash", started + frameOf(`{"type":"STATE_DELTA","delta":[{"op":"remove","path":"a"}]}`) + finished, 3, 1, "1.6"},
		{"a path that escapes nothing", started + frameOf(`{"type":"STATE_DELTA","delta":[{"op":"remove","path":"/~2"}]}`) + finished, 3, 1, "1.6"},
		{"an operation without a value", started + frameOf(`{"type":"STATE_DELTA","delta":[{"op":"add","path":"/a"}]}`) + finished, 3, 1, "1.6"},
		{"a move from nowhere", started + frameOf(`{"type":"STATE_DELTA","delta":[{"op":"move","path":"/a"}]}`) + finished, 3, 1, "1.6"},
		{"an operation of an unknown kind", started + frameOf(`{"type":"STATE_DELTA","delta":[{"op":"grow","path":"/a"}]}`) + finished, 3, 3, ""},
		{"an activity's patch that is no list", started + frameOf(`{"type":"ACTIVITY_DELTA","messageId":"a","activityType":"x","patch":{}}`) + finished, 3, 1, "1.6"},
		{"an activity's operation without a path", started + frameOf(`{"type":"ACTIVITY_DELTA","messageId":"a","activityType":"x","patch":[{"op":"remove"}]}`) + finished, 3, 1, "1.6"},
		{"the whole as a path", started + frameOf(`{"type":"STATE_DELTA","delta":[{"op":"add","path":"","value":1}]}`) + finished, 3, 3, ""},
		{"a reasoning message by nobody", started + frameOf(`{"type":"REASONING_MESSAGE_START","messageId":"q"}`) + frameOf(`{"type":"REASONING_MESSAGE_END","messageId":"q"}`) + finished, 4, 1, "1.1"},
		{"a subagent's reasoning by the assistant", started + frameOf(`{"type":"REASONING_MESSAGE_START","messageId":"q","role":"assistant","subagentRunId":"s"}`) + frameOf(`{"type":"REASONING_MESSAGE_END","messageId":"q"}`) + finished, 4, 1, "1.7"},
		{"a message by a tool", started + frameOf(`{"type":"TEXT_MESSAGE_START","messageId":"q","role":"tool"}`) + frameOf(`{"type":"TEXT_MESSAGE_END","messageId":"q"}`) + finished, 4, 1, "1.4"},
		{"a chunk by a tool", started + frameOf(`{"type":"TEXT_MESSAGE_CHUNK","messageId":"q","role":"tool","delta":"x"}`) + finished, 3, 1, "1.4"},
		{"a call that is not named at all", started + frameOf(`{"type":"TOOL_CALL_START","toolCallId":"c"}`) + frameOf(`{"type":"TOOL_CALL_END","toolCallId":"c"}`) + finished, 4, 1, "1.1"},
		{"a chunk of a call without a name", started + frameOf(`{"type":"TOOL_CALL_CHUNK","toolCallId":"c","delta":"{}"}`) + finished, 3, 1, "4.2"},
		{"a chunk of a call with an empty name", started + frameOf(`{"type":"TOOL_CALL_CHUNK","toolCallId":"c","toolCallName":"","delta":"{}"}`) + finished, 3, 1, "1.5"},
		{"an interrupt without a reason", started + frameOf(`{"type":"RUN_FINISHED","threadId":"t","runId":"r","outcome":{"type":"interrupt","interrupts":[{"id":"i"}]}}`), 2, 1, "1.1"},
		{"an interrupt without an id", started + frameOf(`{"type":"RUN_FINISHED","threadId":"t","runId":"r","outcome":{"type":"interrupt","interrupts":[{"reason":"x"}]}}`), 2, 1, "1.1"},
		{"an error after the end", started + finished + failed, 3, 3, ""},
		{"two ends", started + finished + finished, 3, 2, "R2"},
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
