package web_test

import (
	"io/fs"
	"net/http"
	"net/url"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"cairn"

	"cairn/demos"
	"cairn/internal/runner"
	"cairn/internal/threadlog"
	"cairn/web"
)

func TestSessionCookieIsHardened(t *testing.T) {
	b := newSite(t).browser()
	a := b.do("GET", "/mastra", nil)
	c := a.Header.Get("Set-Cookie")
	for _, want := range []string{"HttpOnly", "SameSite=Lax", "Path=/"} {
		if !strings.Contains(c, want) {
			t.Errorf("cookie lacks %s: %s", want, c)
		}
	}
	if strings.Contains(c, "Secure") {
		t.Errorf("secure over plain HTTP: %s", c)
	}
	tls := b.site.browser().do("GET", "/mastra", nil, "X-Forwarded-Proto", "https")
	if !strings.Contains(tls.Header.Get("Set-Cookie"), "Secure") {
		t.Errorf("not secure under TLS: %s", tls.Header.Get("Set-Cookie"))
	}
}

func TestFirstMessage(t *testing.T) {
	s := newSite(t)
	b := s.browser()
	id := b.open()
	form := url.Values{"message_id": {id}, "text": {"Start a packing list\r\nwith a tent"}}
	plain := b.do("POST", "/mastra/messages", form)
	loc := plain.Header.Get("Location")
	if plain.StatusCode != http.StatusSeeOther || !strings.HasPrefix(loc, "/mastra/t/") {
		t.Fatalf("status %d, location %q", plain.StatusCode, loc)
	}
	again := b.do("POST", "/mastra/messages", form, "HX-Request", "true")
	if again.StatusCode != http.StatusNoContent || again.Header.Get("HX-Location") != loc {
		t.Fatalf("the same form again: %d, %q, want %q", again.StatusCode, again.Header.Get("HX-Location"), loc)
	}
	page := b.do("GET", loc, nil)
	if page.StatusCode != http.StatusOK || !strings.Contains(page.body, "Start a packing list\nwith a tent") {
		t.Fatalf("status %d: the page lacks the message", page.StatusCode)
	}
}

func TestThreadBelongsToItsSession(t *testing.T) {
	s := newSite(t)
	mine := s.browser()
	loc := mine.start("Hi")
	id := strings.TrimPrefix(loc, "/mastra/t/")
	other := s.browser()
	other.open()
	nobody := s.browser()
	posts := []string{"messages", "stop", "retry", "regenerate", "interrupts/1"}
	for _, path := range []string{loc, loc + "/code", "/t/" + id + "/stream"} {
		if a := other.do("GET", path, nil); a.StatusCode != http.StatusNotFound {
			t.Errorf("another session GET %s: %d", path, a.StatusCode)
		}
	}
	if a := nobody.do("GET", "/t/"+id+"/stream", nil); a.StatusCode != http.StatusUnauthorized || a.Header.Get("Location") != "" {
		t.Errorf("no session: %d", a.StatusCode)
	}
	for _, p := range posts {
		form := url.Values{"message_id": {"11111111-1111-4111-8111-111111111111"}, "text": {"x"}, "decision": {"approve"}}
		if a := other.do("POST", "/t/"+id+"/"+p, form); a.StatusCode != http.StatusNotFound {
			t.Errorf("another session POST %s: %d", p, a.StatusCode)
		}
	}
	if n := len(s.runner.calls); n != 1 {
		t.Errorf("the runner was called %v", s.runner.calls)
	}
}

func TestCrossOriginPostIsRefused(t *testing.T) {
	b := newSite(t).browser()
	form := url.Values{"message_id": {b.open()}, "text": {"Hi"}}
	if a := b.do("POST", "/mastra/messages", form, "Sec-Fetch-Site", "cross-site"); a.StatusCode != http.StatusForbidden {
		t.Fatalf("status %d", a.StatusCode)
	}
	if a := b.do("POST", "/mastra/messages", form, "Sec-Fetch-Site", "same-origin"); a.StatusCode != http.StatusSeeOther {
		t.Fatalf("same origin: %d", a.StatusCode)
	}
}

