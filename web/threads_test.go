package web_test

import (
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"cairn/agui/sse"
	"cairn/internal/thread"
	"cairn/internal/threadlog"
)

// create makes a conversation and gives its id.
func (b *browser) create(text string) string {
	b.t.Helper()
	return strings.TrimPrefix(b.start(text), "/mastra/t/")
}

// owner is the session's, as the log has it.
func (b *browser) owner(id string) string {
	b.t.Helper()
	th, err := b.log.Thread(b.t.Context(), id)
	if err != nil {
		b.t.Fatal(err)
	}
	return th.Owner
}

// append adds a row that sets the conversation's status.
func (b *browser) status(id, word string) {
	b.t.Helper()
	th, err := b.log.Thread(b.t.Context(), id)
	if err != nil {
		b.t.Fatal(err)
	}
	kind := threadlog.KindRun
	if word != thread.StatusRunning {
		kind = threadlog.KindEnd
	}
	row := threadlog.Row{Kind: kind, RunID: "r", Data: []byte(`{}`), Status: word}
	if _, err := b.log.Append(b.t.Context(), id, th.LastSeq, row); err != nil {
		b.t.Fatal(err)
	}
}

var rowTitle = regexp.MustCompile(`data-testid="thread-link" title="([^"]*)"`)

// titles are those of a page's list, in order.
func titles(page string) (all []string) {
	for _, m := range rowTitle.FindAllStringSubmatch(page, -1) {
		all = append(all, m[1])
	}
	return all
}

func TestListNamesTheSessionsConversations(t *testing.T) {
	s := newSite(t)
	b, other := s.browser(), s.browser()
	first, second := b.create("First one"), b.create("Second one")
	other.create("Not yours")
	for word, says := range map[string]string{
		thread.StatusRunning: "Running", thread.StatusNeedsYou: "Needs you", thread.StatusFailed: "Failed", thread.StatusIdle: "",
	} {
		b.status(first, word)
		a := b.do("GET", "/mastra/t/"+second, nil)
		if got := titles(a.body); fmt.Sprint(got) != "[First one Second one]" { // the newest rows first
			t.Errorf("%s: titles %q", word, got)
		}
		_, row, _ := strings.Cut(a.body, `id="thread-`+first+`"`)
		row, _, _ = strings.Cut(row, "</li>")
		if says != "" && !strings.Contains(row, says) || strings.Contains(row, "thread-status") != (says != "") {
			t.Errorf("%s: row %s", word, row)
		}
		if !strings.Contains(row, "Camping trip") || strings.Contains(row, "aria-current") {
			t.Errorf("row %s", row)
		}
	}
	for _, path := range []string{"/mastra/t/" + second, "/mastra/t/" + second + "/code"} {
		a := b.do("GET", path, nil)
		if n := strings.Count(a.body, `data-testid="thread-link" title="Second one" aria-current="page"`); n != 1 {
			t.Errorf("%s: marked %d times", path, n)
		}
	}
	for _, path := range []string{"/mastra", "/matrix", "/nowhere", "/threads"} {
		if got := len(titles(b.do("GET", path, nil).body)); got != 2 {
			t.Errorf("%s lists %d", path, got)
		}
	}
}

