package web

import (
	"fmt"
	"net/http"
	"strconv"

	"github.com/google/uuid"
	"github.com/labstack/echo/v4"

	"cairn/components"
	"cairn/demos"
	"cairn/internal/plaintext"
	"cairn/internal/threadlog"
	"cairn/internal/view"
)

func (s *Server) home(c echo.Context) error {
	return c.Redirect(http.StatusFound, demoURL(s.Demos[0].Slug, ""))
}

// runShow is the Run tab: a new conversation, or the thread in the path.
func (s *Server) runShow(c echo.Context) error {
	d, err := s.demo(c)
	if err != nil {
		return err
	}
	if _, err := s.ensureOwner(c); err != nil {
		return err
	}
	if c.Param("thread") == "" {
		return s.page(c, http.StatusOK, components.RunPageView(s.newRun(c, d, uuid.NewString())))
	}
	t, err := s.thread(c)
	if err != nil {
		return err
	}
	if t.Demo != d.Slug {
		return c.Redirect(http.StatusFound, demoURL(t.Demo, t.ID))
	}
	p, err := s.threadRun(c, d, t, placeOf(c))
	if err != nil {
		return err
	}
	return s.page(c, http.StatusOK, components.RunPageView(p))
}

// placeOf is the part of the conversation that the query asks for; what cannot be read
// is its end.
func placeOf(c echo.Context) (p view.Place) {
	p.Before, _ = strconv.Atoi(c.QueryParam("before"))
	p.At, _ = strconv.Atoi(c.QueryParam("at"))
	return p
}

// newRun is the Run tab before the first message, whose id is minted here.
func (s *Server) newRun(c echo.Context, d demos.Demo, messageID string) components.RunPage {
	action := "/" + d.Slug + "/messages"
	sh := s.shell(c, d, "run", "")
	sh.Crumb = "New conversation"
	return components.RunPage{
		Shell: sh,
		Chat: components.Chat{
			Welcome: &components.Welcome{
				Heading: d.Heading, Lead: d.Lead, Suggestions: d.Suggestions,
				Action: action, MessageID: messageID,
			},
			Composer: components.Composer{
				Action: action, MessageID: messageID, Placeholder: d.Placeholder, Status: s.Views.Status(d.Slug),
			},
		},
		Panel: d.NewPanel().View(),
	}
}

// threadRun is the Run tab of a thread as it is now, at a place of the conversation. Only
// the page that shows its end has a stream.
func (s *Server) threadRun(c echo.Context, d demos.Demo, t threadlog.Thread, p view.Place) (components.RunPage, error) {
	run, err := s.Views.Page(c.Request().Context(), t.ID, p)
	if err != nil {
		return components.RunPage{}, fmt.Errorf("show thread %s: %w", t.ID, err)
	}
	sh := s.shell(c, d, "run", t.ID)
	sh.Title = plaintext.Line(t.Title, components.MaxThreadTitle)
	sh.Crumb = sh.Title
	if run.Live {
		sh.Stream, sh.Live = streamURL(t.ID), ""
	}
	return components.RunPage{Shell: sh, Chat: run.Chat, Panel: run.Panel}, nil
}
