package agui

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"unicode/utf8"
)

// TestMalformedState: a frame that is no event leaves the state in doubt when it was about
// the state, or may have been, and not otherwise.
func TestMalformedState(t *testing.T) {
	for _, c := range []struct {
		raw   string
		state bool
	}{
		{`{"type":"STATE_SNAPSHOT","snapshot":{"a":}}`, true},
		{`{"type": "STATE_DELTA","delta":[}`, true},
		{`{"type":"STATE_DELTA","delta":[],"subagentRunId":7}`, true},
		{`{"snapshot":{"a":[1,2,},"type":"STATE_SNAPSHOT"}`, true},
		{`{"snapshot":{"a":"` + strings.Repeat("x", 5000) + `"},,"type":"STATE_SNAPSHOT"}`, true},
		{`{"ty` + "\x00" + `pe":"STATE_SNAPSHOT","snapshot":1}`, true},
		{`{"delta":[{"op":"remove","path":"/a"}]}`, true},
		{`{"snapshot":{}}`, true},
		{`{"snapshot":{"type":"RAW","a":},"type":"STATE_SNAPSHOT"}`, true},
		{`{"type":"TEXT_MESSAGE_CONTENT","messageId":7,"delta":"STATE_SNAPSHOT"}`, false},
		{`{"type":"TEXT_MESSAGE_CONTENT","messageId":"m","delta":"STATE_DELTA}`, false},
		{`{"type":"MESSAGES_SNAPSHOT","messages":{}}`, false},
		{`{"data":{"type":"x"},"type":"TOOL_CALL_ARGS","delta":}`, false},
		{`[DONE]`, false}, {`{}`, false}, {``, false}, {`"STATE_DELTA"`, false}, {`oops STATE_DELTA`, false}, {`null`, false},
		{`{"detail":"not found"}`, false},
	} {
		_, err := Decode([]byte(c.raw))
		if err == nil {
			t.Errorf("%.80s is an event", c.raw)
		}
		m := NewMalformed([]byte(c.raw), err)
		again := ReadMalformed(m.Store(1<<10), errors.New("another reason"))
		if m.MayChangeState() != c.state || again.MayChangeState() != c.state {
			t.Errorf("%.80s: %v, and %v after it was stored", c.raw, m.MayChangeState(), again.MayChangeState())
		}
	}
}

// FuzzMalformed: what is stored of a frame that is no event is JSON, bounded, no event, and
// reads as what it was.
func FuzzMalformed(f *testing.F) {
	for _, in := range append([]string{`{"type":"RUN_FINISHED","threadId":"t","runId":"r"}` + strings.Repeat(" ", 2000) + "x", "\xff\xfe", `{"malformed":"x","why":"y"}`,
		`{"type":"CUSTOM","name":"n","value":"` + strings.Repeat("\u20ac", 400) + `"`, "oops", "[DONE]", ""}, oddEvents...) {
		f.Add([]byte(in))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		var d Decoder
		ev, err := d.Decode(raw)
		if err == nil {
			same(t, raw, ev)
			return
		}
		const most = 1 << 10
		m := NewMalformed(raw, err)
		stored := m.Store(most)
		if !json.Valid(stored) || len(stored) > 8*most {
			t.Fatalf("%d bytes: %s", len(stored), stored)
		}
		_, again := Decode(stored)
		if again == nil {
			t.Fatalf("%q is an event once it is stored", raw)
		}
		read := ReadMalformed(stored, again)
		if len(raw) > 0 && (read.Err.Error() != strings.ToValidUTF8(err.Error(), "\uFFFD") || read.Type != m.Type) || read.MayChangeState() != m.MayChangeState() {
			t.Fatalf("%q: %v %s, once stored %v %s", raw, err, m.Type, read.Err, read.Type)
		}
		if len(raw) <= most && utf8.Valid(raw) && len(raw) > 0 && string(read.Raw) != string(raw) {
			t.Fatalf("%q became %q", raw, read.Raw)
		}
	})
}

// same checks that an event is as it was when nothing is left out, and stays one of its type
// when all else is.
func same(t *testing.T, raw []byte, ev Event) {
	if got := LeaveOut(raw, func(string, int) bool { return false }); string(got) != string(raw) {
		t.Fatalf("%q became %q", raw, got)
	}
	got := LeaveOut(raw, func(name string, _ int) bool { return name == "rawEvent" })
	again, err := Decode(got)
	if err != nil || again.Head().Type != ev.Head().Type && !strings.HasPrefix(string(again.Head().Type), "THINKING") {
		t.Fatalf("%q: %v", got, err)
	}
}
