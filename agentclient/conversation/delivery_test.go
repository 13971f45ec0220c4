package conversation_test

import (
	"bytes"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"testing/iotest"

	"cairn/agentclient/conversation"
	"cairn/agui"
	"cairn/agui/sse"
	"cairn/internal/testall"
)

// captures are all captured streams of all runtimes.
func captures(t *testing.T) (paths []string) {
	t.Helper()
	for _, dir := range []string{"../testdata/transcripts", "../testdata/odd-requests", "../../testdata/transcripts"} {
		err := filepath.WalkDir(dir, func(path string, _ fs.DirEntry, err error) error {
			// The answer to a body that is no request is no conversation.
			if strings.HasSuffix(path, ".sse") && !strings.Contains(path, "-input-") {
				paths = append(paths, path)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if len(paths) < 200 {
		t.Fatalf("%d captured streams", len(paths))
	}
	return paths
}

// frameReader returns at most one frame a read.
type frameReader struct{ rest []byte }

func (r *frameReader) Read(p []byte) (int, error) {
	if len(r.rest) == 0 {
		return 0, io.EOF
	}
	frame, _, _ := bytes.Cut(r.rest, []byte("\n\n"))
	n := copy(p, r.rest[:min(len(frame)+2, len(r.rest))])
	r.rest = r.rest[n:]
	return n, nil
}

func decoded(t *testing.T, body io.Reader) (out []agui.Event) {
	t.Helper()
	for r := sse.NewReader(body, sse.Limits{}); ; {
		frame, err := r.Next()
		if err == io.EOF {
			return out
		}
		if err != nil {
			t.Fatal(err)
		}
		ev, err := agui.Decode([]byte(frame.Data))
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, ev)
	}
}

func fold(c *conversation.Conversation, events []agui.Event) *conversation.Conversation {
	for _, ev := range events {
		c.Apply(ev)
	}
	return c
}

// stillStreaming finds an entry of a summary that is not closed.
var stillStreaming = regexp.MustCompile(`(?m)^ *#\d+ \S+ (".*" )?streaming `)

// TestDelivery folds every captured stream to one conversation, however its bytes
// come and wherever the reader breaks off and begins again.
func TestDelivery(t *testing.T) {
	for _, path := range captures(t) {
		t.Run(strings.TrimPrefix(strings.TrimPrefix(path, "../testdata/"), "../../testdata/transcripts/"), func(t *testing.T) {
			raw, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			events := decoded(t, bytes.NewReader(raw))
			if len(events) == 0 {
				t.Fatal("no events")
			}
			want := summary(fold(conversation.New(), events))
			for name, body := range map[string]io.Reader{
				"frame by frame": &frameReader{raw}, "byte by byte": iotest.OneByteReader(bytes.NewReader(raw)),
			} {
				if got := summary(fold(conversation.New(), decoded(t, body))); got != want {
					t.Errorf("%s:\n%s\nwhole:\n%s", name, got, want)
				}
			}
			// At every event: the reader that goes on, the one that breaks off, and its
			// successor, which folds the stored events again and reads on.
			ahead := conversation.New()
			step := testall.Step(1 + len(events)/16)
			for k := range len(events) + 1 {
				if k%step != 0 && k < len(events) {
					ahead.Apply(events[k])
					continue
				}
				cut := fold(conversation.New(), events[:k])
				if got, want := summary(cut), summary(ahead); got != want {
					t.Fatalf("cut at %d:\n%s\nnot cut:\n%s", k, got, want)
				}
				cut.EndRun(conversation.RunTruncated)
				if s := summary(cut); stillStreaming.MatchString(s) || cut.Run().Status == conversation.RunRunning {
					t.Fatalf("broken off at %d:\n%s", k, s)
				}
				again := fold(fold(conversation.New(), events[:k]), events[k:])
				if got := summary(again); got != want {
					t.Fatalf("begun again at %d:\n%s\nwhole:\n%s", k, got, want)
				}
				if k < len(events) {
					ahead.Apply(events[k])
				}
			}
		})
	}
}
