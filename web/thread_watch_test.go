package web_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"cairn/agentclient"
	"cairn/agui/sse"
	"cairn/internal/thread"
	"cairn/internal/threadlog"
)

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
			b.status(id, agentclient.StatusRunning)
			b.listFrame(r, "Running")
			b.status(id, agentclient.StatusNeedsYou)
			b.listFrame(r, "Needs you")
			other.create("Not yours")
			second := b.create("Second")
			b.status(second, agentclient.StatusIdle)
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

// unlisted is a log whose list cannot be read while failing.
type unlisted struct {
	threadlog.Log
	failing *atomic.Bool
}

func (l unlisted) Threads(ctx context.Context, owner, query string, limit int) ([]threadlog.Thread, error) {
	if l.failing.Load() {
		return nil, errors.New("the disk is tired")
	}
	return l.Log.Threads(ctx, owner, query, limit)
}

// TestListReadErrorKeepsStream: it is read again, and the conversation goes on.
func TestListReadErrorKeepsStream(t *testing.T) {
	var failing atomic.Bool
	s := newSiteOn(t, func(l threadlog.Log) threadlog.Log { return unlisted{l, &failing} })
	b := s.browser()
	id := b.create("First")
	failing.Store(true)
	r := b.listStream("/t/" + id + "/stream?pane=run")
	b.listFrame(r, "First") // the page itself
	th, err := s.log.Thread(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	row := thread.NewRow(threadlog.KindUser, "", agentclient.UserData{ID: "m2", Text: "still here"})
	if _, err := s.log.Append(t.Context(), id, th.LastSeq, row); err != nil {
		t.Fatal(err)
	}
	b.listFrame(r, "still here")
	failing.Store(false)
	b.listFrame(r, "thread-items")
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
