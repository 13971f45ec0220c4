package web

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"cairn/components"
	"cairn/internal/threadlog"
)

// threadRestore brings a deleted conversation back, and the person to it when that
// is where they were.
func (s *Server) threadRestore(c echo.Context) error {
	owner, id := s.owner(c), c.Param("thread")
	if owner == "" {
		return refuse(http.StatusUnauthorized, "This browser has no session here. Open the start page first.")
	}
	if !isID(id) {
		return threadlog.ErrNotFound
	}
	ctx := c.Request().Context()
	if err := s.Log.Restore(ctx, owner, id); err != nil {
		return err
	}
	t, err := s.thread(c)
	if err != nil {
		return err
	}
	from := referer(c)
	if from == nil || shows(from, id) || from.Path == demoURL(t.Demo, "") && from.Query().Get(deletedParam) == id {
		return seeOther(c, demoURL(t.Demo, id))
	}
	if scripted(c) {
		return s.page(c, http.StatusOK, components.ThreadNoticeView(components.ThreadNotice{Text: "Brought back “" + t.Title + "”."}))
	}
	q := from.Query()
	q.Del(deletedParam)
	from.RawQuery = q.Encode()
	return seeOther(c, from.RequestURI())
}
