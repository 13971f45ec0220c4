package hostile

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"testing"
)

// some is the start of what a case writes: at least a MB, and at most up to the end of
// its event.
type some struct {
	http.ResponseWriter
	bytes.Buffer
	stop context.CancelFunc
}

func (s *some) Write(p []byte) (int, error) {
	if s.Len() > 1<<20 {
		s.stop()
	}
	return s.Buffer.Write(p)
}

func written(t *testing.T, c Case) []byte {
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	s := &some{stop: stop}
	o := &Out{ctx: ctx, w: bufio.NewWriter(s), rc: http.NewResponseController(s), thread: "t", run: "r", hurried: true}
	c.Play(o)
	o.flush()
	return s.Bytes()
}

// TestCasesAreEvents holds the cases to what they say: they have names of their own,
// and events that are JSON, but for the family about the protocol.
func TestCasesAreEvents(t *testing.T) {
	names := map[string]bool{}
	for _, c := range Cases(true) {
		if names[c.Name] {
			t.Errorf("two cases are named %s", c.Name)
		}
		names[c.Name] = true
		if c.Long || strings.HasPrefix(c.Name, "protocol/") {
			continue
		}
		out := written(t, c)
		if len(out) == 0 {
			t.Errorf("%s writes nothing", c.Name)
		}
		for line := range bytes.Lines(out) {
			data, ok := bytes.CutPrefix(line, []byte("data: "))
			if ok && len(data) < 1<<20 && !json.Valid(data) {
				t.Errorf("%s: no JSON: %.200s", c.Name, data)
				break
			}
		}
	}
	if len(names) < 300 {
		t.Errorf("only %d cases", len(names))
	}
}

func TestPieces(t *testing.T) {
	var got []string
	for p := range pieces(2, "abc→d") {
		got = append(got, p)
	}
	if strings.Join(got, "|") != "ab|c→|d" {
		t.Errorf("%q", got)
	}
}

func TestQuote(t *testing.T) {
	for _, s := range []string{"", "a", "\"\\\x00\r\n\x1b", "→\u202e", strings.Repeat("\n", 100)} {
		var got string
		if err := json.Unmarshal([]byte(quote(s)), &got); err != nil || got != s {
			t.Errorf("%q: %q %v", s, got, err)
		}
	}
}
