package scriptedmodel

import (
	"strings"
	"testing"
	"time"
)

// TestLongMessages: a long message that suits the patterns badly is answered soon.
func TestLongMessages(t *testing.T) {
	for _, part := range []string{"for ", "book a ", "at A A ", "A, B and ", "$1 ", "1,", "file at ", "because ", "with the x team ", "refund 1 ", "\"", "monday ", "cus_", "policy: ", "[model: ", "a. "} {
		text := strings.Repeat(part, 200_000/len(part))
		for _, demo := range []string{"meeting", "expense", "refund"} {
			began := time.Now()
			h := demoHost(t, demo, "chat", false)
			h.says("Book a review; file a dinner; refund it")
			h.says(text)
			if took := time.Since(began); took > 3*time.Second {
				t.Errorf("%s took %v for %q", demo, took, part)
			}
		}
	}
}