func TestRefusedMessagesKeepTheDraft(t *testing.T) {
	long := strings.Repeat("word ", 60_000)
	for _, c := range []struct {
		name, text string
		runner     error
		status     int
		says       string
	}{
		{"empty", "", nil, http.StatusUnprocessableEntity, "Please write a message first."},
		{"white space", " \n\t ", nil, http.StatusUnprocessableEntity, "Please write a message first."},
		{"too long", long, nil, http.StatusRequestEntityTooLarge, "too long"},
		{"running", "My draft", runner.ErrRunning, http.StatusConflict, "still answering"},
		{"pending", "My draft", runner.ErrPending, http.StatusConflict, "decide on the open request"},
		{"disk full", "My draft", threadlog.ErrFull, http.StatusInsufficientStorage, "disk is full"},
		{"disk read-only", "My draft", threadlog.ErrReadOnly, http.StatusInsufficientStorage, "may not write"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newSite(t)
			b := s.browser()
			loc := b.start("Hi")
			s.runner.err = c.runner
			form := url.Values{"message_id": {"11111111-1111-4111-8111-111111111111"}, "text": {c.text}}
			path := "/t/" + strings.TrimPrefix(loc, "/mastra/t/") + "/messages"
			page := b.do("POST", path, form)
			if page.StatusCode != c.status || !strings.Contains(page.body, c.says) {
				t.Fatalf("page: %d, says %t", page.StatusCode, strings.Contains(page.body, c.says))
			}
			if draft := strings.TrimSpace(c.text); !strings.Contains(page.body, draft) {
				t.Error("the draft is gone")
			}
			script := b.do("POST", path, form, "HX-Request", "true")
			if script.StatusCode != c.status || !strings.Contains(script.body, c.says) || strings.Contains(script.body, "<") {
				t.Fatalf("script: %d %.200q", script.StatusCode, script.body)
			}
		})
	}
}

func TestLongMessageAccepted(t *testing.T) {
	s := newSite(t)
	b := s.browser()
	text := strings.Repeat("0123456789", 10_000) + " the end"
	loc := b.start(text)
	rows, err := s.log.Read(t.Context(), strings.TrimPrefix(loc, "/mastra/t/"), 1, 0)
	if err != nil || len(rows) != 1 || !strings.Contains(string(rows[0].Data), text) {
		t.Fatalf("%v, %d rows", err, len(rows))
	}
}

func TestControls(t *testing.T) {
	s := newSite(t)
	b := s.browser()
	loc := b.start("Hi")
	base := "/t/" + strings.TrimPrefix(loc, "/mastra/t/")
	s.runner.calls = nil
	for _, c := range []struct {
		path string
		form url.Values
		call string
	}{
		{"/stop", url.Values{}, "stop"},
		{"/retry?failure=7", url.Values{}, "retry"},
		{"/regenerate?run=r3", url.Values{}, "regenerate"},
	} {
		if a := b.do("POST", base+c.path, c.form); a.StatusCode != http.StatusSeeOther || a.Header.Get("Location") != loc {
			t.Errorf("%s: %d to %q", c.call, a.StatusCode, a.Header.Get("Location"))
		}
		if a := b.do("POST", base+c.path, c.form, "HX-Request", "true"); a.StatusCode != http.StatusNoContent {
			t.Errorf("%s by script: %d", c.call, a.StatusCode)
		}
	}
	if got := strings.Join(s.runner.calls, " "); got != "stop stop retry7 retry7 regenerate r3 regenerate r3" {
		t.Errorf("calls %s", got)
	}
}

