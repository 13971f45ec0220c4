package conformance_test

import (
	"fmt"
	"io"
	"strings"
	"testing"

	"cairn/agui"
	"cairn/agui/sse"
)

// TestSSE: the events that a stream of bytes holds, however the reads split it.
func TestSSE(t *testing.T) {
	play(t, "sse", func(t *testing.T, c testCase) (want, got string) {
		var lines []string
		for _, raw := range c.Out {
			lines = append(lines, canonical(t, raw))
		}
		if c.Refused != nil {
			lines = append(lines, fmt.Sprintf("frame %d is refused", c.Refused.At))
		}
		return strings.Join(lines, "\n"), framed(t, c.Reads)
	})
}

func framed(t *testing.T, reads []string) string {
	var lines []string
	frames := sse.NewReader(&split{reads}, sse.Limits{})
	for {
		frame, err := frames.Next()
		if err == io.EOF {
			return strings.Join(lines, "\n")
		}
		if err != nil {
			t.Fatal(err)
		}
		if _, err := agui.Decode([]byte(frame.Data)); err != nil {
			return strings.Join(append(lines, fmt.Sprintf("frame %d is refused", frame.Number)), "\n")
		}
		lines = append(lines, canonical(t, []byte(frame.Data)))
	}
}

// split is a reader that returns one of its strings with each read.
type split struct{ reads []string }

func (s *split) Read(p []byte) (int, error) {
	if len(s.reads) == 0 {
		return 0, io.EOF
	}
	n := copy(p, s.reads[0])
	if s.reads[0] = s.reads[0][n:]; s.reads[0] == "" {
		s.reads = s.reads[1:]
	}
	return n, nil
}
