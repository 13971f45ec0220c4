package web

import (
	"bytes"
	"errors"
	"fmt"
	"net/http"

	"github.com/a-h/templ"
	"github.com/labstack/echo/v4"

	"cairn/components"
	"cairn/demos"
	"cairn/internal/threadlog"
)

// page renders into a buffer first, so that a failure never leaves half a page.
func (s *Server) page(c echo.Context, status int, body templ.Component) error {
	var b bytes.Buffer
	if err := body.Render(c.Request().Context(), &b); err != nil {
		return fmt.Errorf("render: %w", err)
	}
	c.Response().Header().Set("Cache-Control", "no-store")
	return c.HTMLBlob(status, b.Bytes())
}

// shell is what every page of the demo has in common; tab and thread may be "".
func (s *Server) shell(c echo.Context, d demos.Demo, tab, thread string) components.Shell {
	sh := components.Shell{
		Title:           d.Name,
		Assets:          s.Assets,
		Current:         components.DemoLink{Name: d.Name, Runtime: d.Runtime, URL: demoURL(d.Slug, ""), Current: true},
		NewConversation: demoURL(d.Slug, ""),
		Model:           s.Models[d.Slug],
		Notice:          s.notice(d.Slug),
		Tabs: []components.TabLink{
			{ID: "run", Label: "Run", URL: demoURL(d.Slug, thread), Current: tab == "run"},
			{ID: "code", Label: "Code", URL: codeURL(d.Slug, thread, ""), Current: tab == "code"},
		},
	}
	s.sidebar(c, &sh, demoURL(d.Slug, ""), thread)
	if sh.Live != "" {
		sh.Live = threadsStreamURL(thread, d.Slug)
	}
	return sh
}

// bareShell is what a page that belongs to no demo has in common with the others.
func (s *Server) bareShell(c echo.Context, at, title string) components.Shell {
	sh := components.Shell{Title: title, Crumb: title, Assets: s.Assets}
	s.sidebar(c, &sh, at, "")
	return sh
}

// notice returns the text for an unreachable agent of the demo.
func (s *Server) notice(demo string) string {
	if why := s.Reach.Why(demo); why != "" {
		return "The agent of this demo cannot be reached: " + why + ". What is here stays readable; messages will fail until it is back."
	}
	return ""
}

// sidebar fills in what stands beside every page; at is the one that is shown,
// thread the conversation it is of.
func (s *Server) sidebar(c echo.Context, sh *components.Shell, at, thread string) {
	for _, d := range s.Demos {
		url := demoURL(d.Slug, "")
		sh.Demos = append(sh.Demos, components.DemoLink{Name: d.Name, Runtime: d.Runtime, URL: url, Current: url == at})
	}
	sh.Measured = []components.DemoLink{{Name: "Support matrix", Runtime: "what each runtime does", URL: matrixURL, Current: at == matrixURL}}
	sh.Threads, sh.Deleted = s.sidebarThreads(c, thread), s.deletedNotice(c)
	if s.owner(c) != "" && !s.Assets.Missing {
		sh.Live = threadsStreamURL(thread, "")
	}
}

// demo is the one in the path.
func (s *Server) demo(c echo.Context) (demos.Demo, error) {
	slug := c.Param("demo")
	if d, ok := s.demos[slug]; ok {
		return d, nil
	}
	for _, d := range demos.All() {
		if d.Slug == slug {
			return d, refuse(http.StatusNotFound, d.Name+" has no agent here. make runtimes starts one, or name an endpoint for "+slug+" in the file that CAIRN_UPSTREAMS names.")
		}
	}
	return demos.Demo{}, refuse(http.StatusNotFound, "There is no such page.")
}

// thread returns the thread in the path when it belongs to the session of the request.
// The error does not reveal whether another session owns it.
func (s *Server) thread(c echo.Context) (threadlog.Thread, error) {
	owner := s.owner(c)
	if owner == "" {
		return threadlog.Thread{}, refuse(http.StatusUnauthorized, "This browser has no session here. Open the start page first.")
	}
	id := c.Param("thread")
	if !isID(id) {
		return threadlog.Thread{}, threadlog.ErrNotFound
	}
	t, err := s.Log.Thread(c.Request().Context(), id)
	if errors.Is(err, threadlog.ErrNotFound) {
		d, err := s.findDeleted(c.Request().Context(), owner, id)
		if err != nil {
			return t, err
		}
		return t, &goneError{d}
	}
	if err != nil {
		return t, err
	}
	if t.Owner != owner {
		return threadlog.Thread{}, threadlog.ErrNotFound
	}
	return t, nil
}

// done answers a POST: scripts see the change on the stream, people go back to
// the page.
func (s *Server) done(c echo.Context, t threadlog.Thread) error {
	if scripted(c) {
		return c.NoContent(http.StatusNoContent)
	}
	return c.Redirect(http.StatusSeeOther, demoURL(t.Demo, t.ID))
}
