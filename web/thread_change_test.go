package web_test

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"cairn/internal/threadlog"
)

func TestRename(t *testing.T) {
	s := newSite(t)
	b, other := s.browser(), s.browser()
	other.open()
	id := b.create("Old name")
	const hostile = `x"'></a><script>alert(1)</script>`
	path := "/t/" + id + "/rename"
	for _, c := range []struct {
		title  string
		status int
		want   string
	}{
		{"  New\r\n name ", http.StatusNoContent, "New name"},
		{hostile, http.StatusNoContent, hostile},
		{strings.Repeat("ü", 200), http.StatusNoContent, strings.Repeat("ü", 200)},
		{strings.Repeat("ü", 201), http.StatusUnprocessableEntity, ""},
		{" \n ", http.StatusUnprocessableEntity, ""},
		{"a\xff", http.StatusUnprocessableEntity, ""},
	} {
		before, _ := s.log.Thread(t.Context(), id)
		a := b.do("POST", path, url.Values{"title": {c.title}}, "HX-Request", "true")
		if a.StatusCode != c.status || c.want == "" && strings.Contains(a.body, "<") {
			t.Errorf("%.20q: %d %.200s", c.title, a.StatusCode, a.body)
		}
		if c.want == "" {
			c.want = before.Title
		}
		if th, err := s.log.Thread(t.Context(), id); err != nil || th.Title != c.want {
			t.Errorf("%.20q: title %q, %v", c.title, th.Title, err)
		}
	}
	b.do("POST", path, url.Values{"title": {hostile}})
	if a := b.do("GET", "/mastra/t/"+id, nil); strings.Contains(a.body, "<script>alert") || !strings.Contains(a.body, "&lt;script&gt;alert") {
		t.Error("a title became markup")
	}
	a := b.do("POST", path, url.Values{"title": {"By form"}}, "Referer", b.URL+"/mastra/code?x=1")
	if a.StatusCode != http.StatusSeeOther || a.Header.Get("Location") != "/mastra/code?x=1" {
		t.Errorf("by form: %d to %q", a.StatusCode, a.Header.Get("Location"))
	}
	for _, from := range []string{"http://elsewhere.example/mastra", b.URL + "//elsewhere.example/x", ":%zz", ""} {
		a := b.do("POST", path, url.Values{"title": {"By form"}}, "Referer", from)
		if a.StatusCode != http.StatusSeeOther || a.Header.Get("Location") != "/mastra/t/"+id {
			t.Errorf("from %q: %d to %q", from, a.StatusCode, a.Header.Get("Location"))
		}
	}
	if a := other.do("POST", path, url.Values{"title": {"Mine now"}}); a.StatusCode != http.StatusNotFound {
		t.Errorf("another session: %d", a.StatusCode)
	}
	if a := s.browser().do("POST", path, url.Values{"title": {"Mine now"}}); a.StatusCode != http.StatusUnauthorized {
		t.Errorf("no session: %d", a.StatusCode)
	}
	if th, _ := s.log.Thread(t.Context(), id); th.Title != "By form" {
		t.Errorf("title %q", th.Title)
	}
}

var restoreForm = regexp.MustCompile(`action="(/t/[^"]*/restore)"`)

// TestDeleteAndUndoWithoutScripts deletes the conversation that is open: a new one
// follows, with the way back.
func TestDeleteAndUndoWithoutScripts(t *testing.T) {
	s := newSite(t)
	b := s.browser()
	id := b.create("Going away")
	at := "/mastra/t/" + id
	s.runner.calls = nil
	a := b.do("POST", "/t/"+id+"/delete", url.Values{}, "Referer", b.URL+at)
	loc := a.Header.Get("Location")
	if a.StatusCode != http.StatusSeeOther || loc != "/mastra?deleted="+id {
		t.Fatalf("%d to %q", a.StatusCode, loc)
	}
	// Before, so that the run's end is stored; after, for one that began in between.
	if fmt.Sprint(s.runner.calls) != "[stop stop deleted]" {
		t.Errorf("the runner was called %v", s.runner.calls)
	}
	page := b.do("GET", loc, nil)
	undo := restoreForm.FindStringSubmatch(page.body)
	if len(titles(page.body)) != 0 || undo == nil || !strings.Contains(page.body, "Going away") {
		t.Fatalf("titles %q, undo %q", titles(page.body), undo)
	}
	for _, path := range []string{at, at + "/code"} {
		if a := b.do("GET", path, nil); a.StatusCode != http.StatusGone || restoreForm.FindString(a.body) == "" || len(titles(a.body)) != 0 {
			t.Errorf("GET %s: %d", path, a.StatusCode)
		}
	}
	if a := b.do("GET", "/t/"+id+"/stream?pane=run", nil); a.StatusCode != http.StatusGone || strings.Contains(a.body, "<") {
		t.Errorf("stream: %d %.100s", a.StatusCode, a.body)
	}
	for _, p := range []string{"messages", "stop", "retry", "interrupts/1", "rename"} {
		form := url.Values{"message_id": {"11111111-1111-4111-8111-111111111111"}, "text": {"x"}, "decision": {"approve"}, "title": {"x"}}
		if a := b.do("POST", "/t/"+id+"/"+p, form, "HX-Request", "true"); a.StatusCode != http.StatusGone {
			t.Errorf("POST %s: %d %.200s", p, a.StatusCode, a.body)
		}
	}
	if a := b.do("POST", "/t/"+id+"/delete", url.Values{}, "Referer", b.URL+at); a.Header.Get("Location") != loc {
		t.Errorf("a second click: %d to %q", a.StatusCode, a.Header.Get("Location"))
	}
	if a := b.do("POST", undo[1], url.Values{}, "Referer", b.URL+loc); a.StatusCode != http.StatusSeeOther || a.Header.Get("Location") != at {
		t.Fatalf("undo: %d to %q", a.StatusCode, a.Header.Get("Location"))
	}
	if a := b.do("GET", at, nil); a.StatusCode != http.StatusOK || !strings.Contains(a.body, "Going away") {
		t.Errorf("after the undo: %d", a.StatusCode)
	}
	if a := b.do("GET", loc, nil); restoreForm.FindString(a.body) != "" {
		t.Error("what is back is still offered to be brought back")
	}
	// Again: the record of the first deletion is in the way of nothing.
	b.do("POST", "/t/"+id+"/delete", url.Values{})
	if a := b.do("GET", at, nil); a.StatusCode != http.StatusGone {
		t.Errorf("deleted again: %d", a.StatusCode)
	}
}

