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

	"cairn/agentclient"
	"cairn/internal/threadlog"
)

// create creates a conversation and returns its id.
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
	if word != agentclient.StatusRunning {
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
		agentclient.StatusRunning: "Running", agentclient.StatusNeedsYou: "Needs you", agentclient.StatusFailed: "Failed", agentclient.StatusIdle: "",
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
