package web_test

import (
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"cairn/agentclient"
	"cairn/internal/thread"
	"cairn/internal/threadlog"
)

// say appends an answer of the agent to a thread.
func (s *site) say(id string, texts ...string) {
	s.t.Helper()
	info, err := s.log.Thread(s.t.Context(), id)
	if err != nil {
		s.t.Fatal(err)
	}
	rows := []threadlog.Row{thread.NewRow(threadlog.KindRun, "r", agentclient.RunData{Reason: agentclient.ReasonMessage})}
	for i, text := range texts {
		rows = append(rows, threadlog.Row{Kind: threadlog.KindEvent, RunID: "r", Data: fmt.Appendf(nil,
			`{"type":"TEXT_MESSAGE_CHUNK","messageId":"a%d","role":"assistant","delta":%q}`, i, text)})
	}
	rows = append(rows, thread.NewRow(threadlog.KindEnd, "r", agentclient.EndData{Outcome: agentclient.OutcomeStopped}))
	if _, err := s.log.Append(s.t.Context(), id, info.LastSeq, rows...); err != nil {
		s.t.Fatal(err)
	}
}

var textLink = regexp.MustCompile(`/t/[-0-9a-f]+/text/[0-9]+-text`)

// TestTextIsShownWhole: what a page shows the beginning of is there whole, as plain text
// that a browser runs nothing of, for the owner alone.
func TestTextIsShownWhole(t *testing.T) {
	s := newSite(t)
	b := s.browser()
	loc := b.start("Hi")
	text := "<script>alert(1)</script>\n\n" + strings.Repeat("A paragraph of words.\n\n", 60_000)
	s.say(strings.TrimPrefix(loc, "/mastra/t/"), text)
	page := b.do("GET", loc, nil)
	link := textLink.FindString(page.body)
	if page.StatusCode != http.StatusOK || link == "" || len(page.body) > 512<<10 {
		t.Fatalf("%d, %d bytes, link %q", page.StatusCode, len(page.body), link)
	}
	whole := b.do("GET", link, nil)
	h := whole.Header
	if whole.body != text || h.Get("Content-Type") != "text/plain; charset=utf-8" || h.Get("X-Content-Type-Options") != "nosniff" ||
		!strings.HasPrefix(h.Get("Content-Security-Policy"), "sandbox") || h.Get("Cache-Control") != "no-store" {
		t.Errorf("%d of %d bytes, %v", len(whole.body), len(text), h)
	}
	if d := b.do("GET", link+"?download=1", nil).Header.Get("Content-Disposition"); !strings.HasPrefix(d, "attachment") {
		t.Errorf("download as %q", d)
	}
	other := s.browser()
	other.open()
	for _, path := range []string{link, strings.Replace(link, "-text", "-result", 1), strings.Replace(link, "-text", "-%2e%2e", 1)} {
		if a := other.do("GET", path, nil); a.StatusCode != http.StatusNotFound {
			t.Errorf("a stranger got %d for %s", a.StatusCode, path)
		}
	}
	if a := b.do("GET", strings.Replace(link, "-text", "-result", 1), nil); a.StatusCode != http.StatusNotFound {
		t.Errorf("a part that is not there: %d", a.StatusCode)
	}
}

var (
	earlierLink = regexp.MustCompile(`href="(/mastra/t/[-0-9a-f]+\?before=[0-9]+)"`)
	entryID     = regexp.MustCompile(`<article[^>]* id="((?:e|u-)[-0-9a-f]+)"`)
)

// TestEarlierPages: without scripts, every entry of a long conversation can be reached,
// and only the page that shows its end has a stream and a composer.
func TestEarlierPages(t *testing.T) {
	s := newSite(t)
	b := s.browser()
	loc := b.start("Hi")
	texts := make([]string, 450)
	for i := range texts {
		texts[i] = fmt.Sprint("answer ", i)
	}
	s.say(strings.TrimPrefix(loc, "/mastra/t/"), texts...)
	seen := map[string]bool{}
	pages := 0
	for path := loc; path != ""; pages++ {
		a := b.do("GET", path, nil)
		if a.StatusCode != http.StatusOK || pages > 10 {
			t.Fatalf("%s: %d", path, a.StatusCode)
		}
		for _, m := range entryID.FindAllStringSubmatch(a.body, -1) {
			seen[m[1]] = true
		}
		live := strings.Contains(a.body, `/stream?pane=run"`)
		if live != (pages == 0) || live != strings.Contains(a.body, `id="draft"`) || live == strings.Contains(a.body, `id="later"`) {
			t.Errorf("page %d: live %t", pages, live)
		}
		path = ""
		if m := earlierLink.FindStringSubmatch(a.body); m != nil {
			path = m[1]
		}
	}
	if pages != 3 || len(seen) != len(texts)+1 {
		t.Errorf("%d entries on %d pages", len(seen), pages)
	}
	if a := b.do("GET", loc+"?at=17#e17", nil); !strings.Contains(a.body, `id="e17"`) {
		t.Error("a link to an entry does not show it")
	}
	if a := b.do("GET", loc+"?before=x&at=-5", nil); a.StatusCode != http.StatusOK || !strings.Contains(a.body, `id="draft"`) {
		t.Errorf("nonsense: %d", a.StatusCode)
	}
}
