package conformance_test

import (
	"fmt"
	"testing"

	"cairn/agentclient/verify"
	"cairn/agui"
)

// TestVerify: which event of a stream is refused first, and by which rule.
func TestVerify(t *testing.T) {
	play(t, "verify", func(t *testing.T, c testCase) (want, got string) {
		want = fmt.Sprintf("%d events accepted", len(c.Events))
		if c.Refused != nil {
			want = fmt.Sprintf("event %d breaks %s", c.Refused.At, c.Refused.Rule)
		}
		return want, judged(t, c)
	})
}

// judged is the same of our verifiers, which must agree: the lenient one goes on
// after the violation that ends the strict one.
func judged(t *testing.T, c testCase) string {
	lenient, strict := verify.New(verify.Lenient), verify.New(verify.Strict)
	passed := 0
	for i, raw := range c.Events {
		ev, err := agui.Decode(raw)
		if err != nil {
			return fmt.Sprintf("event %d is not read: %v", i+1, err)
		}
		events, broken := lenient.Feed(ev)
		_, fatal := strict.Feed(ev)
		if len(broken) > 0 {
			if len(fatal) != 1 || fatal[0] != broken[0] {
				t.Errorf("event %d: lenient %v, strict %v", i+1, broken, fatal)
			}
			return fmt.Sprintf("event %d breaks %s", i+1, broken[0].Rule)
		}
		if len(fatal) > 0 {
			t.Errorf("event %d: only strict refuses: %v", i+1, fatal)
		}
		passed += len(events)
	}
	return fmt.Sprintf("%d events accepted", passed)
}
