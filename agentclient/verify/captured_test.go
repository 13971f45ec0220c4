package verify_test

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"cairn/agentclient/verify"
	"cairn/agui"
	"cairn/agui/sse"
)

// TestCaptured holds what real agents send against the rules, strictly. broken
// lists the streams that break one.
func TestCaptured(t *testing.T) {
	broken := map[string]string{ // go on after RUN_ERROR; the protocol's own client rejects them too
		"langgraph/26-resume-array-no-payload.sse": "R1",
		"langgraph/50-model-failure-midstream.sse": "R1",
		"langgraph-extra/11-platform-down.sse":     "R1",
	}
	paths, _ := filepath.Glob("../testdata/transcripts/*/*.sse")
	if len(paths) < 200 {
		t.Fatalf("%d captured streams", len(paths))
	}
	for _, path := range paths {
		name := strings.TrimPrefix(path, "../testdata/transcripts/")
		f, err := os.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		v := verify.New(verify.Strict)
		got := ""
		for r := sse.NewReader(f, sse.Limits{}); got == ""; {
			frame, err := r.Next()
			if err == io.EOF {
				break
			}
			if err != nil {
				t.Fatal(err)
			}
			ev, err := agui.Decode([]byte(frame.Data))
			if err != nil {
				t.Fatal(err)
			}
			if _, violations := v.Feed(ev); len(violations) > 0 {
				got = violations[0].Rule
			}
		}
		_ = f.Close() // it was only read
		if got != broken[name] {
			t.Errorf("%s breaks %q, want %q", name, got, broken[name])
		}
	}
}
