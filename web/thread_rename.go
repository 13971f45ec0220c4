package web

import (
	"fmt"
	"net/http"
	"strings"
	"unicode/utf8"

	"github.com/labstack/echo/v4"

	"cairn/components"
)

// threadRename gives a conversation another title, on one line.
func (s *Server) threadRename(c echo.Context) error {
	t, err := s.thread(c)
	if err != nil {
		return err
	}
	name := strings.Join(strings.Fields(c.FormValue("title")), " ")
	switch {
	case name == "":
		return refuse(http.StatusUnprocessableEntity, "Please write a title.")
	case !utf8.ValidString(name):
		return refuse(http.StatusUnprocessableEntity, "The title holds characters that could not be read.")
	case utf8.RuneCountInString(name) > components.MaxThreadTitle:
		return refuse(http.StatusUnprocessableEntity, fmt.Sprintf("A title has at most %d characters.", components.MaxThreadTitle))
	}
	if err := s.Log.Rename(c.Request().Context(), t.ID, name); err != nil {
		return err
	}
	if scripted(c) {
		return c.NoContent(http.StatusNoContent)
	}
	if from := referer(c); from != nil {
		return seeOther(c, from.RequestURI())
	}
	return s.done(c, t)
}