func TestRename(t *testing.T) {
	s := newSite(t)
	b, other := s.browser(), s.browser()
	other.open()
	id := b.create("Old name")
	const hostile = `x"'></a><script>alert(1)</script>`
	path := "/t/" + id + "/title"
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

// TestRefusedFirstMessageListsNothing: a conversation is there with its first message.
func TestRefusedFirstMessageListsNothing(t *testing.T) {
	s := newSite(t)
	b := s.browser()
	id := b.open()
	s.runner.err = threadlog.ErrFull
	a := b.do("POST", "/mastra/messages", url.Values{"message_id": {id}, "text": {"Refused"}})
	if got := titles(a.body); a.StatusCode != http.StatusInsufficientStorage || len(got) != 0 {
		t.Errorf("%d, lists %q", a.StatusCode, got)
	}
	s.runner.err = nil
	b.do("POST", "/mastra/messages", url.Values{"message_id": {id}, "text": {"Refused"}})
	if got := titles(b.do("GET", "/threads", nil).body); len(got) != 1 {
		t.Errorf("once it is taken: %q", got)
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
	if fmt.Sprint(s.runner.calls) != "[stop]" {
		t.Errorf("the runner was called %v, want its stop first", s.runner.calls)
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
	for _, p := range []string{"messages", "stop", "retry", "interrupts/1", "title"} {
		form := url.Values{"message_id": {"11111111-1111-4111-8111-111111111111"}, "text": {"x"}, "decision": {"approve"}, "title": {"x"}}
		if a := b.do("POST", "/t/"+id+"/"+p, form, "HX-Request", "true"); a.StatusCode != http.StatusGone {
			t.Errorf("POST %s: %d", p, a.StatusCode)
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

func TestSearchWithoutScripts(t *testing.T) {
	b := newSite(t).browser()
	for _, text := range []string{"Tent and lamp", "A lamp", "100% <b>bold</b> plan"} {
		b.create(text)
	}
	for q, want := range map[string]string{
		"": "[100% &lt;b&gt;bold&lt;/b&gt; plan A lamp Tent and lamp]", "LAMP": "[A lamp Tent and lamp]", "lamp tent": "[Tent and lamp]", "%": "[100% &lt;b&gt;bold&lt;/b&gt; plan]", "nothing": "[]",
	} {
		a := b.do("GET", "/threads?q="+url.QueryEscape(q), nil)
		if got := fmt.Sprint(titles(a.body)); a.StatusCode != http.StatusOK || got != want {
			t.Errorf("%q: %d %s, want %s", q, a.StatusCode, got, want)
		}
		part := b.do("GET", "/threads?q="+url.QueryEscape(q), nil, "HX-Request", "true")
		if fmt.Sprint(titles(part.body)) != want || !strings.HasPrefix(part.body, `<div class="thread-items"`) {
			t.Errorf("%q by script: %.200s", q, part.body)
		}
	}
	if a := b.do("GET", "/threads?q="+strings.Repeat("x", 201), nil); a.StatusCode != http.StatusBadRequest {
		t.Errorf("an endless search: %d", a.StatusCode)
	}
	if a := b.do("GET", "/threads?q=%ff&page=x", nil); a.StatusCode != http.StatusOK {
		t.Errorf("odd parameters: %d", a.StatusCode)
	}
}

// TestManyConversations: no page shows more than 50 of 5,000, and all can be reached.
func TestManyConversations(t *testing.T) {
	const many = 5000
	b := newSite(t).browser()
	oldest := b.create("number 1")
	owner := b.owner(oldest)
	errs := make(chan error, many)
	for i := 2; i <= many; i++ { // together, for one commit of many
		go func() {
			id := fmt.Sprintf("00000000-0000-4000-8000-%012d", i)
			err := b.log.Create(t.Context(), threadlog.Thread{ID: id, Owner: owner, Demo: "mastra", Title: fmt.Sprint("number ", i)})
			if err == nil {
				_, err = b.log.Append(t.Context(), id, 0, threadlog.Row{Kind: threadlog.KindUser, Data: []byte(`{}`)})
			}
			errs <- err
		}()
	}
	for range many - 1 {
		if err := <-errs; err != nil {
			t.Fatal(err)
		}
	}
	for _, path := range []string{"/mastra", "/threads", "/threads?q=number", "/threads?page=7", "/threads?page=100"} {
		begun := time.Now()
		a := b.do("GET", path, nil)
		if n := len(titles(a.body)); n != 50 || len(a.body) > 200_000 {
			t.Errorf("%s: %d rows in %d bytes", path, n, len(a.body))
		}
		t.Log(path, len(a.body), "bytes", time.Since(begun).Round(time.Millisecond))
	}
	seen, next, want := map[string]bool{}, "/threads?q=12", 0
	for i := range many {
		if strings.Contains(strconv.Itoa(i+1), "12") {
			want++
		}
	}
	older := regexp.MustCompile(`href="([^"]*)" data-testid="thread-older"`)
	for next != "" {
		a := b.do("GET", next, nil, "HX-Request", "true")
		for _, title := range titles(a.body) {
			seen[title] = true
		}
		next = ""
		if m := older.FindStringSubmatch(a.body); m != nil {
			next = strings.ReplaceAll(m[1], "&amp;", "&")
		}
	}
	if len(seen) != want {
		t.Errorf("%d of %d can be reached", len(seen), want)
	}
	// The open one is listed whatever its age.
	a := b.do("GET", "/mastra/t/"+oldest, nil)
	if got := titles(a.body); len(got) != 51 || got[50] != "number 1" {
		t.Errorf("%d rows, the last %q", len(got), got[len(got)-1])
	}
	if a := b.do("GET", "/threads?page=101", nil); a.StatusCode != http.StatusOK || len(titles(a.body)) != 0 || !strings.Contains(a.body, "/threads?page=100") {
		t.Errorf("past the end: %d", a.StatusCode)
	}
}

// listFrame is the next one that holds want, past what else a stream carries.
func (b *browser) listFrame(r *sse.Reader, want string) string {
	b.t.Helper()
	for {
		if f := b.next(r); strings.Contains(f.Data, want) {
			return f.Data
		}
	}
}

func (b *browser) listStream(path string) *sse.Reader {
	b.t.Helper()
	req, _ := http.NewRequestWithContext(b.t.Context(), "GET", b.URL+path, nil)
	res, err := b.client.Do(req)
	if err != nil {
		b.t.Fatal(err)
	}
	b.t.Cleanup(func() { res.Body.Close() })
	if res.StatusCode != http.StatusOK {
		b.t.Fatalf("%s: %d", path, res.StatusCode)
	}
	return sse.NewReader(res.Body, sse.Limits{})
}

func TestListIsLive(t *testing.T) {
	for name, path := range map[string]string{
		"a page without a conversation": "/threads/stream?at=", "a conversation's page": "/t/",
	} {
		t.Run(name, func(t *testing.T) {
			s := newSite(t)
			b, other := s.browser(), s.browser()
			id := b.create("First")
			if path += id; strings.HasPrefix(path, "/t/") {
				path += "/stream"
			}
			r := b.listStream(path)
			whole := b.listFrame(r, "thread-items")
			if !strings.Contains(whole, `selector #thread-items[data-url=""]`) || !strings.Contains(whole, `aria-current="page"`) {
				t.Errorf("begins with %.300s", whole)
			}
			if err := s.log.Rename(t.Context(), id, "Renamed"); err != nil {
				t.Fatal(err)
			}
			if row := b.listFrame(r, "Renamed"); !strings.HasPrefix(row, "selector #thread-"+id+"\n") || strings.Contains(row, "thread-items") {
				t.Errorf("renamed: %.300s", row)
			}
			b.listFrame(r, "selector #crumb-name")
			b.status(id, thread.StatusRunning)
			b.listFrame(r, "Running")
			b.status(id, thread.StatusNeedsYou)
			b.listFrame(r, "Needs you")
			other.create("Not yours")
			second := b.create("Second")
			b.status(second, thread.StatusIdle)
			if list := b.listFrame(r, "Second"); strings.Contains(list, "Not yours") {
				t.Error("shows another session's")
			}
			b.do("POST", "/t/"+second+"/delete", url.Values{})
			if list := b.listFrame(r, "thread-items"); strings.Contains(list, "Second") {
				t.Errorf("still there: %.300s", list)
			}
		})
	}
}

// TestListCoalesces: a burst of changes costs a reading every 250 ms, not one each.
func TestListCoalesces(t *testing.T) {
	s := newSite(t)
	b := s.browser()
	id, other := b.create("First"), b.create("Other") // above it
	r := b.listStream("/threads/stream")
	b.listFrame(r, "thread-items")
	begun := time.Now()
	const burst = 100
	for i := range burst {
		if err := s.log.Rename(t.Context(), id, fmt.Sprint("title ", i+1, ".")); err != nil {
			t.Fatal(err)
		}
	}
	frames := 0
	for last := false; !last; {
		f := b.next(r)
		if strings.Contains(f.Data, other) {
			t.Errorf("what did not change is sent: %.200s", f.Data)
		}
		if strings.HasPrefix(f.Data, "selector #thread-") {
			frames++
			last = strings.Contains(f.Data, fmt.Sprint("title ", burst, "."))
		}
	}
	if most := int(time.Since(begun)/(250*time.Millisecond)) + 2; frames > most {
		t.Errorf("%d frames for %d changes in %s, want at most %d", frames, burst, time.Since(begun), most)
	}
}

// TestStreamOfADeletedConversationEnds, and cannot be opened again.
func TestStreamOfADeletedConversationEnds(t *testing.T) {
	b := newSite(t).browser()
	id := b.create("Hi")
	r := b.frames(id)
	b.next(r)
	b.do("POST", "/t/"+id+"/delete", url.Values{})
	for {
		if _, err := r.Next(); err != nil {
			break
		}
	}
	if a := b.do("GET", "/t/"+id+"/stream", nil); a.StatusCode != http.StatusGone {
		t.Errorf("%d", a.StatusCode)
	}
}

func TestListStreamNeedsASession(t *testing.T) {
	s := newSite(t)
	if a := s.browser().do("GET", "/threads/stream", nil); a.StatusCode != http.StatusUnauthorized || strings.Contains(a.body, "<") {
		t.Errorf("%d %.100s", a.StatusCode, a.body)
	}
}
