package web_test

import (
	"net/http"
	"net/http/httptest"
	"testing"
	"time"
)

// writeDeadline notes the deadline that is set before an answer.
type writeDeadline struct {
	http.ResponseWriter
	until time.Time
}

func (w *writeDeadline) SetWriteDeadline(t time.Time) error {
	w.until = t
	return nil
}

// TestAnswersHaveAWriteDeadline: a peer that does not read its page ends too.
func TestAnswersHaveAWriteDeadline(t *testing.T) {
	s := newSite(t)
	for _, path := range []string{"/", "/mastra", "/static/x.css", "/no/such/page"} {
		w := &writeDeadline{ResponseWriter: httptest.NewRecorder()}
		s.Config.Handler.ServeHTTP(w, httptest.NewRequest("GET", path, nil))
		if in := time.Until(w.until); in <= 0 || in > 5*time.Minute {
			t.Errorf("%s: in %v", path, in)
		}
	}
}
