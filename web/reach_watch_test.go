package web_test

import (
	"strings"
	"syscall"
	"testing"

	"cairn/agui/sse"
)

// notice is the next word on the agent.
func (b *browser) notice(r *sse.Reader) string {
	b.t.Helper()
	for {
		if f := b.next(r); strings.Contains(f.Data, "selector #notice") {
			return f.Data
		}
	}
}

// TestReachabilityIsLive: a page says that its agent cannot be reached when that is found,
// and that it can again, without a reload; on the first page of a demo too.
func TestReachabilityIsLive(t *testing.T) {
	for name, path := range map[string]string{"conversation": "", "first page": "/threads/stream?demo=mastra"} {
		t.Run(name, func(t *testing.T) {
			s := newSite(t)
			b := s.browser()
			id := strings.TrimPrefix(b.start("Hello there"), "/mastra/t/")
			if path == "" {
				path = "/t/" + id + "/stream?pane=run"
			}
			r := b.listStream(path)
			if got := b.notice(r); !strings.Contains(got, "hidden") {
				t.Fatalf("at first: %s", got)
			}
			s.reach.Report("mastra", syscall.ECONNREFUSED)
			if got := b.notice(r); strings.Contains(got, "hidden") || !strings.Contains(got, "nothing listens there") {
				t.Fatalf("gone: %s", got)
			}
			s.reach.Report("strands", syscall.ECONNREFUSED) // another's changes nothing here
			s.reach.Report("mastra", nil)
			if got := b.notice(r); !strings.Contains(got, "hidden") || strings.Contains(got, "cannot be reached") {
				t.Fatalf("back: %s", got)
			}
		})
	}
}
