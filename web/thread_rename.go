package web

import (
	"fmt"
	"net/http"
	"unicode/utf8"

	"github.com/labstack/echo/v4"

	"cairn/components"
	"cairn/internal/plaintext"
)

// threadRename changes a conversation's title, which is one line without hidden
// characters.
func (s *Server) threadRename(c echo.Context) error {
	t, err := s.thread(c)
	if err != nil {
		return err
	}
	if err := readForm(c); err != nil {
		return err
	}
	posted := c.FormValue("title")
	name := plaintext.Line(posted, components.MaxThreadTitle+1)
	switch {
	case !utf8.ValidString(posted):
		return refuse(http.StatusUnprocessableEntity, "The title holds characters that could not be read.")
	case plaintext.HasControls(posted):
		return refuse(http.StatusUnprocessableEntity, "A title cannot hold control characters.")
	case name == "":
		return refuse(http.StatusUnprocessableEntity, "Please write a title.")
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
