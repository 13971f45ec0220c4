package agui_test

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"cairn/agui"
)

// wire holds every event type with all its members, as it is written.
var wire = []string{
	`{"type":"RUN_STARTED","timestamp":1,"metadata":{"a":null},"rawEvent":{"b":null},"threadId":"t","runId":"r","parentRunId":"p","protocolVersion":"1.0","input":{"threadId":"t","runId":"r","protocolVersion":"1.0","parentRunId":"p","state":{"a":null},"messages":[{"id":"m","role":"user","content":"x"}],"tools":[{"name":"n","description":"d","parameters":{},"metadata":{"a":1}}],"context":[{"description":"d","value":"v"}],"forwardedProps":{"a":1},"resume":[{"interruptId":"i","status":"resolved","payload":{"ok":true},"metadata":{"a":1}},{"interruptId":"j","status":"cancelled"}]}}`,
	`{"type":"RUN_FINISHED","threadId":"t","runId":"r","result":[null],"outcome":{"type":"success","pendingToolCallIds":["c"]},"usage":[{"provider":"p","model":"m","inputTokens":1,"outputTokens":2,"totalTokens":3,"reasoningTokens":1,"cachedInputTokens":1,"cacheWriteInputTokens":1}]}`,
	`{"type":"RUN_FINISHED","threadId":"t","runId":"r","outcome":{"type":"interrupt","interrupts":[{"id":"i","reason":"confirmation","message":"m","toolCallId":"c","responseSchema":{},"expiresAt":"2026-01-01T00:00:00Z","metadata":{"a":1},"subagentRunId":"s"}]}}`,
	`{"type":"RUN_FINISHED","threadId":"t","runId":"r","outcome":{"type":"cancelled"}}`,
	`{"type":"RUN_ERROR","message":"m","code":"c","usage":[{"inputTokens":1}]}`,
	`{"type":"STEP_STARTED","subagentRunId":"s","stepName":"x"}`,
	`{"type":"STEP_FINISHED","stepName":""}`,
	`{"type":"TEXT_MESSAGE_START","messageId":"m","role":"developer","name":"n"}`,
	`{"type":"TEXT_MESSAGE_CONTENT","messageId":"","delta":""}`,
	`{"type":"TEXT_MESSAGE_END","messageId":"m"}`,
	`{"type":"TEXT_MESSAGE_CHUNK","messageId":"","role":"system","name":"n","delta":""}`,
	`{"type":"TEXT_MESSAGE_CHUNK"}`,
	`{"type":"TOOL_CALL_START","toolCallId":"c","toolCallName":"n","parentMessageId":"m"}`,
	`{"type":"TOOL_CALL_ARGS","toolCallId":"c","delta":"{"}`,
	`{"type":"TOOL_CALL_END","toolCallId":"c"}`,
	`{"type":"TOOL_CALL_CHUNK","toolCallId":"c","toolCallName":"n","parentMessageId":"m","delta":"{"}`,
	`{"type":"TOOL_CALL_RESULT","messageId":"m","toolCallId":"c","content":"x","role":"tool"}`,
	`{"type":"TOOL_CALL_RESULT","messageId":"m","toolCallId":"c","content":[{"type":"text","text":"x"},{"type":"image","id":"1","source":{"type":"file","value":"f","provider":"p"},"metadata":{"a":1}}]}`,
	`{"type":"STATE_SNAPSHOT","snapshot":null}`,
	`{"type":"STATE_DELTA","delta":[{"op":"add","path":"","value":null},{"op":"move","from":"/a~1b","path":"/c"},{"op":"remove","path":"/~0"},{"op":"test","path":"/x","value":1,"why":"extra"}]}`,
	`{"type":"MESSAGES_SNAPSHOT","messages":[{"id":"1","role":"developer","content":"x","name":"n","encryptedValue":"e"},{"id":"2","role":"system","content":"x"},{"id":"3","role":"user","content":[{"type":"document","source":{"type":"url","value":"u"}}],"metadata":{"a":1}},{"id":"4","role":"assistant","toolCalls":[{"id":"c","type":"function","function":{"name":"n","arguments":""},"encryptedValue":"e","metadata":{"a":1}}],"subagentRunId":"s"},{"id":"5","role":"tool","content":"x","toolCallId":"c","error":"e"},{"id":"6","role":"activity","content":{"a":1},"activityType":"plan"},{"id":"7","role":"reasoning","content":"","encryptedValue":"e"}]}`,
	`{"type":"MESSAGES_SNAPSHOT","messages":[]}`,
	`{"type":"ACTIVITY_SNAPSHOT","messageId":"m","activityType":"plan","content":{},"replace":false}`,
	`{"type":"ACTIVITY_DELTA","messageId":"m","activityType":"plan","patch":[]}`,
	`{"type":"REASONING_START","messageId":"m"}`,
	`{"type":"REASONING_END","messageId":"m"}`,
	`{"type":"REASONING_MESSAGE_START","messageId":"m","role":"reasoning"}`,
	`{"type":"REASONING_MESSAGE_CONTENT","messageId":"m","delta":"x"}`,
	`{"type":"REASONING_MESSAGE_END","messageId":"m"}`,
	`{"type":"REASONING_MESSAGE_CHUNK","messageId":"m","delta":"x"}`,
	`{"type":"REASONING_ENCRYPTED_VALUE","subtype":"tool-call","entityId":"c","encryptedValue":"e"}`,
	`{"type":"SUBAGENT_STARTED","subagentRunId":"s","name":"n","description":"d","parentSubagentRunId":"p","parentToolCallId":"c","parentMessageId":"m"}`,
	`{"type":"SUBAGENT_FINISHED","subagentRunId":"s","result":1,"outcome":{"type":"suspended","interruptIds":["i"]}}`,
	`{"type":"SUBAGENT_ERROR","subagentRunId":"s","message":"m","code":"c"}`,
	`{"type":"RAW","event":null,"source":"x"}`,
	`{"type":"CUSTOM","name":"n","value":null}`,
}

