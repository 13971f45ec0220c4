package web

import "github.com/labstack/echo/v4"

// runRegenerate starts a run that replaces the answer of the run in the form.
func (s *Server) runRegenerate(c echo.Context) error {
	t, err := s.thread(c)
	if err != nil {
		return err
	}
	if err := readForm(c); err != nil {
		return err
	}
	if err := s.Runner.Regenerate(c.Request().Context(), t.ID, c.FormValue("run")); err != nil {
		return s.settled(c, t, err)
	}
	return s.done(c, t)
}
