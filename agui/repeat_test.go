package agui

import (
	"fmt"
	"reflect"
	"testing"
)

// TestRepeatedEvents reads pairs of events with one decoder: the second is what it is
// alone, whatever the first was.
func TestRepeatedEvents(t *testing.T) {
	text := func(members, delta string) string {
		return `{"type":"TEXT_MESSAGE_CONTENT","messageId":"m",` + members + `"delta":` + delta + `}`
	}
	all := []string{
		text("", `"a"`), text("", `"words, and more"`), text("", `"é 🏕"`), text("", `""`), text("", `"a\"b"`), text("", `"a\\"`), text("", `"\u00e9"`),
		text("", `"a","delta":"b"`), text("", `"a","x":"b"`), text("", `"a" `), text("", `null`), text("", "\"a\x01\""), text("", "\"\xff\""),
		text(`"subagentRunId":"s",`, `"a"`), text(`"timestamp":1,`, `"a"`), text(`"metadata":{},`, `"a"`), text(`"unknown":1,`, `"a"`),
		`{"type":"TEXT_MESSAGE_CONTENT","delta":"a","messageId":"m"}`, `{"type":"TEXT_MESSAGE_CONTENT","messageId":"n","delta":"a"}`,
		`{"type":"TOOL_CALL_ARGS","toolCallId":"c","delta":"{\"a\":"}`, `{"type":"TOOL_CALL_ARGS","toolCallId":"c","delta":"12"}`,
		`{"type":"REASONING_MESSAGE_CONTENT","messageId":"m","delta":"hm"}`, `{"type":"TEXT_MESSAGE_END","messageId":"m"}`, `{"type":"STATE_DELTA","delta":[]}`, `no event`,
	}
	for _, first := range all {
		for _, second := range all {
			alone := Decoder{Owns: true}
			want, wantErr := alone.Decode([]byte(second))
			both := Decoder{Owns: true}
			before, _ := both.Decode([]byte(first))
			kept := reflect.ValueOf(before)
			got, err := both.Decode([]byte(second))
			if (err == nil) != (wantErr == nil) || !reflect.DeepEqual(got, want) || fmt.Sprint(both.Diagnostics()) != fmt.Sprint(alone.Diagnostics()) {
				t.Fatalf("after %s\n%s\nis   %+v %v %v\nwant %+v %v %v", first, second, got, err, both.Diagnostics(), want, wantErr, alone.Diagnostics())
			}
			if before != nil && !kept.Equal(reflect.ValueOf(before)) {
				t.Fatalf("%s changed", first)
			}
		}
	}
}
