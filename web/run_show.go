package web

import (
	"fmt"
	"net/http"

	"github.com/google/uuid"
	"github.com/labstack/echo/v4"

	"cairn/components"
	"cairn/demos"
	"cairn/internal/threadlog"
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
	p, err := s.threadRun(c, d, t)
	if err != nil {
		return err
	}
	return s.page(c, http.StatusOK, components.RunPageView(p))
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

// threadRun is the Run tab of a thread as it is now.
func (s *Server) threadRun(c echo.Context, d demos.Demo, t threadlog.Thread) (components.RunPage, error) {
	run, err := s.Views.Page(c.Request().Context(), t.ID)
	if err != nil {
		return components.RunPage{}, fmt.Errorf("show thread %s: %w", t.ID, err)
	}
	sh := s.shell(c, d, "run", t.ID)
	sh.Title, sh.Crumb, sh.Stream, sh.Live = t.Title, t.Title, streamURL(t.ID), ""
	return components.RunPage{Shell: sh, Chat: run.Chat, Panel: run.Panel}, nil
}
