package web

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/labstack/echo/v4"

	"cairn/components"
	"cairn/internal/threadlog"
)

const (
	// UndoFor is how long a deleted conversation can be brought back, at least.
	UndoFor = 10 * time.Minute
	// deletedParam names, in a page's URL, the conversation whose deletion the page
	// offers to undo.
	deletedParam = "deleted"
)

// deleted is the record of a conversation that its owner deleted. It is purged with the
// conversation: the log no longer lists it.
type deleted struct {
	ID    string `json:"-"`
	Owner string `json:"owner"`
	Title string `json:"title"`
	Demo  string `json:"demo"`
}

// goneError is what opening a deleted conversation fails with, for its owner.
type goneError struct{ deleted }

func (g *goneError) Error() string { return "conversation " + g.ID + " was deleted" }

// threadDelete stops what goes on in a conversation and deletes it. It can be
// brought back for a while.
func (s *Server) threadDelete(c echo.Context) error {
	ctx := c.Request().Context()
	t, err := s.thread(c)
	var gone *goneError
	switch {
	case errors.As(err, &gone): // a second click
		return s.deletedAnswer(c, gone.deleted)
	case err != nil:
		return err
	}
	if err := s.Runner.Stop(ctx, t.ID); err != nil {
		return err
	}
	d := deleted{ID: t.ID, Owner: t.Owner, Title: t.Title, Demo: t.Demo}
	if err := s.storeDeleted(ctx, d); err != nil {
		return err
	}
	if err := s.Log.Delete(ctx, t.ID); err != nil {
		return err
	}
	if err := s.Runner.Stop(ctx, t.ID); err != nil { // what another tab began in between
		return err
	}
	return s.deletedAnswer(c, d)
}

// deletedAnswer offers to undo: on a new conversation when the page was that of the
// deleted one, else where the person is.
func (s *Server) deletedAnswer(c echo.Context, d deleted) error {
	from := referer(c)
	if from == nil || shows(from, d.ID) {
		return seeOther(c, demoURL(d.Demo, "")+"?"+deletedParam+"="+d.ID)
	}
	if scripted(c) {
		return s.page(c, http.StatusOK, components.ThreadNoticeView(d.notice()))
	}
	q := from.Query()
	q.Set(deletedParam, d.ID)
	from.RawQuery = q.Encode()
	return seeOther(c, from.RequestURI())
}

func (d deleted) notice() components.ThreadNotice {
	return components.ThreadNotice{Text: "Deleted “" + d.Title + "”.", Restore: threadURL(d.ID, "restore")}
}

func (s *Server) storeDeleted(ctx context.Context, d deleted) error {
	key := threadlog.Key(d.ID, deletedParam)
	_, rev, err := s.Log.Get(ctx, key)
	if err != nil && !errors.Is(err, threadlog.ErrNotFound) {
		return err
	}
	value, err := json.Marshal(d)
	if err != nil {
		return fmt.Errorf("encode the record of the deleted conversation: %w", err)
	}
	_, err = s.Log.CompareAndSet(ctx, key, rev, value)
	if errors.Is(err, threadlog.ErrConflict) { // another tab did it just now
		return nil
	}
	return err
}

// findDeleted returns the owner's conversation with that id when it is deleted and can
// be restored, and threadlog.ErrNotFound otherwise.
func (s *Server) findDeleted(ctx context.Context, owner, id string) (deleted, error) {
	if owner == "" || !isID(id) {
		return deleted{}, threadlog.ErrNotFound
	}
	switch _, err := s.Log.Thread(ctx, id); {
	case err == nil:
		return deleted{}, threadlog.ErrNotFound // it is not deleted
	case !errors.Is(err, threadlog.ErrNotFound):
		return deleted{}, err
	}
	value, _, err := s.Log.Get(ctx, threadlog.Key(id, deletedParam))
	if err != nil {
		return deleted{}, err
	}
	d := deleted{ID: id}
	if err := json.Unmarshal(value, &d); err != nil || d.Owner != owner {
		return deleted{}, threadlog.ErrNotFound
	}
	return d, nil
}

// deletedNotice is for the page that a deletion led to.
func (s *Server) deletedNotice(c echo.Context) components.ThreadNotice {
	d, err := s.findDeleted(c.Request().Context(), s.owner(c), c.QueryParam(deletedParam))
	if err != nil {
		return components.ThreadNotice{} // the page is worth more than the offer
	}
	return d.notice()
}

// referer is the page of ours that a form was sent from, nil when the browser did not send it.
func referer(c echo.Context) *url.URL {
	u, err := url.Parse(c.Request().Referer())
	if err != nil || u.Host != c.Request().Host || !strings.HasPrefix(u.Path, "/") || strings.HasPrefix(u.Path, "//") {
		return nil
	}
	return &url.URL{Path: u.Path, RawQuery: u.RawQuery}
}

// shows reports whether the page belongs to the conversation.
func shows(page *url.URL, thread string) bool {
	return strings.Contains(page.Path+"/", "/t/"+thread+"/")
}

// seeOther leads to another page, in a script's hands too.
func seeOther(c echo.Context, to string) error {
	if scripted(c) {
		c.Response().Header().Set("HX-Redirect", to)
		return c.NoContent(http.StatusNoContent)
	}
	return c.Redirect(http.StatusSeeOther, to)
}
