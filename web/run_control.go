package web

import (
	"errors"
	"net/http"
	"net/url"
	"strconv"

	"github.com/labstack/echo/v4"

	"cairn/components"
	"cairn/internal/runner"
	"cairn/internal/threadlog"
	"cairn/internal/view"
)

// runStop ends the thread's run and answers when it has ended.
func (s *Server) runStop(c echo.Context) error {
	t, err := s.thread(c)
	if err != nil {
		return err
	}
	if err := s.Runner.Stop(c.Request().Context(), t.ID); err != nil {
		return err
	}
	return s.done(c, t)
}

// runRetry repeats the run that failed.
func (s *Server) runRetry(c echo.Context) error {
	t, err := s.thread(c)
	if err != nil {
		return err
	}
	if err := readForm(c); err != nil {
		return err
	}
	var failure int64
	if v := c.FormValue("failure"); v != "" {
		if failure, err = strconv.ParseInt(v, 10, 64); err != nil {
			return refuse(http.StatusBadRequest, "The form is incomplete. Please reload the page.")
		}
	}
	if err := s.Runner.Retry(c.Request().Context(), t.ID, failure); err != nil {
		return s.settled(c, t, err)
	}
	return s.done(c, t)
}

// interruptDecide is a decision on the open question. A stale one changes nothing
// and shows the current state; one that does not fit the form changes nothing and returns
// the correction to make.
func (s *Server) interruptDecide(c echo.Context) error {
	t, err := s.thread(c)
	if err != nil {
		return err
	}
	generation, err := strconv.Atoi(c.Param("generation"))
	if err != nil {
		return refuse(http.StatusNotFound, "There is no such request.")
	}
	if err := readForm(c); err != nil {
		return err
	}
	ctx, posted := c.Request().Context(), c.Request().PostForm
	question, err := s.Views.Question(ctx, t.ID, generation)
	if errors.Is(err, view.ErrNotOpen) {
		err = runner.ErrStale
	}
	if err != nil {
		return s.settled(c, t, err)
	}
	each, err := readDecision(question, posted)
	if why := new(unfit); errors.As(err, &why) {
		return s.unfit(c, t, generation, posted, why)
	} else if err != nil {
		return err
	}
	if err := s.Runner.Decide(ctx, t.ID, generation, each); err != nil {
		return s.settled(c, t, err)
	}
	return s.done(c, t)
}

// unfit answers a decision that does not fit its form: with the sentence for scripts,
// whose page still holds what was typed, else with the page, the sentence and what was
// typed.
func (s *Server) unfit(c echo.Context, t threadlog.Thread, generation int, posted url.Values, why *unfit) error {
	if scripted(c) {
		c.Response().Header().Set("X-Field", why.field)
		return refuse(http.StatusUnprocessableEntity, why.text)
	}
	p, err := s.threadRun(c, s.demos[t.Demo], t, view.Place{})
	if err != nil {
		return err
	}
	action := URLs().Decide(t.ID, generation)
	for _, item := range p.Chat.Items {
		if a := item.Approval; a != nil && a.Action == action {
			*a = a.Refused(posted, why.text, why.field)
		}
	}
	return s.page(c, http.StatusUnprocessableEntity, components.RunPageView(p))
}

// settled answers a request that came too late: people see how things stand.
func (s *Server) settled(c echo.Context, t threadlog.Thread, err error) error {
	if status, _, _ := explain(err); status == http.StatusConflict && !scripted(c) {
		return s.done(c, t)
	}
	return err
}
