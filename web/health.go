package web

import (
	"context"
	"errors"
	"net/http"
	"sync"
	"time"

	"github.com/labstack/echo/v4"

	"cairn/internal/threadlog"
)

const (
	// readyKey is the record that shows that the log can be written to.
	readyKey = "ready"
	// readyFor is how long an answer counts: asking more often costs no write.
	readyFor = time.Second
)

// readiness is the last result of the log check.
type readiness struct {
	mu  sync.Mutex
	at  time.Time
	err error
}

// healthz responds with 200 while the process is up.
func (s *Server) healthz(c echo.Context) error {
	return c.JSON(http.StatusOK, map[string]bool{"ok": true})
}

// readyz reports whether new runs are accepted: the log accepts writes and the server is
// not stopping. An unreachable agent is listed but does not make the server unready: its
// pages stay readable.
func (s *Server) readyz(c echo.Context) error {
	agents := map[string]string{}
	for demo, why := range s.Reach.States() {
		agents[demo] = "reachable"
		if why != "" {
			agents[demo] = "unreachable: " + why
		}
	}
	if s.Runner.Closing() {
		return c.JSON(http.StatusServiceUnavailable, map[string]any{"ready": false, "detail": "the server is stopping", "agents": agents})
	}
	if err := s.ready.check(c.Request().Context(), s.Log); err != nil {
		s.Logger.Error("not ready", "err", err)
		detail := "the log cannot be written to"
		for _, why := range []error{threadlog.ErrFull, threadlog.ErrReadOnly, threadlog.ErrCorrupt} {
			if errors.Is(err, why) {
				detail += ": " + why.Error()
			}
		}
		return c.JSON(http.StatusServiceUnavailable, map[string]any{"ready": false, "detail": detail, "agents": agents})
	}
	return c.JSON(http.StatusOK, map[string]any{"ready": true, "agents": agents})
}

func (r *readiness) check(ctx context.Context, log threadlog.Records) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if time.Since(r.at) < readyFor {
		return r.err
	}
	_, rev, err := log.Get(ctx, readyKey)
	if err == nil || errors.Is(err, threadlog.ErrNotFound) {
		_, err = log.CompareAndSet(ctx, readyKey, rev, nil)
	}
	if errors.Is(err, threadlog.ErrConflict) { // another process's was stored
		err = nil
	}
	if ctx.Err() == nil { // else nothing was learned
		r.at, r.err = time.Now(), err
	}
	return err
}
