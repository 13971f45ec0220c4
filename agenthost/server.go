package agenthost

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"regexp"
	"sync"
	"time"
)

// TokenHeader carries the token on every route but GET /ok.
const TokenHeader = "X-Internal-Token"

// Config is what a [Server] needs.
type Config struct {
	Token Secret
	// Agents by topic, the last part of POST /agent/{topic}.
	Agents map[string]*Agent
	Store  Store
	Model  ModelConfig
	Logger *slog.Logger // nil is silent
	// MaxBody bounds a request body in bytes; default 16 MiB.
	MaxBody int64
	// MaxSteps bounds how often one run asks the model; default 12.
	MaxSteps int
	// ToolTimeout bounds one tool call; default one minute.
	ToolTimeout time.Duration
	// Heartbeat is how long a stream may be silent before a comment is sent;
	// default 15 seconds.
	Heartbeat time.Duration
}

const (
	defaultMaxBody     = 16 << 20
	defaultMaxSteps    = 12
	defaultToolTimeout = time.Minute
	defaultHeartbeat   = 15 * time.Second
)

var (
	topicName = regexp.MustCompile(`^[a-z0-9_-]+$`)
	agentPath = regexp.MustCompile(`^/agent/([a-z0-9_-]+)$`)
)

// ErrNoToken refuses a service that anyone could use as a model proxy.
var ErrNoToken = errors.New("the agent service needs a token: set AG_UI_INTERNAL_TOKEN")

// Server serves agents over HTTP.
type Server struct {
	cfg   Config
	model *model
	log   *slog.Logger
	token [sha256.Size]byte

	stopping context.Context // ends when Shutdown is called
	stop     context.CancelFunc

	mu   sync.Mutex
	idle chan struct{} // closed when Shutdown waits and no run is left
	runs int

	threads threads
}

var _ http.Handler = (*Server)(nil)

// New checks the configuration and every agent definition. Call Shutdown when
// done.
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
	if cfg.Logger == nil {
		cfg.Logger = slog.New(slog.DiscardHandler)
	}
	if cfg.MaxBody == 0 {
		cfg.MaxBody = defaultMaxBody
	}
	if cfg.MaxSteps == 0 {
		cfg.MaxSteps = defaultMaxSteps
	}
	if cfg.ToolTimeout == 0 {
		cfg.ToolTimeout = defaultToolTimeout
	}
	if cfg.Heartbeat == 0 {
		cfg.Heartbeat = defaultHeartbeat
	}
	s := &Server{cfg: cfg, model: newModel(cfg.Model), log: cfg.Logger,
		token: sha256.Sum256([]byte(cfg.Token.Reveal())), threads: threads{holders: map[Thread]*holder{}}}
	s.stopping, s.stop = context.WithCancel(context.Background())
	return s, nil
}

// ServeHTTP checks the token before it looks at the path, so that a stranger
// learns nothing about the routes.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	path := r.URL.EscapedPath()
	if r.Method == http.MethodGet && path == "/ok" {
		writeJSON(w, http.StatusOK, map[string]bool{"ok": true})
		return
	}
	got := sha256.Sum256([]byte(r.Header.Get(TokenHeader)))
	if subtle.ConstantTimeCompare(got[:], s.token[:]) != 1 {
		refuse(w, http.StatusUnauthorized, "unauthorized")
		return
	}
	match := agentPath.FindStringSubmatch(path)
	if match == nil || r.Method != http.MethodPost {
		refuse(w, http.StatusNotFound, "not found")
		return
	}
	agent, ok := s.cfg.Agents[match[1]]
	if !ok {
		refuse(w, http.StatusNotFound, "no such topic: "+match[1])
		return
	}
	s.serveRun(w, r, match[1], agent)
}

// Shutdown refuses new runs, ends the open ones with RUN_ERROR and waits until
// they are gone or ctx ends. A tool that is running is let finish.
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

// enter counts a run and gives its context, which ends with the request or, for
// the reason errShuttingDown, with the server. leave ends the count.
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

func refuse(w http.ResponseWriter, status int, detail string) {
	writeJSON(w, status, map[string]string{"detail": detail})
}

func writeJSON(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.WriteHeader(status)
	raw, err := json.Marshal(v)
	if err != nil {
		return // maps of strings and bools always encode
	}
	_, _ = w.Write(raw) // a client that is gone needs no answer
}
