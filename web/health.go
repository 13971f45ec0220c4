package web

import (
	"net/http"

	"github.com/labstack/echo/v4"
)

// healthz says that the process is up.
func (s *Server) healthz(c echo.Context) error {
	return c.JSON(http.StatusOK, map[string]bool{"ok": true})
}

// readyz says whether the log answers. An agent that cannot be reached is told and
// is no reason to take this server out of rotation: its pages stay readable.
func (s *Server) readyz(c echo.Context) error {
	agents := map[string]string{}
	for demo, why := range s.Reach.States() {
		agents[demo] = "reachable"
		if why != "" {
			agents[demo] = "unreachable: " + why
		}
	}
	if _, err := s.Log.Open(c.Request().Context()); err != nil {
		s.Logger.Error("not ready", "err", err)
		return c.JSON(http.StatusServiceUnavailable, map[string]any{"ready": false, "detail": "the log cannot be read", "agents": agents})
	}
	return c.JSON(http.StatusOK, map[string]any{"ready": true, "agents": agents})
}
