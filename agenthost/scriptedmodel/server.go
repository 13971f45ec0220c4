package scriptedmodel

import (
	"crypto/rand"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"time"
)

const (
	// DefaultDelay is the pause before each streamed piece when Config names none.
	DefaultDelay = 25 * time.Millisecond
	// ModelID is the model listed by GET /v1/models. A request may name any
	// model: the answer carries the name it asked for.
	ModelID = "scripted"

	maxBody = 16 << 20 // bytes of one request
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
		s.delay = 0
	}
	if s.log == nil {
		s.log = slog.New(slog.DiscardHandler)
	}
	return s
}

type server struct {
	delay time.Duration
	log   *slog.Logger
}

func (s *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch r.URL.Path {
	case "/v1/chat/completions":
		if allow(w, r, http.MethodPost) {
			s.chat(w, r)
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

func (s *server) chat(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if err != nil {
		var tooBig *http.MaxBytesError
		status, msg := http.StatusBadRequest, "The request body could not be read."
		if errors.As(err, &tooBig) {
			status, msg = http.StatusRequestEntityTooLarge, "The request body is too large."
		}
		writeError(w, status, &apiError{Message: msg, Type: invalidRequest})
		return
	}
	req, bad := decodeRequest(body)
	if bad != nil {
		s.log.DebugContext(r.Context(), "scripted model refused a request", "param", bad.Param, "code", bad.Code)
		writeError(w, http.StatusBadRequest, bad)
		return
	}
	rep := answer(req)
	head := envelope{ID: "chatcmpl-" + rand.Text(), Created: time.Now().Unix(), Model: req.Model}
	tokens := countTokens(len(body), rep)
	s.log.DebugContext(r.Context(), "scripted model answers",
		"model", req.Model, "messages", len(req.Messages), "stream", req.Stream, "tool", rep.toolName())
	if !req.Stream {
		writeJSON(w, http.StatusOK, head.whole(rep, tokens))
		return
	}
	if err := s.stream(r.Context(), w, head, rep, req.includeUsage(), tokens); err != nil {
		s.log.DebugContext(r.Context(), "scripted model stopped streaming", "error", err)
	}
}

const invalidRequest = "invalid_request_error"

// apiError is the error object of the OpenAI API; empty Param and Code are null.
type apiError struct {
	Message, Type, Param, Code string
}

func (e *apiError) MarshalJSON() ([]byte, error) {
	null := func(s string) *string {
		if s == "" {
			return nil
		}
		return &s
	}
	return json.Marshal(struct {
		Message string  `json:"message"`
		Type    string  `json:"type"`
		Param   *string `json:"param"`
		Code    *string `json:"code"`
	}{e.Message, e.Type, null(e.Param), null(e.Code)})
}

func writeError(w http.ResponseWriter, status int, e *apiError) {
	writeJSON(w, status, map[string]*apiError{"error": e})
}

// writeJSON ignores write errors: they mean the client went away.
func writeJSON(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(v)
}
