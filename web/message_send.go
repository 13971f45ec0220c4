package web

import (
	"errors"
	"net/http"
	"unicode/utf8"

	"github.com/google/uuid"
	"github.com/labstack/echo/v4"

	"cairn/components"
	"cairn/internal/plaintext"
	"cairn/internal/threadlog"
	"cairn/internal/view"
)

const (
	// maxMessage is the longest message that is accepted, in bytes.
	maxMessage = 256 << 10
	// maxTitle is the length of a thread's title, in characters.
	maxTitle = 60
)

// message is the form of a message.
type message struct{ id, text string }

// readForm reads what was posted.
func readForm(c echo.Context) error {
	err := c.Request().ParseForm()
	var tooLarge *http.MaxBytesError
	var late *refusal
	if err == nil || errors.As(err, &tooLarge) || errors.As(err, &late) {
		return err
	}
	return refuse(http.StatusBadRequest, "The form could not be read.")
}

// readMessage reads and checks the form. Line ends are LF; text is never cut.
func readMessage(c echo.Context) (message, error) {
	if err := readForm(c); err != nil {
		return message{}, err
	}
	m := message{id: c.FormValue("message_id"), text: c.FormValue("text")}
	m.text = lf(m.text)
	switch {
	case !isID(m.id):
		return m, refuse(http.StatusBadRequest, "The form is incomplete. Please reload the page.")
	case plaintext.Line(m.text, 1) == "":
		return m, refuse(http.StatusUnprocessableEntity, "Please write a message first.")
	case !utf8.ValidString(m.text):
		return m, refuse(http.StatusUnprocessableEntity, "The message holds characters that could not be read.")
	case len(m.text) > maxMessage:
		return m, refuse(http.StatusRequestEntityTooLarge, "That message is too long. At most 256 KB can be sent at once.")
	}
	return m, nil
}

// threadCreate is the first message. The thread's id follows from the message's,
// so a form sent twice makes one thread.
func (s *Server) threadCreate(c echo.Context) error {
	d, err := s.demo(c)
	if err != nil {
		return err
	}
	owner, err := s.ensureOwner(c)
	if err != nil {
		return err
	}
	m, err := readMessage(c)
	if err != nil {
		p := s.newRun(c, d, uuid.NewString())
		return s.sendRefused(c, err, p, m)
	}
	t := threadlog.Thread{
		ID:    uuid.NewSHA1(uuid.NameSpaceOID, []byte(owner+"/"+m.id)).String(),
		Owner: owner, Demo: d.Slug, Title: title(m.text),
	}
	ctx := c.Request().Context()
	if err := s.Log.Create(ctx, t); err != nil && !errors.Is(err, threadlog.ErrExists) {
		return s.sendRefused(c, err, s.newRun(c, d, m.id), m)
	}
	if err := s.Runner.Send(ctx, t.ID, m.id, m.text); err != nil {
		return s.sendRefused(c, err, s.newRun(c, d, uuid.NewString()), m)
	}
	if scripted(c) {
		c.Response().Header().Set("HX-Location", demoURL(d.Slug, t.ID))
		return c.NoContent(http.StatusNoContent)
	}
	return c.Redirect(http.StatusSeeOther, demoURL(d.Slug, t.ID))
}

// messageSend is a further message.
func (s *Server) messageSend(c echo.Context) error {
	t, err := s.thread(c)
	if err != nil {
		return err
	}
	m, err := readMessage(c)
	if err == nil {
		err = s.Runner.Send(c.Request().Context(), t.ID, m.id, m.text)
	}
	if err == nil {
		return s.done(c, t)
	}
	if scripted(c) {
		return err
	}
	p, pageErr := s.threadRun(c, s.demos[t.Demo], t, view.Place{})
	if pageErr != nil {
		return pageErr
	}
	return s.sendRefused(c, err, p, m)
}

// sendRefused answers a message that was not taken: with the sentence for scripts,
// which have kept the draft, else with the page, the sentence and the draft.
func (s *Server) sendRefused(c echo.Context, err error, p components.RunPage, m message) error {
	status, text, loud := explain(err)
	if scripted(c) || status == http.StatusInternalServerError {
		return err
	}
	if loud {
		s.report(c, err)
	}
	p.Chat.Composer.Draft, p.Chat.Composer.Error = m.text, text
	return s.page(c, status, components.RunPageView(p))
}

// title is the start of the first message, on one line.
func title(text string) string { return plaintext.Line(text, maxTitle) }

// isID accepts ids as we write them, not the other spellings of a UUID.
func isID(s string) bool {
	id, err := uuid.Parse(s)
	return err == nil && id.String() == s
}
