package web

import (
	"errors"
	"io"
	"net/http"
	"time"

	"github.com/labstack/echo/v4"

	"cairn/internal/view"
)

// textWait is how long a peer may take to read a text.
const textWait = 2 * time.Minute

// textShow is the whole of a text that a page shows only the beginning of, as plain text.
// An agent wrote it, so the headers forbid the browser to run or load anything.
func (s *Server) textShow(c echo.Context) error {
	t, err := s.thread(c)
	if err != nil {
		return err
	}
	text, err := s.Views.Text(c.Request().Context(), t.ID, c.Param("part"))
	if errors.Is(err, view.ErrNoText) {
		return refuse(http.StatusNotFound, "There is no such text in this conversation.")
	}
	if err != nil {
		return err
	}
	h := c.Response().Header()
	h.Set("Content-Type", "text/plain; charset=utf-8")
	h.Set("Content-Security-Policy", "sandbox; default-src 'none'")
	h.Set("Cache-Control", "no-store")
	if c.QueryParam("download") != "" {
		h.Set("Content-Disposition", `attachment; filename="text.txt"`)
	}
	_ = http.NewResponseController(c.Response().Writer).SetWriteDeadline(time.Now().Add(textWait)) // a test's writer has none
	c.Response().WriteHeader(http.StatusOK)
	_, _ = io.WriteString(c.Response(), text) // a peer that has gone needs no answer
	return nil
}