func TestPagesKeepTheirOwnPolicy(t *testing.T) {
	b := newSite(t).browser()
	loc := b.start("Hi")
	for _, path := range []string{"/mastra", loc, "/mastra/code", loc + "/code", "/nowhere", "/mastra/code/etc/passwd"} {
		a := b.do("GET", path, nil)
		csp := a.Header.Get("Content-Security-Policy")
		if !strings.Contains(csp, "default-src 'self'") || strings.Contains(csp, "unsafe") {
			t.Errorf("%s: policy %q", path, csp)
		}
		if m := regexp.MustCompile(`<[^>]+\s(style|on[a-z]+)=`).FindString(a.body); m != "" {
			t.Errorf("%s: %s", path, m)
		}
		if !strings.Contains(a.body, "make assets") || strings.Contains(a.body, "<script") {
			t.Errorf("%s: without its browser files a page must say so and ask for none", path)
		}
		if a.Header.Get("Cache-Control") != "no-store" {
			t.Errorf("%s: cached", path)
		}
	}
}

func TestCodeTabShowsTheFilesThatRun(t *testing.T) {
	b := newSite(t).browser()
	tags := regexp.MustCompile(`<[^>]*>`)
	for _, f := range demos.Mastra().Code {
		a := b.do("GET", "/mastra/code/"+f.Path, nil)
		want, err := cairn.Sources.ReadFile(f.Path)
		if err != nil || a.StatusCode != http.StatusOK {
			t.Fatalf("%s: %v, %d", f.Path, err, a.StatusCode)
		}
		_, code, _ := strings.Cut(a.body, `data-testid="code-file"`)
		_, code, _ = strings.Cut(code, "<code>")
		code, _, _ = strings.Cut(code, "</code>")
		got := strings.NewReplacer("&lt;", "<", "&gt;", ">", "&#34;", `"`, "&quot;", `"`, "&#39;", "'", "&amp;", "&").Replace(tags.ReplaceAllString(code, ""))
		if strings.TrimSpace(got) != strings.TrimSpace(string(want)) {
			t.Errorf("%s: what is served is not the file", f.Path)
		}
	}
	if a := b.do("GET", "/mastra/code/go.mod", nil); a.StatusCode != http.StatusNotFound {
		t.Errorf("a file that is not of the demo: %d", a.StatusCode)
	}
}

// TestTranscripts: the answer of a transcript is served as the bytes that were
// recorded, never as something a browser would show.
func TestTranscripts(t *testing.T) {
	b := newSite(t).browser()
	for file, status := range map[string]int{
		"strands/06-interrupts-ask": 200, "strands/06-interrupts-ask.sse": 200, "mastra/34-auth-no-token.body": 200,
		"strands/99-nothing": 404, "nobody/06-interrupts-ask": 404, "strands/recording.json": 404, "strands/..%2Fmastra%2F34-auth-no-token.body": 404,
	} {
		a := b.do("GET", "/matrix/"+file, nil)
		if a.StatusCode != status {
			t.Errorf("%s: %d", file, a.StatusCode)
		}
		if status != 200 || !strings.Contains(file, ".") {
			continue
		}
		want, err := fs.ReadFile(recordings(t), "testdata/transcripts/"+file)
		if err != nil || a.body != string(want) {
			t.Errorf("%s: not what was recorded (%v)", file, err)
		}
		if got := a.Header.Get("Content-Disposition"); !strings.HasPrefix(got, "attachment") {
			t.Errorf("%s: disposition %q", file, got)
		}
	}
}

func TestKeysAreKept(t *testing.T) {
	path := filepath.Join(t.TempDir(), "session.key")
	first, err := web.LoadKeys(path)
	if err != nil {
		t.Fatal(err)
	}
	second, err := web.LoadKeys(path)
	if err != nil || string(first.Sign) != string(second.Sign) {
		t.Fatal("another key the second time", err)
	}
	if s := first.String(); s != "[secret]" {
		t.Fatalf("prints %s", s)
	}
}
