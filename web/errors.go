package web

import (
	"context"
	"errors"
	"net/http"
	"strings"

	"github.com/labstack/echo/v4"

	"cairn/components"
	"cairn/internal/crash"
	"cairn/internal/runner"
	"cairn/internal/threadlog"
)

// refusal is an error with the status and the sentence a person gets.
type refusal struct {
	status int
	text   string
}

func (r *refusal) Error() string { return r.text }

func refuse(status int, text string) error { return &refusal{status, text} }

// refusals are the sentences for the errors with which other packages refuse a request.
var refusals = []struct {
	err    error
	status int
	text   string
}{
	{runner.ErrRunning, http.StatusConflict, "The agent is still answering. Wait for it or stop it, then send again."},
	{runner.ErrPending, http.StatusConflict, "Please decide on the open request first. Your message is still here."},
	{runner.ErrIDTaken, http.StatusConflict, "Another message was sent from this form in the meantime. Please send again."},
	{runner.ErrStale, http.StatusConflict, "That request is no longer open; the page shows how it was decided."},
	{runner.ErrUnanswerable, http.StatusConflict, "That request can no longer be answered. You can go on with a new message."},
	{runner.ErrNothingToRetry, http.StatusConflict, "There is nothing to send again."},
	{runner.ErrNoAnswer, http.StatusConflict, "There is no answer here that could be asked for again."},
	{runner.ErrHadEffect, http.StatusConflict, "The agent did something for this answer, and that would happen twice. Please write a new message instead."},
	{runner.ErrTooLong, http.StatusConflict, "This conversation has grown too long for more. It stays readable; please start a new one."},
	{runner.ErrClosing, http.StatusServiceUnavailable, "The server is stopping. Please try again in a moment."},
	{runner.ErrUnrecorded, http.StatusInsufficientStorage, "The answer has ended, but the server's disk does not take that down yet. The page follows as soon as it does."},
	{context.Canceled, http.StatusServiceUnavailable, "The server is stopping. Please try again in a moment."}, // not the request's: see handleError
	{threadlog.ErrNotFound, http.StatusNotFound, "There is no such conversation here. It may belong to another browser."},
	{threadlog.ErrFull, http.StatusInsufficientStorage, "The server's disk is full, so nothing was sent or changed. What you wrote is still here."},
	{threadlog.ErrReadOnly, http.StatusInsufficientStorage, "The server may not write to its disk, so nothing was sent or changed. What you wrote is still here."},
	{threadlog.ErrCorrupt, http.StatusInternalServerError, "What the server stored is damaged, and trying again will not help. Nothing was sent or changed."},
}

// explain returns the HTTP status and the user's text of an error. loud is true when the
// server or its disk caused the error.
func explain(err error) (status int, text string, loud bool) {
	var r *refusal
	if errors.As(err, &r) {
		return r.status, r.text, false
	}
	var gone *goneError
	if errors.As(err, &gone) {
		return http.StatusGone, "You deleted “" + gone.Title + "”. It is kept for a few minutes more and can be brought back.", false
	}
	var tooLarge *http.MaxBytesError
	if errors.As(err, &tooLarge) {
		return http.StatusRequestEntityTooLarge, "That message is too long.", false
	}
	for _, known := range refusals {
		if errors.Is(err, known.err) {
			return known.status, known.text, known.status == http.StatusInsufficientStorage || known.status == http.StatusInternalServerError
		}
	}
	var he *echo.HTTPError
	if errors.As(err, &he) && he.Code < 500 {
		if he.Code == http.StatusNotFound {
			return he.Code, "There is no such page.", false
		}
		return he.Code, http.StatusText(he.Code), false
	}
	return http.StatusInternalServerError, "Something went wrong on the server. Nothing was lost; please try again.", true
}

// heading is what a person reads first about a status.
func heading(status int) string {
	switch {
	case status == http.StatusNotFound:
		return "Nothing here"
	case status == http.StatusGone:
		return "Deleted"
	case status == http.StatusConflict:
		return "Not just now"
	case status == http.StatusRequestEntityTooLarge:
		return "Too long"
	case status == http.StatusServiceUnavailable:
		return "Back in a moment"
	case status < 500:
		return "That did not work"
	}
	return "Something went wrong"
}

// handleError answers a failed request: a sentence for scripts, a page for people.
func (s *Server) handleError(err error, c echo.Context) {
	answered := crash.Run(s.Logger, "an error page panicked", func() error { s.answerError(err, c); return nil },
		"path", c.Request().URL.Path)
	if answered != nil && !c.Response().Committed {
		_ = c.String(http.StatusInternalServerError, "Something went wrong on the server. Nothing was lost; please try again.")
	}
}

func (s *Server) answerError(err error, c echo.Context) {
	if c.Response().Committed || c.Request().Context().Err() != nil { // nobody waits for an answer
		return
	}
	status, text, loud := explain(err)
	if crashed := new(crash.Error); loud && !errors.As(err, &crashed) { // a panic is logged already
		s.report(c, err)
	}
	if scripted(c) {
		_ = c.String(status, text)
		return
	}
	shell := s.shell(c, s.Demos[0], "", "")
	head := heading(status)
	shell.Title, shell.Crumb = head, head
	p := components.ErrorPage{Shell: shell, Heading: head, Text: text}
	var gone *goneError
	if errors.As(err, &gone) {
		p.Restore = threadURL(gone.ID, "restore")
	}
	_ = s.page(c, status, components.ErrorPageView(p))
}

func (s *Server) report(c echo.Context, err error) {
	s.Logger.Error("request failed", "method", c.Request().Method, "path", c.Request().URL.Path, "err", err)
}

// scripted reports whether the request came from htmx or the stream, not from a
// browser's navigation.
func scripted(c echo.Context) bool {
	return c.Request().Header.Get("HX-Request") != "" || strings.HasSuffix(c.Path(), "/stream")
}