// TestDeleteElsewhere: another conversation's deletion leaves the person where they
// are.
func TestDeleteElsewhere(t *testing.T) {
	s := newSite(t)
	b := s.browser()
	id, open := b.create("Other"), b.create("Open")
	from := b.URL + "/mastra/t/" + open
	a := b.do("POST", "/t/"+id+"/delete", url.Values{}, "HX-Request", "true", "Referer", from)
	if a.StatusCode != http.StatusOK || a.Header.Get("HX-Redirect") != "" || !strings.Contains(a.body, `action="/t/`+id+`/restore"`) {
		t.Fatalf("by script: %d %s", a.StatusCode, a.body)
	}
	a = b.do("POST", "/t/"+id+"/restore", url.Values{}, "HX-Request", "true", "Referer", from)
	if a.StatusCode != http.StatusOK || !strings.Contains(a.body, "Brought back") {
		t.Fatalf("undo by script: %d %s", a.StatusCode, a.body)
	}
	a = b.do("POST", "/t/"+id+"/delete", url.Values{}, "Referer", from+"?q=1")
	there := "/mastra/t/" + open + "?deleted=" + id + "&q=1"
	if a.StatusCode != http.StatusSeeOther || a.Header.Get("Location") != there {
		t.Fatalf("%d to %q", a.StatusCode, a.Header.Get("Location"))
	}
	a = b.do("POST", "/t/"+id+"/restore", url.Values{}, "Referer", b.URL+there)
	if a.StatusCode != http.StatusSeeOther || a.Header.Get("Location") != "/mastra/t/"+open+"?q=1" {
		t.Fatalf("undo: %d to %q", a.StatusCode, a.Header.Get("Location"))
	}
	a = b.do("POST", "/t/"+open+"/delete", url.Values{}, "HX-Request", "true", "Referer", from+"/code")
	if a.StatusCode != http.StatusNoContent || a.Header.Get("HX-Redirect") != "/mastra?deleted="+open {
		t.Errorf("the open one by script: %d %q", a.StatusCode, a.Header.Get("HX-Redirect"))
	}
}

func TestDeletedBelongsToItsSession(t *testing.T) {
	s := newSite(t)
	b, other := s.browser(), s.browser()
	other.open()
	id := b.create("Mine alone")
	for _, what := range []string{"delete", "restore"} {
		if a := other.do("POST", "/t/"+id+"/"+what, url.Values{}); a.StatusCode != http.StatusNotFound {
			t.Errorf("another session's %s: %d", what, a.StatusCode)
		}
		if a := s.browser().do("POST", "/t/"+id+"/"+what, url.Values{}); a.StatusCode != http.StatusUnauthorized {
			t.Errorf("%s without a session: %d", what, a.StatusCode)
		}
	}
	if a := b.do("GET", "/mastra/t/"+id, nil); a.StatusCode != http.StatusOK {
		t.Fatalf("somebody else deleted it: %d", a.StatusCode)
	}
	b.do("POST", "/t/"+id+"/delete", url.Values{})
	for _, path := range []string{"/mastra/t/" + id, "/mastra?deleted=" + id, "/threads?deleted=" + id + "&at=" + id, "/t/" + id + "/stream"} {
		a := other.do("GET", path, nil)
		if strings.Contains(a.body, "Mine alone") || restoreForm.FindString(a.body) != "" || a.StatusCode == http.StatusGone {
			t.Errorf("%s tells another session (%d)", path, a.StatusCode)
		}
	}
	if a := other.do("POST", "/t/"+id+"/restore", url.Values{}); a.StatusCode != http.StatusNotFound {
		t.Errorf("another session's undo: %d", a.StatusCode)
	}
	if _, err := s.log.Purge(t.Context(), time.Now().Add(time.Hour)); err != nil {
		t.Fatal(err)
	}
	if a := b.do("GET", "/mastra/t/"+id, nil); a.StatusCode != http.StatusNotFound {
		t.Errorf("purged: %d", a.StatusCode)
	}
	if a := b.do("POST", "/t/"+id+"/restore", url.Values{}); a.StatusCode != http.StatusNotFound {
		t.Errorf("undo of what was purged: %d", a.StatusCode)
	}
}

// silent is a log whose records cannot be read.
type silent struct{ threadlog.Log }

func (silent) Get(context.Context, string) ([]byte, int64, error) {
	return nil, 0, threadlog.ErrCorrupt
}

// TestDiskErrorIsNotNotFound: a failing disk must not look as if a
// conversation had never been.
func TestDiskErrorIsNotNotFound(t *testing.T) {
	s := newSiteOn(t, func(l threadlog.Log) threadlog.Log { return silent{l} })
	b := s.browser()
	id := b.create("Hi")
	if err := s.log.Delete(t.Context(), id); err != nil {
		t.Fatal(err)
	}
	if a := b.do("GET", "/mastra/t/"+id, nil); a.StatusCode != http.StatusInternalServerError {
		t.Errorf("%d", a.StatusCode)
	}
}
