package conformance_test

import "testing"

// TestCompact: a stream and what that client compacts it to, for storage, leave the
// same messages and state.
func TestCompact(t *testing.T) {
	play(t, "compact", func(t *testing.T, c testCase) (want, got string) {
		return folded(t, nil, nil, c.Events), folded(t, nil, nil, c.Out)
	})
}