func TestEveryTypeReadsAndWritesAlike(t *testing.T) {
	seen := map[agui.EventType]bool{}
	for _, in := range wire {
		var d agui.Decoder
		ev, err := d.Decode([]byte(in))
		if err != nil || len(d.Diagnostics()) > 0 {
			t.Fatalf("%s: %v, %v", in, err, d.Diagnostics())
		}
		seen[ev.Head().Type] = true
		if out, err := agui.Encode(ev); err != nil || string(out) != in {
			t.Errorf("got  %s, %v\nwant %s", out, err, in)
		}
	}
	if len(seen) != 31 {
		t.Errorf("%d types", len(seen))
	}
}

func TestEncodeRefuses(t *testing.T) {
	raw := func(s string) json.RawMessage { return json.RawMessage(s) }
	finished := func(o agui.Outcome) agui.Event { return &agui.RunFinished{Outcome: &o} }
	snapshot := func(m agui.Message) agui.Event {
		return &agui.MessagesSnapshot{Messages: []agui.Message{{ID: "0", Role: agui.RoleAssistant}, m}}
	}
	delta := func(s string) agui.Event { return &agui.StateDelta{Delta: raw(s)} }
	robot, none := agui.Role("robot"), agui.Role("")
	object, text := agui.Content{Raw: raw(`{}`)}, agui.TextContent("x")
	ask := agui.Interrupt{ID: "i"}
	for _, tt := range []struct {
		ev   agui.Event
		want string
	}{
		{nil, "cannot encode"},
		{&agui.Unknown{}, "cannot encode"},
		{&agui.RunError{Base: agui.Base{Timestamp: 1 << 53}}, "timestamp"},
		{&agui.RunError{Base: agui.Base{Timestamp: -1 << 53}}, "timestamp"},
		{&agui.RunError{Base: agui.Base{RawEvent: raw("null")}}, "rawEvent"},
		{&agui.RunError{Base: agui.Base{RawEvent: raw("{")}}, "encode RUN_ERROR"},
		{&agui.RunStarted{Base: agui.Base{SubagentRunID: "s"}}, "subagentRunId"},
		{&agui.RunFinished{Base: agui.Base{SubagentRunID: "s"}}, "subagentRunId"},
		{&agui.RunError{Base: agui.Base{SubagentRunID: "s"}}, "subagentRunId"},
		{&agui.MessagesSnapshot{Base: agui.Base{SubagentRunID: "s"}}, "subagentRunId"},
		{&agui.SubagentStarted{Name: "x"}, "subagentRunId"},
		{&agui.SubagentFinished{}, "subagentRunId"},
		{&agui.SubagentError{}, "subagentRunId"},
		{&agui.RunStarted{Input: &agui.RunAgentInput{Messages: []agui.Message{{Role: robot}}}}, "messages[0].role"},
		{&agui.RunFinished{Result: raw("null")}, "result"},
		{finished(agui.Outcome{}), "outcome.type"},
		{finished(agui.Outcome{Type: "x"}), "outcome.type"},
		{finished(agui.Outcome{Type: agui.OutcomeInterrupt}), "outcome.interrupts"},
		{finished(agui.Outcome{Type: agui.OutcomeSuccess, Interrupts: []agui.Interrupt{ask}}), "outcome.interrupts"},
		{finished(agui.Outcome{Type: agui.OutcomeCancelled, PendingToolCallIDs: []string{"c"}}), "pendingToolCallIds"},
		{finished(agui.Outcome{Type: agui.OutcomeInterrupt, Interrupts: []agui.Interrupt{ask, {ResponseSchema: raw("true")}}}), "interrupts[1].responseSchema"},
		{&agui.RunFinished{Usage: []agui.TokenUsage{{}, {OutputTokens: -1}}}, "usage[1]"},
		{&agui.RunError{Usage: []agui.TokenUsage{{TotalTokens: 1 << 53}}}, "usage[0]"},
		{&agui.TextMessageStart{Role: agui.RoleTool}, "role"},
		{&agui.TextMessageChunk{Role: &robot}, "role"},
		{&agui.TextMessageChunk{Role: &none}, "role"},
		{&agui.ToolCallResult{}, "content: required"},
		{&agui.ToolCallResult{Content: object}, "content"},
		{&agui.ToolCallResult{Content: text, Role: agui.RoleUser}, "role"},
		{&agui.StateSnapshot{}, "snapshot"},
		{&agui.StateDelta{}, "delta"},
		{delta(`{}`), "delta"},
		{delta(`[7]`), "delta"},
		{delta(`[{"op":"remove","path":"/a"},{"op":"add","path":"/a"}]`), "delta[1].value"},
		{delta(`[{"op":"replace","path":"/a"}]`), "delta[0].value"},
		{delta(`[{"op":"test","path":"/a"}]`), "delta[0].value"},
		{delta(`[{"op":"move","path":"/a"}]`), "delta[0].from"},
		{delta(`[{"op":"copy","path":"/a","from":"b"}]`), "delta[0].from"},
		{delta(`[{"op":"remove"}]`), "delta[0].path"},
		{delta(`[{"op":"remove","path":"a"}]`), "delta[0].path"},
		{delta(`[{"op":"remove","path":"/~2"}]`), "delta[0].path"},
		{delta(`[{"op":"remove","path":"/a~"}]`), "delta[0].path"},
		{delta(`[{"op":"merge","path":"/a"}]`), "delta[0].op"},
		{&agui.ActivitySnapshot{}, "content: required"},
		{&agui.ActivitySnapshot{Content: raw(`[]`)}, "content: must be an object"},
		{&agui.ActivityDelta{Patch: raw(`{}`)}, "patch"},
		{&agui.ReasoningMessageStart{Role: agui.RoleAssistant}, "role"},
		{&agui.ReasoningEncryptedValue{Subtype: "x"}, "subtype"},
		{&agui.SubagentFinished{Base: agui.Base{SubagentRunID: "s"}, Result: raw("null")}, "result"},
		{&agui.SubagentFinished{Base: agui.Base{SubagentRunID: "s"}, Outcome: &agui.SubagentOutcome{Type: "x"}}, "outcome.type"},
		{&agui.SubagentFinished{Base: agui.Base{SubagentRunID: "s"}, Outcome: &agui.SubagentOutcome{Type: "success", InterruptIDs: []string{"i"}}}, "outcome.interruptIds"},
		{&agui.Raw{}, "event"},
		{&agui.Custom{Name: "x"}, "value"},
		{snapshot(agui.Message{}), "messages[1].role"},
		{snapshot(agui.Message{Role: agui.RoleUser}), "messages[1].content"},
		{snapshot(agui.Message{Role: agui.RoleUser, Content: object}), "messages[1].content"},
		{snapshot(agui.Message{Role: agui.RoleSystem}), "messages[1].content"},
		{snapshot(agui.Message{Role: agui.RoleReasoning}), "messages[1].content"},
		{snapshot(agui.Message{Role: agui.RoleAssistant, Content: object}), "messages[1].content"},
		{snapshot(agui.Message{Role: agui.RoleAssistant, ToolCalls: []agui.ToolCall{{Type: "code"}}}), "messages[1].toolCalls[0].type"},
		{snapshot(agui.Message{Role: agui.RoleTool, Content: text}), "messages[1].toolCallId"},
		{snapshot(agui.Message{Role: agui.RoleActivity, Content: object}), "messages[1].activityType"},
		{snapshot(agui.Message{Role: agui.RoleActivity, Content: text, ActivityType: "x"}), "messages[1].content"},
	} {
		if out, err := agui.Encode(tt.ev); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%#v: wrote %s, %v; want an error about %s", tt.ev, out, err, tt.want)
		}
	}
}

