package agui

import (
	"strings"
	"testing"
)

// TestLeaveOut: only what is chosen is left out, at the top only, however it is written.
func TestLeaveOut(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{`{"type":"RAW","rawEvent":{"x":[1,2]},"source":"s"}`, `{"type":"RAW","rawEvent":{"leftOut":11},"source":"s"}`},
		{"{ \"rawEvent\" : \"\\\"}\" , \"a\":1}", "{ \"rawEvent\" : {\"leftOut\":5} , \"a\":1}"},
		{`{"rawEvent":1234,"a":{"rawEvent":1234},"rawEvent":[]}`, `{"rawEvent":{"leftOut":4},"a":{"rawEvent":1234},"rawEvent":{"leftOut":2}}`},
		{`{"raw\u0045vent":[null]}`, `{"raw\u0045vent":{"leftOut":6}}`},
		{`{"RawEvent":1}`, `{"RawEvent":1}`},
		{`{"rawEvent":{"score":NaN},"a":-Infinity}`, `{"rawEvent":{"leftOut":14},"a":null}`},
		{`{"a":NaN}`, `{"a":NaN}`},
		{`{}`, `{}`}, {`[1]`, `[1]`}, {`{"rawEvent":`, `{"rawEvent":`}, {``, ``},
	} {
		if got := string(LeaveOut([]byte(c.in), func(name string, _ int) bool { return name == "rawEvent" })); got != c.want {
			t.Errorf("%s: %s, want %s", c.in, got, c.want)
		}
	}
	// One pass, however many members are left out.
	many := []byte(`{"a":` + strings.Repeat(`"`+strings.Repeat("x", 30)+`","a":`, 100_000) + `0}`)
	if got := LeaveOut(many, func(string, int) bool { return true }); len(got) > len(many) {
		t.Errorf("%d bytes of %d", len(got), len(many))
	}
}

// TestNotedNulls: metadata that is null and statuses that answer nothing are noted, where
// they are the protocol's.
func TestNotedNulls(t *testing.T) {
	for _, c := range []struct{ in, noted string }{
		{`{"type":"TEXT_MESSAGE_END","messageId":"m","metadata":null}`, "metadata: null; read as absent"},
		{`{"type":"TEXT_MESSAGE_END","messageId":"m", "metadata" :  null}`, "metadata: null; read as absent"},
		{`{"type":"RUN_FINISHED","threadId":"t","runId":"r","outcome":{"type":"interrupt","interrupts":[{"id":"i","reason":"x","metadata":null}]}}`, "outcome.interrupts[0].metadata: null; read as absent"},
		{`{"type":"MESSAGES_SNAPSHOT","messages":[{"id":"m","role":"user","content":"x","metadata":null}]}`, "messages[0].metadata: null; read as absent"},
		{`{"type":"RUN_STARTED","threadId":"t","runId":"r","input":{"threadId":"t","runId":"r","messages":[],"resume":[{"interruptId":"i","status":"done"}]}}`, `input.resume[0].status: unknown status "done"; kept`},
		{`{"type":"CUSTOM","name":"n","value":{"metadata":null}}`, ""},
		{`{"type":"RAW","event":{"metadata": null}}`, ""},
		{`{"type":"TEXT_MESSAGE_CONTENT","messageId":"m","delta":"\"metadata\":null"}`, ""},
		{`{"type":"STATE_SNAPSHOT","snapshot":null}`, ""},
	} {
		var d Decoder
		if _, err := d.Decode([]byte(c.in)); err != nil {
			t.Errorf("%s: %v", c.in, err)
		}
		got := ""
		for _, found := range d.Diagnostics() {
			got += found.String()
		}
		if got != c.noted {
			t.Errorf("%s: %q, want %q", c.in, got, c.noted)
		}
	}
}
