package scriptedmodel

import (
	"crypto/rand"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"os"
	"slices"
	"time"

	"cairn/agenthost/scriptedmodel/script"
)

const (
	// DefaultDelay is the pause before each streamed piece when Config names none.
	DefaultDelay = 25 * time.Millisecond
	// ModelID is the model listed by GET /v1/models. A request may name any
	// model: the answer carries the name it asked for.
	ModelID = "scripted"

	maxBody     = 16 << 20         // bytes of one request
	readTimeout = 30 * time.Second // of its body
)

// Config tunes the server. The zero value is ready to use.
type Config struct {
	// Delay is the pause before each streamed piece; zero means DefaultDelay.
	Delay time.Duration
	// NoDelay streams without any pause, whatever Delay says. For tests.
	NoDelay bool
	// Logger gets one debug line per request, never its text; nil discards.
	Logger *slog.Logger
}

// New returns the server's handler. It may be used by any number of requests
// at once and holds nothing that needs closing.
func New(cfg Config) http.Handler {
	s := &server{delay: cfg.Delay, log: cfg.Logger}
	if s.delay <= 0 {
		s.delay = DefaultDelay
	}
	if cfg.NoDelay {
		s.delay, s.none = 0, true
	}
	if s.log == nil {
		s.log = slog.New(slog.DiscardHandler)
	}
	return s
}

type server struct {
	delay time.Duration
	none  bool // no pauses at all
	kept  store
	log   *slog.Logger
}

func (s *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch r.URL.Path {
	case "/v1/chat/completions":
		if allow(w, r, http.MethodPost) {
			s.chat(w, r)
		}
	case "/v1/responses":
		if allow(w, r, http.MethodPost) {
			s.responses(w, r)
		}
	case "/v1/models":
		if allow(w, r, http.MethodGet) {
			writeJSON(w, http.StatusOK, modelList{
				Object: "list",
				Data:   []modelInfo{{ID: ModelID, Object: "model", OwnedBy: "cairn"}},
			})
		}
	default:
		writeError(w, http.StatusNotFound, &apiError{
			Message: "Invalid URL (" + r.Method + " " + r.URL.Path + ")", Type: invalidRequest,
		})
	}
}

// allow answers 405 and returns false unless the request has the one method.
func allow(w http.ResponseWriter, r *http.Request, method string) bool {
	if r.Method == method {
		return true
	}
	w.Header().Set("Allow", method)
	writeError(w, http.StatusMethodNotAllowed, &apiError{
		Message: "Not allowed to " + r.Method + " on " + r.URL.Path + ".", Type: invalidRequest,
		Code: "method_not_supported",
	})
	return false
}

// chat answers Chat Completions.
func (s *server) chat(w http.ResponseWriter, r *http.Request) {
	body, ok := readBody(w, r)
	if !ok {
		return
	}
	in, bad := decodeChat(body)
	if bad != nil {
		s.refuse(w, r, bad)
		return
	}
	s.serve(w, r, in.request(), func(rep script.Reply) (whole any, frames []frame) {
		head := envelope{ID: "chatcmpl-" + rand.Text(), Created: time.Now().Unix(), Model: in.Model}
		tokens := countTokens(len(body), rep)
		return head.whole(rep, tokens), head.frames(rep, tokens, in.includeUsage())
	})
}

// responses answers the Responses API.
func (s *server) responses(w http.ResponseWriter, r *http.Request) {
	body, ok := readBody(w, r)
	if !ok {
		return
	}
	in, bad := decodeResponses(body)
	var req *request
	if bad == nil {
		req, bad = in.request(&s.kept)
	}
	if bad != nil {
		s.refuse(w, r, bad)
		return
	}
	s.serve(w, r, req, func(rep script.Reply) (whole any, frames []frame) {
		out, tokens := items(rep), countTokens(len(body), rep)
		res := newResponse(in, time.Now().Unix())
		if res.Store {
			s.kept.keep(res.ID, append(slices.Clone(req.Messages), message{Role: "assistant", Text: rep.Text, Calls: rep.Calls}), said(out))
		}
		return res.completed(out, tokens), res.frames(out, tokens)
	})
}

// serve answers a request of either API; write puts the reply into its words.
func (s *server) serve(w http.ResponseWriter, r *http.Request, req *request, write func(script.Reply) (any, []frame)) {
	turn, told := readTurn(req)
	if told.status != 0 {
		s.log.DebugContext(r.Context(), "scripted model fails as told", "status", told.status)
		writeError(w, told.status, told.failure())
		return
	}
	delay := s.delay
	rep := answer(turn)
	switch {
	case told.slow && len(turn.Steps) == 0:
		rep = script.Reply{Text: longAnswer()}
		if !s.none {
			delay = max(delay, slowDelay)
		}
	case told.drop && rep.Text == "":
		rep = script.Reply{Text: "One moment, let me look into that for you."}
	}
	whole, frames := write(rep)
	log := s.log.With("path", r.URL.Path, "model", req.Model)
	tools := make([]string, len(rep.Calls))
	for i, c := range rep.Calls {
		tools[i] = c.Name
	}
	log.DebugContext(r.Context(), "scripted model answers", "messages", len(req.Messages), "stream", req.Stream, "tools", tools)
	if !req.Stream {
		if told.drop {
			panic(http.ErrAbortHandler) // the server closes the connection
		}
		writeJSON(w, http.StatusOK, whole)
		return
	}
	sent, err := stream(r.Context(), w, frames, delay, told.drop)
	if err != nil {
		log.DebugContext(r.Context(), "scripted model stopped streaming", "error", err, "pieces", sent)
	}
	if errors.Is(err, errCut) {
		panic(http.ErrAbortHandler)
	}
}

// readBody answers and returns false if the body cannot be read.
func readBody(w http.ResponseWriter, r *http.Request) ([]byte, bool) {
	ctrl := http.NewResponseController(w)
	_ = ctrl.SetReadDeadline(time.Now().Add(readTimeout)) // a test recorder knows none
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if err == nil {
		_ = ctrl.SetReadDeadline(time.Time{})
		return body, true
	}
	var tooBig *http.MaxBytesError
	status, msg := http.StatusBadRequest, "The request body could not be read."
	switch {
	case errors.As(err, &tooBig):
		status, msg = http.StatusRequestEntityTooLarge, "The request body is too large."
	case errors.Is(err, os.ErrDeadlineExceeded):
		status, msg = http.StatusRequestTimeout, "The request body did not arrive in time."
	}
	writeError(w, status, &apiError{Message: msg, Type: invalidRequest})
	return nil, false
}

func (s *server) refuse(w http.ResponseWriter, r *http.Request, bad *apiError) {
	s.log.DebugContext(r.Context(), "scripted model refused a request", "path", r.URL.Path, "param", bad.Param, "code", bad.Code)
	writeError(w, http.StatusBadRequest, bad)
}
