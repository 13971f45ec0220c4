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
	} {
		if got := string(new(rawBudget).stored(received(c.in))); got != c.want {
			t.Errorf("stored %s, want %s", got, c.want)
		}
	}
	if got := new(rawBudget).stored(received(strings.Repeat("oops", 1000))); len(got) != maxRaw {
		t.Errorf("%d bytes of a frame that is no event", len(got))
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
}
