package web_test

import (
	"context"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"

	"cairn/internal/threadlog"
)

// planted is a log that panics when an owner's threads are listed, or one is looked up.
type planted struct {
	threadlog.Log
	listing, looking atomic.Bool
}

func (p *planted) Threads(ctx context.Context, owner, query string, limit int) ([]threadlog.Thread, error) {
	if p.listing.Load() {
		panic("planted")
	}
	return p.Log.Threads(ctx, owner, query, limit)
}

func (p *planted) Thread(ctx context.Context, id string) (threadlog.Thread, error) {
	if p.looking.Load() {
		panic("planted")
	}
	return p.Log.Thread(ctx, id)
}

func plantedSite(t *testing.T) (*browser, *planted) {
	p := new(planted)
	s := newSiteOn(t, func(l threadlog.Log) threadlog.Log { p.Log = l; return p })
	return s.browser(), p
}

// TestAPanicEndsOneRequest: also when the page that would say so panics.
func TestAPanicEndsOneRequest(t *testing.T) {
	b, p := plantedSite(t)
	loc := b.start("Hi")
	id := strings.TrimPrefix(loc, "/mastra/t/")
	p.looking.Store(true)
	for _, a := range []answer{b.do("GET", loc, nil), b.do("POST", "/t/"+id+"/stop", url.Values{})} {
		if a.StatusCode != http.StatusInternalServerError || !strings.Contains(a.body, "Something went wrong") {
			t.Errorf("%d %.300s", a.StatusCode, a.body)
		}
	}
	p.listing.Store(true) // the error's page lists the conversations
	if a := b.do("GET", loc, nil); a.StatusCode != http.StatusInternalServerError || !strings.Contains(a.body, "Something went wrong") {
		t.Errorf("%d %.300s", a.StatusCode, a.body)
	}
	p.looking.Store(false)
	p.listing.Store(false)
	if a := b.do("GET", loc, nil); a.StatusCode != http.StatusOK {
		t.Errorf("afterwards: %d", a.StatusCode)
	}
}

// TestStreamPanicStopsReconnect: its page is told not to connect again and again. Another
// conversation's stream opens as before.
func TestStreamPanicStopsReconnect(t *testing.T) {
	b, p := plantedSite(t)
	first, second := b.start("Hi"), b.start("Hello")
	stream := func(loc string) string { return "/t/" + strings.TrimPrefix(loc, "/mastra/t/") + "/stream" }
	p.listing.Store(true)
	_ = b.do("GET", stream(first), nil) // it ends, for it panics when it comes to the list
	p.listing.Store(false)
	if a := b.do("GET", stream(first), nil); a.StatusCode != http.StatusLoopDetected {
		t.Errorf("opened again: %d", a.StatusCode)
	}
	ctx, leave := context.WithCancel(t.Context())
	defer leave()
	req, err := http.NewRequestWithContext(ctx, "GET", b.URL+stream(second), nil)
	if err != nil {
		t.Fatal(err)
	}
	res, err := b.client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusOK {
		t.Errorf("another stream: %d", res.StatusCode)
	}
}
