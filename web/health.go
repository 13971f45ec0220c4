package web

import (
	"net/http"

	"github.com/labstack/echo/v4"
)

// healthz says that the process is up.
func (s *Server) healthz(c echo.Context) error {
	return c.JSON(http.StatusOK, map[string]bool{"ok": true})
}

// readyz says whether the log answers.
func (s *Server) readyz(c echo.Context) error {
	if _, err := s.Log.Open(c.Request().Context()); err != nil {
		s.Logger.Error("not ready", "err", err)
		return c.JSON(http.StatusServiceUnavailable, map[string]any{"ready": false, "detail": "the log cannot be read"})
	}
	return c.JSON(http.StatusOK, map[string]bool{"ready": true})
}
