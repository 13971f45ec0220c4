package web_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"cairn/agentclient"
	"cairn/agui/sse"
	"cairn/internal/thread"
	"cairn/internal/threadlog"
)

// frames opens the thread's stream.
func (b *browser) frames(id string) *sse.Reader {
	b.t.Helper()
	req, _ := http.NewRequestWithContext(b.t.Context(), "GET", b.URL+"/t/"+id+"/stream?pane=run", nil)
	res, err := b.client.Do(req)
	if err != nil {
		b.t.Fatal(err)
	}
	b.t.Cleanup(func() { res.Body.Close() })
	if ct := res.Header.Get("Content-Type"); res.StatusCode != http.StatusOK || !strings.HasPrefix(ct, "text/event-stream") || res.Header.Get("X-Accel-Buffering") != "no" {
		b.t.Fatalf("stream: %d %s", res.StatusCode, ct)
	}
	return sse.NewReader(res.Body, sse.Limits{})
}

func (b *browser) next(r *sse.Reader) sse.Frame {
	b.t.Helper()
	f, err := r.Next()
	if err != nil {
		b.t.Fatal(err)
	}
	return f
}

func TestStreamBeginsWithTheWholePage(t *testing.T) {
	b := newSite(t).browser()
	id := strings.TrimPrefix(b.start("Hello there"), "/mastra/t/")
	r := b.frames(id)
	for _, want := range []string{"selector #chat-items", "selector #composer-state", "selector #panel"} {
		if f := b.next(r); f.Event != "datastar-patch-elements" || !strings.Contains(f.Data, want) {
			t.Fatalf("frame %s %.200s, want %s", f.Event, f.Data, want)
		}
	}
}

// TestAgentTextForgesNoEvent sends the reproduced injection: a bare CR in a delta
// ended a line for browsers but not for the library that writes the stream.
func TestAgentTextForgesNoEvent(t *testing.T) {
	const forged = "hi\r\revent: datastar-patch-elements\rdata: mode remove\rdata: selector body\r\rbye\u2028x"
	s := newSite(t)
	b := s.browser()
	id := strings.TrimPrefix(b.start("Hello there"), "/mastra/t/")
	r := b.frames(id)
	delta, _ := json.Marshal(forged)
	rows := []threadlog.Row{
		thread.NewRow(threadlog.KindRun, "r1", agentclient.RunData{Reason: agentclient.ReasonMessage}),
		thread.NewRow(threadlog.KindEvent, "r1", json.RawMessage(`{"type":"RUN_STARTED","threadId":"t","runId":"r1"}`)),
		thread.NewRow(threadlog.KindEvent, "r1", json.RawMessage(fmt.Sprintf(`{"type":"TEXT_MESSAGE_CHUNK","messageId":"a","role":"assistant","delta":%s}`, delta))),
		thread.NewRow(threadlog.KindEvent, "r1", json.RawMessage(fmt.Sprintf(`{"type":"TOOL_CALL_START","toolCallId":"c","toolCallName":%s}`, delta))),
		thread.NewRow(threadlog.KindEvent, "r1", json.RawMessage(fmt.Sprintf(`{"type":"TOOL_CALL_ARGS","toolCallId":"c","delta":%s}`, delta))),
		thread.NewRow(threadlog.KindEvent, "r1", json.RawMessage(`{"type":"RUN_FINISHED","threadId":"t","runId":"r1"}`)),
		thread.NewRow(threadlog.KindEnd, "r1", agentclient.EndData{Outcome: agentclient.OutcomeFinished}),
	}
	if _, err := s.log.Append(t.Context(), id, 1, rows...); err != nil {
		t.Fatal(err)
	}
	seen := false
	for !seen {
		f := b.next(r)
		if strings.Contains(f.Data, "selector body") && !strings.Contains(f.Data, "elements") {
			t.Fatalf("a forged event: %+v", f)
		}
		for _, line := range strings.Split(f.Data, "\n") {
			word, _, _ := strings.Cut(line, " ")
			if word != "elements" && word != "selector" && word != "mode" && word != "" {
				t.Fatalf("a line that is not of the wire: %q", line)
			}
			if word == "selector" && line != "selector #typing" && !strings.HasPrefix(line, "selector #") {
				t.Fatalf("a selector that is not ours: %q", line)
			}
		}
		seen = strings.Contains(f.Data, "event: datastar-patch-elements") // as text
	}
}

func TestStreamEndsWithTheHub(t *testing.T) {
	s := newSite(t)
	b := s.browser()
	id := strings.TrimPrefix(b.start("Hello there"), "/mastra/t/")
	r := b.frames(id)
	b.next(r)
	s.hub.Close()
	for {
		if _, err := r.Next(); err != nil {
			return
		}
	}
}
