package web_test

import (
	"encoding/base64"
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"cairn/agentclient"
	"cairn/internal/thread"
	"cairn/internal/threadlog"
)

var mediaLink = regexp.MustCompile(`/t/[-0-9a-f]+/media/[0-9]+-[0-9]+`)

// TestMediaIsServedSafely: a picture as the type its bytes are of, anything else as a
// download of unnamed bytes, for the owner alone.
func TestMediaIsServedSafely(t *testing.T) {
	const pixel = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
	for name, c := range map[string]struct{ kind, mime, data, contentType, disposition string }{
		"png":           {"image", "image/png", pixel, "image/png", ""},
		"png as html":   {"image", "text/html", pixel, "image/png", ""},
		"svg":           {"image", "image/svg+xml", base64.StdEncoding.EncodeToString([]byte("<svg/>")), "application/octet-stream", `attachment; filename="image.svg"`},
		"html as a png": {"image", "image/png", base64.StdEncoding.EncodeToString([]byte("<script>alert(1)</script>")), "application/octet-stream", `attachment; filename="image.png"`},
		"html":          {"document", "text/html", base64.StdEncoding.EncodeToString([]byte("<script>")), "application/octet-stream", `attachment; filename="document.bin"`},
		"audio":         {"audio", "audio/mpeg", "AAAA", "application/octet-stream", `attachment; filename="audio.mp3"`},
		"unknown":       {"hologram", "x/y", "AAAA", "application/octet-stream", `attachment; filename="file.bin"`},
	} {
		t.Run(name, func(t *testing.T) {
			s := newSite(t)
			b := s.browser()
			loc := b.start("Hi")
			s.result(strings.TrimPrefix(loc, "/mastra/t/"), fmt.Sprintf(`[{"type":"text","text":"x"},{"type":%q,"source":{"type":"data","value":%q,"mimeType":%q}}]`, c.kind, c.data, c.mime))
			link := mediaLink.FindString(b.do("GET", loc, nil).body)
			got := b.do("GET", link, nil)
			want, err := base64.StdEncoding.DecodeString(c.data)
			if err != nil {
				t.Fatal(err)
			}
			h := got.Header
			if got.StatusCode != http.StatusOK || got.body != string(want) || h.Get("Content-Type") != c.contentType || h.Get("Content-Disposition") != c.disposition ||
				h.Get("X-Content-Type-Options") != "nosniff" || !strings.HasPrefix(h.Get("Content-Security-Policy"), "sandbox") {
				t.Errorf("%s: %d, %d bytes, %v", link, got.StatusCode, len(got.body), h)
			}
			if d := b.do("GET", link+"?download=1", nil).Header.Get("Content-Disposition"); !strings.HasPrefix(d, "attachment") {
				t.Errorf("download as %q", d)
			}
			other := s.browser()
			other.open()
			if a := other.do("GET", link, nil); a.StatusCode != http.StatusNotFound {
				t.Errorf("a stranger got %d", a.StatusCode)
			}
			for _, part := range []string{"/media/1-0", "/media/x", "/media/2-9", "/media/2--1", "/media/2-x", "/media/99-0"} {
				if a := b.do("GET", link[:strings.Index(link, "/media/")]+part, nil); a.StatusCode != http.StatusNotFound {
					t.Errorf("%s: %d", part, a.StatusCode)
				}
			}
		})
	}
}

// TestPagesLoadNoPictureFromElsewhere: the policy allows the server's own alone.
func TestPagesLoadNoPictureFromElsewhere(t *testing.T) {
	b := newSite(t).browser()
	policy := b.do("GET", "/mastra", nil).Header.Get("Content-Security-Policy")
	if !strings.HasPrefix(policy, "default-src 'self'") || strings.Contains(policy, "img-src") {
		t.Errorf("%s", policy)
	}
}

// result appends a run with one tool call to a thread; content is JSON.
func (s *site) result(id, content string) {
	s.t.Helper()
	info, err := s.log.Thread(s.t.Context(), id)
	if err != nil {
		s.t.Fatal(err)
	}
	rows := []threadlog.Row{thread.NewRow(threadlog.KindRun, "r", agentclient.RunData{Reason: agentclient.ReasonMessage})}
	for _, e := range []string{
		`{"type":"RUN_STARTED","threadId":"t","runId":"r"}`, `{"type":"TOOL_CALL_START","toolCallId":"c","toolCallName":"draw"}`,
		`{"type":"TOOL_CALL_RESULT","messageId":"m","toolCallId":"c","content":` + content + `}`,
	} {
		rows = append(rows, threadlog.Row{Kind: threadlog.KindEvent, RunID: "r", Data: []byte(e)})
	}
	rows = append(rows, thread.NewRow(threadlog.KindEnd, "r", agentclient.EndData{Outcome: agentclient.OutcomeStopped}))
	if _, err := s.log.Append(s.t.Context(), id, info.LastSeq, rows...); err != nil {
		s.t.Fatal(err)
	}
}
