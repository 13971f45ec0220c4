package agui_test

import (
	"encoding/json"
	"strings"
	"testing"

	"cairn/agui"
)

// Written text is Unicode; other text is refused by name, never written as
// U+FFFD, which would lose both halves of a character without a word.
func TestEncodeWritesUnicodeOnly(t *testing.T) {
	raw := func(s string) json.RawMessage { return json.RawMessage(s) }
	half, bad := "a\xed\xa0\xbd", "a\xff"
	input := func(in agui.RunAgentInput) agui.Event { return &agui.RunStarted{Input: &in} }
	for _, tt := range []struct {
		ev   agui.Event
		want string
	}{
		{&agui.TextMessageContent{Delta: half}, "encode TEXT_MESSAGE_CONTENT: delta: holds half a character"},
		{&agui.TextMessageChunk{Delta: &half}, "encode TEXT_MESSAGE_CHUNK: delta: holds half a character"},
		{&agui.ToolCallArgs{Delta: bad}, "encode TOOL_CALL_ARGS: delta: is not UTF-8"},
		{&agui.TextMessageEnd{MessageID: half}, "encode TEXT_MESSAGE_END: messageId: holds half a character"},
		{&agui.RunError{Base: agui.Base{Metadata: map[string]json.RawMessage{bad: raw("1")}}}, "encode RUN_ERROR: metadata.a\uFFFD: is not UTF-8"},
		{&agui.RunError{Base: agui.Base{Metadata: map[string]json.RawMessage{"k": raw(`"` + bad + `"`)}}}, "encode RUN_ERROR: metadata.k: is not UTF-8"},
		{&agui.RunError{Base: agui.Base{RawEvent: raw("{")}}, "encode RUN_ERROR: rawEvent: is not JSON: unexpected end of JSON input"},
		{&agui.StateSnapshot{Snapshot: raw(`"` + half + `"`)}, "encode STATE_SNAPSHOT: snapshot: is not UTF-8"},
		{&agui.ToolCallResult{Content: agui.Content{Raw: raw(`"` + bad + `"`)}}, "encode TOOL_CALL_RESULT: content: is not UTF-8"},
		{&agui.MessagesSnapshot{Messages: []agui.Message{{ID: "1", Role: agui.RoleAssistant, ToolCalls: []agui.ToolCall{{Function: agui.Function{Arguments: bad}}}}}},
			"encode MESSAGES_SNAPSHOT: messages[0].toolCalls[0].function.arguments: is not UTF-8"},
		{input(agui.RunAgentInput{Messages: []agui.Message{{Role: agui.RoleAssistant, Name: bad}}}), "encode RUN_STARTED: input.messages[0].name: is not UTF-8"},
	} {
		if out, err := agui.Encode(tt.ev); err == nil || err.Error() != tt.want {
			t.Errorf("wrote %s, %v; want %s", out, err, tt.want)
		}
	}
	if _, err := (agui.RunAgentInput{RunID: bad}).MarshalJSON(); err == nil || err.Error() != "runId: is not UTF-8" {
		t.Error(err)
	}
	if _, err := agui.PartsContent(agui.ContentPart{Type: agui.PartText}, agui.ContentPart{Type: agui.PartText, Text: bad}); err == nil || err.Error() != "[1]: text: is not UTF-8" {
		t.Error(err)
	}
	// U+FFFD itself is a character like another, and JSON that was kept may escape what it likes.
	ev := &agui.Custom{Base: agui.Base{Metadata: map[string]json.RawMessage{"k": raw(`"\ufffd \ud83d"`)}}, Name: "\uFFFD", Value: raw(`"\ufffd"`)}
	want := `{"type":"CUSTOM","metadata":{"k":"\ufffd \ud83d"},"name":"` + "\uFFFD" + `","value":"\ufffd"}`
	if out, err := agui.Encode(ev); err != nil || string(out) != want {
		t.Errorf("wrote %s, %v; want %s", out, err, want)
	}
}

// An emoji cut between two deltas that were read is written whole once they are
// joined.
func TestDeltasAreJoinedBeforeTheyAreWritten(t *testing.T) {
	var text, held, out string
	for _, in := range []string{`\ud83d`, `\ude00!`} {
		ev, err := agui.Decode([]byte(`{"type":"TEXT_MESSAGE_CONTENT","messageId":"m","delta":"` + in + `"}`))
		if err != nil {
			t.Fatal(err)
		}
		e := ev.(*agui.TextMessageContent)
		if _, err := agui.Encode(e); err == nil {
			t.Errorf("wrote the half %q", e.Delta)
		}
		text, held = agui.JoinSurrogates(held, e.Delta)
		e.Delta = text
		raw, err := agui.Encode(e)
		if err != nil {
			t.Fatal(err)
		}
		out += string(raw)
	}
	if held != "" || !strings.Contains(out, `"delta":"😀!"`) {
		t.Errorf("wrote %s, held %q", out, held)
	}
}
