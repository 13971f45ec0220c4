package agenthost

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"regexp"
	"sync"

	"cairn/internal/crash"
	"cairn/internal/logging"
	"cairn/internal/mask"
)

// TokenHeader carries the token on every route but GET /ok.
const TokenHeader = "X-Internal-Token"

var (
	topicName = regexp.MustCompile(`^[a-z0-9_-]+$`)
	agentPath = regexp.MustCompile(`^/agent/([a-z0-9_-]+)$`)
)

// ErrNoToken is the error of [New] without a token. Anyone could use such a service as a
// model proxy.
var ErrNoToken = errors.New("the agent service needs a token: set AG_UI_INTERNAL_TOKEN")

// Server serves agents over HTTP.
type Server struct {
	cfg     Config
	model   *model
	secrets *mask.Set // of the service, masked in what it logs and answers
	log     *slog.Logger
	token   [sha256.Size]byte

	stopping context.Context // ends when Shutdown is called
	stop     context.CancelFunc

	mu   sync.Mutex
	idle chan struct{} // closed when Shutdown waits and no run is left
	runs int

	threads threads
}

var _ http.Handler = (*Server)(nil)

// New returns a server, or an error when the configuration or an agent is invalid. The
// caller must call Shutdown.
func New(cfg Config) (*Server, error) {
	if cfg.Token == "" {
		return nil, ErrNoToken
	}
	if cfg.Store == nil {
		return nil, errors.New("the agent service needs a store")
	}
	for topic, a := range cfg.Agents {
		if !topicName.MatchString(topic) {
			return nil, fmt.Errorf("topic %q: only a-z, 0-9, _ and - are allowed", topic)
		}
		if err := a.validate(); err != nil {
			return nil, err
		}
	}
	cfg = cfg.withDefaults()
	secrets := new(mask.Set)
	secrets.Add(cfg.Token.Reveal(), cfg.Model.APIKey.Reveal())
	s := &Server{cfg: cfg, model: newModel(cfg.Model), secrets: secrets,
		log:   slog.New(logging.Handler(cfg.Logger.Handler(), secrets)),
		token: sha256.Sum256([]byte(cfg.Token.Reveal())), threads: threads{holders: map[Thread]*holder{}}}
	s.model.maxAnswer, s.model.maxCalls = cfg.MaxAnswer, cfg.MaxCalls
	s.stopping, s.stop = context.WithCancel(context.Background())
	return s, nil
}

// ServeHTTP checks the token before the path, so that callers without the token learn
// nothing about the routes.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	err := crash.Run(s.log, "request panicked", func() error {
		s.route(w, r)
		return nil
	}, "path", r.URL.Path)
	if err != nil { // only before the answer: a run ends with an event
		s.turnAway(w, http.StatusInternalServerError, "internal error")
	}
}

func (s *Server) route(w http.ResponseWriter, r *http.Request) {
	path := r.URL.EscapedPath()
	if r.Method == http.MethodGet && path == "/ok" {
		if r.ContentLength != 0 {
			closeAfter(w)
		}
		sendJSON(w, http.StatusOK, []byte(`{"ok":true}`))
		return
	}
	got := sha256.Sum256([]byte(r.Header.Get(TokenHeader)))
	if subtle.ConstantTimeCompare(got[:], s.token[:]) != 1 {
		s.turnAway(w, http.StatusUnauthorized, "unauthorized")
		return
	}
	match := agentPath.FindStringSubmatch(path)
	if match == nil || r.Method != http.MethodPost {
		s.turnAway(w, http.StatusNotFound, "not found")
		return
	}
	agent, ok := s.cfg.Agents[match[1]]
	if !ok {
		s.turnAway(w, http.StatusNotFound, "no such topic: "+match[1])
		return
	}
	if s.stopping.Err() != nil {
		s.turnAway(w, http.StatusServiceUnavailable, "shutting down")
		return
	}
	in, err := s.readInput(w, r)
	var bad *badRequest
	switch {
	case errors.As(err, &bad) && bad.read:
		s.refuse(w, bad.status, bad.detail)
	case errors.As(err, &bad):
		s.turnAway(w, bad.status, bad.detail)
	default:
		s.serveRun(w, r, match[1], agent, in)
	}
}

// Shutdown refuses new runs, ends the open ones with RUN_ERROR and waits until they have
// ended or ctx ends. A tool that is running finishes.
func (s *Server) Shutdown(ctx context.Context) error {
	s.mu.Lock()
	s.stop()
	if s.idle == nil {
		s.idle = make(chan struct{})
		if s.runs == 0 {
			close(s.idle)
		}
	}
	idle := s.idle
	s.mu.Unlock()
	select {
	case <-idle:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("agent service shutdown: %w", context.Cause(ctx))
	}
}

// enter counts a run and returns its context, which ends with the request or, with the
// cause errShuttingDown, with the server. The caller must call leave when the run ends.
func (s *Server) enter(request context.Context) (ctx context.Context, leave func(), ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.stopping.Err() != nil {
		return nil, nil, false
	}
	s.runs++
	ctx, cancel := context.WithCancelCause(request)
	unhook := context.AfterFunc(s.stopping, func() { cancel(errShuttingDown) })
	return ctx, func() {
		unhook()
		cancel(nil)
		s.mu.Lock()
		defer s.mu.Unlock()
		s.runs--
		if s.runs == 0 && s.idle != nil {
			close(s.idle)
		}
	}, true
}
