package web_test

import (
	"net/http"
	"strings"
	"testing"

	"cairn/internal/runner"
)

// TestRefusedAnotherAnswer: a script gets the sentence, a page shows how things stand.
func TestRefusedAnotherAnswer(t *testing.T) {
	for err, says := range map[error]string{
		runner.ErrHadEffect: "would happen twice",
		runner.ErrNoAnswer:  "no answer here",
		runner.ErrRunning:   "still answering",
		runner.ErrPending:   "decide on the open request",
	} {
		s := newSite(t)
		b := s.browser()
		loc := b.start("Hi")
		path := "/t/" + strings.TrimPrefix(loc, "/mastra/t/") + "/regenerate?run=r"
		s.runner.err = err
		if a := b.do("POST", path, nil, "HX-Request", "true"); a.StatusCode != http.StatusConflict || !strings.Contains(a.body, says) {
			t.Errorf("%v: %d %q", err, a.StatusCode, a.body)
		}
		if a := b.do("POST", path, nil); a.StatusCode != http.StatusSeeOther || a.Header.Get("Location") != loc {
			t.Errorf("%v without scripts: %d to %q", err, a.StatusCode, a.Header.Get("Location"))
		}
	}
}

// TestStreamOpenedWhileStopping is told to come back.
func TestStreamOpenedWhileStopping(t *testing.T) {
	s := newSite(t)
	b := s.browser()
	loc := b.start("Hi")
	s.hub.Close()
	a := b.do("GET", "/t/"+strings.TrimPrefix(loc, "/mastra/t/")+"/stream?pane=run", nil)
	if a.StatusCode != http.StatusServiceUnavailable || !strings.Contains(a.body, "stopping") {
		t.Errorf("%d %q", a.StatusCode, a.body)
	}
}
