package agentclient_test

import (
	"bytes"
	"net/http"
	"os"
	"strings"
	"testing"

	"cairn/agentclient"
)

// Captured streams come through whole, at any split of the bytes.
func TestRunCaptured(t *testing.T) {
	const dir = "testdata/transcripts/mastra"
	files, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if !strings.HasSuffix(f.Name(), ".sse") {
			continue
		}
		text, err := os.ReadFile(dir + "/" + f.Name())
		if err != nil {
			t.Fatal(err)
		}
		client := serve(t, agentclient.Config{}, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/event-stream")
			for rest := text; len(rest) > 0; {
				n := min(37, len(rest))
				_, _ = w.Write(rest[:n])
				_ = http.NewResponseController(w).Flush()
				rest = rest[n:]
			}
		})
		types, failed := collect(t, t.Context(), client)
		// Those where the client left or the service was killed have no terminal event.
		whole := bytes.Contains(text, []byte(`"RUN_FINISHED"`)) || bytes.Contains(text, []byte(`"RUN_ERROR"`))
		if len(types) != strings.Count(string(text), "data: ") || whole != (failed == nil) ||
			failed != nil && failed.Kind != agentclient.KindTruncated {
			t.Errorf("%s: %d events, %v", f.Name(), len(types), failed)
		}
	}
}
