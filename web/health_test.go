package web_test

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"syscall"
	"testing"

	"cairn/internal/runner"
	"cairn/internal/threadlog"
)

func TestHealth(t *testing.T) {
	s := newSite(t)
	b := s.browser()
	if a := b.do("GET", "/healthz", nil); a.StatusCode != http.StatusOK {
		t.Errorf("health %d", a.StatusCode)
	}
	if a := b.do("GET", "/readyz", nil); a.StatusCode != http.StatusOK {
		t.Errorf("ready %d", a.StatusCode)
	}
	if a := b.do("GET", "/", nil); a.Header.Get("Location") != "/mastra" {
		t.Errorf("home to %q", a.Header.Get("Location"))
	}
	s = newSite(t)
	s.log.Close()
	if a := s.browser().do("GET", "/readyz", nil); a.StatusCode != http.StatusServiceUnavailable {
		t.Errorf("ready without a log: %d", a.StatusCode)
	}
}

// TestNotReadyWhileStopping: a balancer sends nobody to a server that refuses runs.
func TestNotReadyWhileStopping(t *testing.T) {
	s := newSite(t)
	s.runner.err = runner.ErrClosing
	b := s.browser()
	if a := b.do("GET", "/readyz", nil); a.StatusCode != http.StatusServiceUnavailable || !strings.Contains(a.body, "stopping") {
		t.Errorf("%d %s", a.StatusCode, a.body)
	}
	if a := b.do("GET", "/healthz", nil); a.StatusCode != http.StatusOK {
		t.Errorf("health %d", a.StatusCode)
	}
}

// unwritable is a log that can be read only.
type unwritable struct{ threadlog.Log }

func (unwritable) CompareAndSet(context.Context, string, int64, []byte) (int64, error) {
	return 0, threadlog.ErrReadOnly
}

// TestNotReadyWithoutRoom: a server that cannot write is not ready, though it can read.
func TestNotReadyWithoutRoom(t *testing.T) {
	b := newSiteOn(t, func(l threadlog.Log) threadlog.Log { return unwritable{l} }).browser()
	a := b.do("GET", "/readyz", nil)
	if a.StatusCode != http.StatusServiceUnavailable || !strings.Contains(a.body, "read-only") {
		t.Errorf("%d %s", a.StatusCode, a.body)
	}
}

// TestDamageIsSaid: trying again is not offered for what it cannot mend, and what was
// stopped is not said to go on.
func TestDamageIsSaid(t *testing.T) {
	s := newSite(t)
	b := s.browser()
	id := b.create("Hi")
	for want, err := range map[string]error{
		"damaged":              fmt.Errorf("read: %w", threadlog.ErrCorrupt),
		"The answer has ended": fmt.Errorf("%w: %w", runner.ErrUnrecorded, threadlog.ErrFull),
	} {
		s.runner.err = err
		if a := b.do("POST", "/t/"+id+"/stop", url.Values{}, "HX-Request", "true"); a.StatusCode < 500 || !strings.Contains(a.body, want) {
			t.Errorf("%v: %d %.200s", err, a.StatusCode, a.body)
		}
	}
}

// TestADemoWithoutAnAgent: its address says what it needs.
func TestADemoWithoutAnAgent(t *testing.T) {
	b := newSite(t).browser()
	if a := b.do("GET", "/strands", nil); a.StatusCode != http.StatusNotFound || !strings.Contains(a.body, "CAIRN_UPSTREAMS") {
		t.Errorf("%d %.300s", a.StatusCode, a.body)
	}
	if a := b.do("GET", "/nothing", nil); a.StatusCode != http.StatusNotFound || strings.Contains(a.body, "CAIRN_UPSTREAMS") {
		t.Errorf("%d %.300s", a.StatusCode, a.body)
	}
}

// TestAnUnreachableAgent: the page says so, and the server stays in rotation.
func TestAnUnreachableAgent(t *testing.T) {
	s := newSite(t)
	b := s.browser()
	if a := b.do("GET", "/mastra", nil); strings.Contains(a.body, "cannot be reached") {
		t.Error("a notice without a reason")
	}
	s.reach.Report("mastra", syscall.ECONNREFUSED)
	if a := b.do("GET", "/mastra", nil); !strings.Contains(a.body, "cannot be reached: nothing listens there") {
		t.Error("no notice")
	}
	a := b.do("GET", "/readyz", nil)
	if a.StatusCode != http.StatusOK || !strings.Contains(a.body, `"mastra":"unreachable: nothing listens there"`) {
		t.Errorf("%d %s", a.StatusCode, a.body)
	}
}
