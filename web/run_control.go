package web

import (
	"net/http"
	"strconv"

	"github.com/labstack/echo/v4"

	"cairn/internal/threadlog"
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
// and shows how things stand.
func (s *Server) interruptDecide(c echo.Context) error {
	t, err := s.thread(c)
	if err != nil {
		return err
	}
	generation, err := strconv.Atoi(c.Param("generation"))
	if err != nil {
		return refuse(http.StatusNotFound, "There is no such request.")
	}
	var approved bool
	switch c.FormValue("decision") {
	case "approve":
		approved = true
	case "cancel":
	default:
		return refuse(http.StatusBadRequest, "Please choose Approve or Cancel.")
	}
	if err := s.Runner.Decide(c.Request().Context(), t.ID, generation, approved); err != nil {
		return s.settled(c, t, err)
	}
	return s.done(c, t)
}

// settled answers a request that came too late: people see how things stand.
func (s *Server) settled(c echo.Context, t threadlog.Thread, err error) error {
	if status, _, _ := explain(err); status == http.StatusConflict && !scripted(c) {
		return s.done(c, t)
	}
	return err
}
