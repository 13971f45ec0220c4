package conformance_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"cairn/agentclient/verify"
	"cairn/agui"
)

// TestChunks: what chunks are expanded to, up to the first that is refused.
func TestChunks(t *testing.T) {
	play(t, "chunks", func(t *testing.T, c testCase) (want, got string) {
		var lines []string
		for _, raw := range c.Out {
			lines = append(lines, canonical(t, raw))
		}
		if c.Refused != nil {
			lines = append(lines, fmt.Sprintf("event %d breaks %s", c.Refused.At, c.Refused.Rule))
		}
		return strings.Join(lines, "\n"), expanded(t, c)
	})
}

// expanded is the same of our verifier. The streams of the suite are pieces of a
// run, so order is judged elsewhere: a run is begun for those that do not begin one.
// What breaks section 4 ends the stream only where it does in the protocol's own client.
func expanded(t *testing.T, c testCase) string {
	v := verify.New(verify.Lenient)
	first, err := agui.Decode(c.Events[0])
	if err != nil {
		t.Fatal(err)
	}
	if _, begins := first.(*agui.RunStarted); !begins {
		v.Feed(&agui.RunStarted{})
	}
	var lines []string
	for i, raw := range c.Events {
		ev, err := agui.Decode(raw)
		if err != nil {
			t.Fatalf("event %d: %v", i+1, err)
		}
		events, broken := v.Feed(ev)
		for _, b := range broken {
			if strings.HasPrefix(b.Rule, "4.") {
				lines = append(lines, fmt.Sprintf("event %d breaks %s", i+1, b.Rule))
				if c.Refused != nil {
					return strings.Join(lines, "\n")
				}
			}
		}
		for _, e := range events {
			text := []byte(raw)
			if e != ev {
				if text, err = json.Marshal(e); err != nil {
					t.Fatal(err)
				}
			}
			lines = append(lines, canonical(t, text))
		}
	}
	return strings.Join(lines, "\n")
}