// Requests are written as 1.0 whatever they were read from.
func TestInputIsWrittenStrictly(t *testing.T) {
	in := agui.RunAgentInput{ThreadID: "t", RunID: "r", State: json.RawMessage("null"), ForwardedProps: json.RawMessage("null"),
		Messages: []agui.Message{
			{ID: "1", Role: agui.RoleActivity, ActivityType: "plan", Content: agui.Content{Raw: json.RawMessage("{}")}},
			{ID: "2", Role: agui.RoleUser, Content: agui.Content{Raw: json.RawMessage(`[{"type":"binary","mimeType":"image/png","data":"x"},{"type":"new"},{"type":"text","text":"<b>","more":1,"metadata":null}]`)}, ToolCallID: "c"},
			{ID: "3", Role: agui.RoleAssistant, Content: agui.Content{Raw: json.RawMessage(`[{"type":"text","text":"a"},{"type":"text","text":"b"}]`)}, ToolCalls: []agui.ToolCall{{ID: "c"}}, Error: "e"},
			{ID: "4", Role: agui.RoleTool, Content: agui.TextContent("x"), ToolCallID: "c", Name: "n"},
		},
		Tools:  []agui.Tool{{Name: "n", Parameters: json.RawMessage("null")}},
		Resume: []agui.ResumeEntry{{InterruptID: "i", Status: agui.ResumeResolved, Payload: json.RawMessage("null")}},
	}
	var before bytes.Buffer
	_ = json.NewEncoder(&before).Encode([]any{in.Tools, in.Resume, len(in.Messages)})
	out, err := json.Marshal(in)
	want := `{"threadId":"t","runId":"r","messages":[{"id":"2","role":"user","content":[{"type":"image","source":{"type":"data","value":"x","mimeType":"image/png"}},{"type":"text","text":"\u003cb\u003e"}]},` +
		`{"id":"3","role":"assistant","content":"ab","toolCalls":[{"id":"c","type":"function","function":{"name":"","arguments":""}}]},` +
		`{"id":"4","role":"tool","content":"x","toolCallId":"c"}],"tools":[{"name":"n","description":""}],"context":[],"forwardedProps":{},"resume":[{"interruptId":"i","status":"resolved"}]}`
	if err != nil || string(out) != want {
		t.Errorf("got  %s, %v\nwant %s", out, err, want)
	}
	var after bytes.Buffer
	_ = json.NewEncoder(&after).Encode([]any{in.Tools, in.Resume, len(in.Messages)})
	if before.String() != after.String() || in.Messages[2].ToolCalls[0].Type != "" {
		t.Error("writing changed the input")
	}
	for want, bad := range map[string]agui.RunAgentInput{
		"messages[0].content": {Messages: []agui.Message{{Role: agui.RoleUser}}},
		"messages[0].role":    {Messages: []agui.Message{{Role: "robot"}}},
		"resume[0].status":    {Resume: []agui.ResumeEntry{{InterruptID: "i"}}},
	} {
		if out, err := json.Marshal(bad); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s, %v; want an error about %s", out, err, want)
		}
	}
}

// An event that can be written reads back as the same event, and is written alike again.
func FuzzRoundTrip(f *testing.F) {
	for _, in := range wire {
		f.Add([]byte(in))
	}
	f.Add([]byte(`{"type":"MESSAGES_SNAPSHOT","messages":[{"id":"1","role":"user","content":[{"type":"binary","mimeType":"a","url":"b"}]}]}`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		ev, err := agui.Decode(raw)
		if err != nil {
			return
		}
		out, err := agui.Encode(ev)
		if err != nil {
			return
		}
		var d agui.Decoder
		back, err := d.Decode(out)
		if err != nil || len(d.Diagnostics()) > 0 {
			t.Fatalf("wrote %s: %v, %v", out, err, d.Diagnostics())
		}
		again, err := agui.Encode(back)
		if err != nil || !bytes.Equal(again, out) {
			t.Fatalf("wrote %s, then %s, %v", out, again, err)
		}
		if bytes.ContainsAny(out, "\r\n") || reflect.TypeOf(back) != reflect.TypeOf(ev) {
			t.Fatalf("wrote %q", out)
		}
	})
}
