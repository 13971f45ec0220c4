package web

import (
	"errors"
	"net/http"
	"strconv"
	"time"

	"github.com/labstack/echo/v4"

	"cairn/internal/view"
)

// mediaShow is the data of a picture or a file that an agent or a tool sent. Only what is
// by its own bytes a picture without scripts has a type of its own; anything else is a
// download of unnamed bytes.
func (s *Server) mediaShow(c echo.Context) error {
	t, err := s.thread(c)
	if err != nil {
		return err
	}
	m, err := s.Views.Media(c.Request().Context(), t.ID, c.Param("part"))
	if errors.Is(err, view.ErrNoMedia) {
		return refuse(http.StatusNotFound, "There is no such file in this conversation.")
	}
	if err != nil {
		return err
	}
	h := c.Response().Header()
	h.Set("Content-Security-Policy", "sandbox; default-src 'none'")
	h.Set("Cache-Control", "no-store")
	h.Set("Content-Length", strconv.Itoa(len(m.Data)))
	h.Set("Content-Type", "application/octet-stream")
	if m.Type != "" {
		h.Set("Content-Type", m.Type)
	}
	if m.Type == "" || c.QueryParam("download") != "" {
		h.Set("Content-Disposition", `attachment; filename="`+m.Name+`"`)
	}
	_ = http.NewResponseController(c.Response().Writer).SetWriteDeadline(time.Now().Add(textWait)) // a test's writer has none
	c.Response().WriteHeader(http.StatusOK)
	_, _ = c.Response().Write(m.Data) // a peer that has gone needs no answer
	return nil
}
