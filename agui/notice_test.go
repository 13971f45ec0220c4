package agui

import (
	"encoding/json"
	"testing"
)

func TestNotice(t *testing.T) {
	for _, c := range []struct{ name, value, want, call, run string }{
		{"an object", `{"toolCallId":"c","runId":"r","q":1}`, `{"toolCallId":"c","runId":"r","q":1}`, "c", "r"},
		{"JSON in text", `"{\"toolCallId\":\"c\"}"`, `{"toolCallId":"c"}`, "c", ""},
		{"JSON in text in text", `"\"{\\\"toolCallId\\\":\\\"c\\\"}\""`, `"{\"toolCallId\":\"c\"}"`, "", ""},
		{"words", `"What is your name?"`, `"What is your name?"`, "", ""},
		{"a list", `[{"toolCallId":"c"}]`, `[{"toolCallId":"c"}]`, "", ""},
		{"names are exact", `{"ToolCallID":"c","RUNID":"r"}`, `{"ToolCallID":"c","RUNID":"r"}`, "", ""},
		{"ids that are no text", `{"toolCallId":7,"runId":null}`, `{"toolCallId":7,"runId":null}`, "", ""},
		{"null", `null`, `null`, "", ""},
		{"nothing", ``, `null`, "", ""},
	} {
		n, ok := (&Custom{Name: "on_interrupt", Value: json.RawMessage(c.value)}).Notice()
		if !ok || string(n.Value) != c.want || n.ToolCallID != c.call || n.RunID != c.run {
			t.Errorf("%s: %s, call %q, run %q, %v", c.name, n.Value, n.ToolCallID, n.RunID, ok)
		}
	}
	for _, name := range []string{"", "On_Interrupt", "usage"} {
		if _, ok := (&Custom{Name: name, Value: json.RawMessage(`{}`)}).Notice(); ok {
			t.Errorf("%q asks something", name)
		}
	}
}
