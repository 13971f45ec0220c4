package runner

import (
	"encoding/json"
	"strings"
	"testing"

	"cairn/agentclient"
	"cairn/agui"
)

// TestRawIsStoredBounded: raw bodies that are over the budget are left out of what is stored,
// with their size, and everything else is as it came.
func TestRawIsStoredBounded(t *testing.T) {
	large, small := `{"x":"`+strings.Repeat("y", 4000)+`"}`, `{"x":"`+strings.Repeat("y", 500)+`"}`
	received := func(raw string) agentclient.Received {
		ev, err := agui.Decode([]byte(raw))
		if err != nil {
			ev = &agui.Malformed{Raw: json.RawMessage(raw), Err: err}
		}
		return agentclient.Received{Event: ev, Raw: json.RawMessage(raw)}
	}
	for _, c := range []struct{ in, want string }{
		{`{"type":"RAW","event":` + large + `,"source":"s"}`, `{"type":"RAW","event":{"leftOut":4008},"source":"s"}`},
		{`{"type":"RAW","event":` + small + `}`, `{"type":"RAW","event":` + small + `}`},
		{`{"type":"TEXT_MESSAGE_CONTENT","messageId":"m","delta":"rawEvent","rawEvent" : ` + large + ` }`, `{"type":"TEXT_MESSAGE_CONTENT","messageId":"m","delta":"rawEvent","rawEvent" : {"leftOut":4008} }`},
		{`{"type":"STATE_SNAPSHOT","snapshot":{"rawEvent":` + large + `}}`, `{"type":"STATE_SNAPSHOT","snapshot":{"rawEvent":` + large + `}}`},
		{`{"type":"CUSTOM","name":"n","value":` + large + `}`, `{"type":"CUSTOM","name":"n","value":` + large + `}`},
		{`{"type":"RAW","event":{"x":NaN,"y":` + large + `}}`, `{"type":"RAW","event":{"leftOut":4023}}`},
		{`{"type":"STATE_SNAPSHOT","snapshot":NaN,"rawEvent":` + large + `}`, `{"type":"STATE_SNAPSHOT","snapshot":null,"rawEvent":{"leftOut":4008}}`},
		{`{"type":"RAW","event":1,"rawEvent":` + large + `}`, `{"type":"RAW","event":1,"rawEvent":{"leftOut":4008}}`},
		{`{"type":"STEP_STARTED","stepName":"s","rawEvent":` + large + `,"rawEvent":1}`, `{"type":"STEP_STARTED","stepName":"s","rawEvent":{"leftOut":4008},"rawEvent":1}`},
		{`{"type":"STEP_STARTED","stepName":"s","rawEvent":` + large + `,"raw\u0045vent":null}`, `{"type":"STEP_STARTED","stepName":"s","rawEvent":{"leftOut":4008},"raw\u0045vent":null}`},
		{`{"type":"TOOL_CALL_CHUNK","toolCallId":"c","delta":"{}","rawEvent":` + large + `}`, `{"type":"TOOL_CALL_CHUNK","toolCallId":"c","delta":"{}","rawEvent":{"leftOut":4008}}`},
		{`{"type":"THINKING_START","rawEvent":` + large + `}`, `{"type":"THINKING_START","rawEvent":{"leftOut":4008}}`},
		{`{"type":"NEWS","rawEvent":` + large + `,"words":` + large + `,"n":1}`, `{"type":"NEWS","rawEvent":{"leftOut":4008},"words":{"leftOut":4008},"n":1}`},
		{`{"type":"MESSAGES_SNAPSHOT","messages":[{"id":"m","role":"user","content":"` + strings.Repeat("y", 4000) + `"}]}`, `{"type":"MESSAGES_SNAPSHOT","messages":[{"id":"m","role":"user","content":"` + strings.Repeat("y", 4000) + `"}]}`},
	} {
		if got := string(new(rawBudget).stored(received(c.in))); got != c.want {
			t.Errorf("stored %s, want %s", got, c.want)
		}
	}
	for _, bad := range []string{strings.Repeat("oops", 1000), `{"type":"RUN_FINISHED","threadId":"t","runId":"r"}` + strings.Repeat(" ", 2000) + "x"} {
		got := new(rawBudget).stored(received(bad))
		if _, err := agui.Decode(got); err == nil || !json.Valid(got) || len(got) > maxRaw+200 || !strings.Contains(string(got), `"leftOut":`) {
			t.Errorf("%s is stored of a frame that is no event", got)
		}
	}
	b, all := new(rawBudget), 0
	const events = 10_000
	for range events {
		got := b.stored(received(`{"type":"TEXT_MESSAGE_CONTENT","messageId":"m","delta":"w","rawEvent":` + small + `}`))
		if ev, err := agui.Decode(got); err != nil || ev.(*agui.TextMessageContent).Delta != "w" {
			t.Fatalf("%s: %v", got, err)
		}
		all += len(got)
	}
	if all > maxRunRaws*2+events*100 {
		t.Errorf("%d bytes of %d events", all, events)
	}
	b, all = new(rawBudget), 0
	for range 1000 {
		all += len(b.stored(received(strings.Repeat("oops", 1000))))
	}
	if all > maxRunRaws*2+1000*(smallRaw+200) {
		t.Errorf("%d bytes of frames that are no events", all)
	}
}
