package web

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"cairn/internal/view"
)

// peer is a connection that notes its write deadlines and can stop reading.
type peer struct {
	*httptest.ResponseRecorder
	deadline time.Time
	armed    int
	stuck    bool
}

func (p *peer) SetWriteDeadline(t time.Time) error {
	p.deadline, p.armed = t, p.armed+1
	return nil
}

func (p *peer) Write(b []byte) (int, error) {
	if p.stuck || time.Until(p.deadline) <= 0 {
		return 0, errors.New("i/o timeout")
	}
	return p.ResponseRecorder.Write(b)
}

func (p *peer) FlushError() error { return nil }

func TestEveryWriteHasItsDeadline(t *testing.T) {
	p := &peer{ResponseRecorder: httptest.NewRecorder()}
	e := openEgress(p, httptest.NewRequest(http.MethodGet, "/", nil))
	before := p.armed
	frame := view.Frame{{Selector: "#a", Mode: view.ModeOuter, HTML: "<p id=a>x\ry</p>"}, {Selector: "#b", Mode: view.ModeRemove}}
	if err := e.frame(frame); err != nil {
		t.Fatal(err)
	}
	if err := e.ping(); err != nil {
		t.Fatal(err)
	}
	if got := p.armed - before; got != 3 {
		t.Errorf("%d deadlines for three events", got)
	}
	if left := time.Until(p.deadline); left <= 0 || left > writeWait {
		t.Errorf("a deadline in %v", left)
	}
	body := p.Body.String()
	if strings.Contains(body, "\r") || !strings.Contains(body, "data: elements <p id=a>x\ndata: elements y</p>") || !strings.Contains(body, "event: ping") {
		t.Errorf("wire %q", body)
	}
	p.stuck = true
	if err := e.frame(frame); err == nil {
		t.Error("a peer that takes nothing is no error")
	}
}
