package web

import (
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/labstack/echo/v4"
	"github.com/starfederation/datastar-go/datastar"

	"cairn/internal/view"
)

const (
	// writeWait is how long a peer may take to accept a frame; one that has stopped
	// reading would otherwise hold its stream for ever (measured).
	writeWait = 10 * time.Second
	// pingEvery keeps proxies from closing a quiet stream and tells the browser
	// that the server lives.
	pingEvery = 15 * time.Second
)

// stream is the one event stream of a tab: the whole page first, then the list of
// conversations, then every change of either, until the tab goes away.
func (s *Server) stream(c echo.Context) error {
	t, err := s.thread(c)
	if err != nil {
		return err
	}
	ctx := c.Request().Context()
	frames, err := s.Views.Watch(ctx, t.ID)
	if err != nil {
		return err
	}
	return s.serveStream(c, frames, s.watchThreads(c, t.ID, true), s.watchReach(t.Demo))
}

// serveStream sends a conversation's frames, nil on a page without one, and what
// changes in the list and of the agent's reachability.
func (s *Server) serveStream(c echo.Context, frames <-chan view.Frame, list *threadWatch, reach *reachWatch) error {
	ctx := c.Request().Context()
	c.Response().Committed = true // from here on the egress answers, beside echo
	out := openEgress(c.Response().Writer, c.Request())
	ping := time.NewTicker(pingEvery)
	defer ping.Stop()
	midnight := time.NewTimer(list.midnight())
	defer midnight.Stop()
	var closing <-chan struct{} // a view ends its streams itself, after the last frame
	if frames == nil {
		closing = s.closing.Done()
		list.begin(ctx)
		reach.begin()
	}
	for {
		var err error
		select {
		case f, ok := <-frames:
			if !ok {
				return nil
			}
			err = out.frame(f)
			list.begin(ctx)
			reach.begin()
		case _, ok := <-list.wakes:
			if !ok {
				return nil
			}
			list.woken()
		case <-list.due:
			f, unread := list.frame(ctx)
			if unread != nil && ctx.Err() == nil { // the conversation goes on beside it
				s.Logger.Warn("list conversations; trying again", "err", unread)
				list.again()
				continue
			}
			err = out.list(f)
		case <-reach.changed:
			var f view.Frame
			if f, err = reach.frame(ctx); err == nil {
				err = out.frame(f)
			}
		case <-midnight.C:
			midnight.Reset(list.midnight())
			list.woken()
		case <-ping.C:
			err = out.ping()
		case <-ctx.Done():
			return nil
		case <-closing:
			return nil
		}
		if err != nil {
			s.Logger.Debug("stream ended", "path", c.Request().URL.Path, "err", err)
			return nil
		}
	}
}

// egress is the only way bytes get onto a stream. datastar-go ends lines at LF
// alone while browsers also end them at CR, so a bare CR in an agent's text would
// forge events (reproduced); every text passes lf first.
type egress struct {
	sse *datastar.ServerSentEventGenerator
	rc  *http.ResponseController
}

func openEgress(w http.ResponseWriter, r *http.Request) *egress {
	h := w.Header()
	h.Set("X-Accel-Buffering", "no")
	h.Set("Cache-Control", "no-store")
	e := &egress{rc: http.NewResponseController(w)}
	e.deadline()
	e.sse = datastar.NewSSE(w, r)
	return e
}

// frame sends the patches of one frame in order.
func (e *egress) frame(f view.Frame) error {
	for _, p := range f {
		e.deadline()
		opts := []datastar.PatchElementOption{datastar.WithSelector(lf(p.Selector)), datastar.WithMode(datastar.ElementPatchMode(p.Mode))}
		if err := e.sse.PatchElements(lf(p.HTML), opts...); err != nil {
			return fmt.Errorf("send patch: %w", err)
		}
	}
	return nil
}

// list sends what is new of the list, and word of it.
func (e *egress) list(f view.Frame) error {
	if err := e.frame(f); err != nil {
		return err
	}
	e.deadline()
	return e.sse.Send(threadsChanged, []string{""})
}

// ping sends an event that changes nothing; comments would be invisible to the
// page's watchdog.
func (e *egress) ping() error {
	e.deadline()
	return e.sse.Send("ping", []string{"{}"})
}

// deadline arms the write deadline anew; a writer without deadlines (a test's)
// goes without.
func (e *egress) deadline() { _ = e.rc.SetWriteDeadline(time.Now().Add(writeWait)) }

var newlines = strings.NewReplacer("\r\n", "\n", "\r", "\n")

func lf(s string) string { return newlines.Replace(s) }
