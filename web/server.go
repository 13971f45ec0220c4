// Package web is the HTTP edge: routes, sessions, pages and the one stream a tab
// listens to. It holds no rules about runs and no state of its own; those are the
// runner's and the log's.
package web

import (
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"net/http"

	"github.com/gorilla/sessions"
	"github.com/labstack/echo/v4"

	"cairn/components"
	"cairn/demos"
	"cairn/internal/matrix"
	"cairn/internal/runner"
	"cairn/internal/threadlog"
	"cairn/internal/view"
)

// Runner starts and stops runs; see internal/runner.
type Runner interface {
	Send(ctx context.Context, thread, messageID, text string) error
	Decide(ctx context.Context, thread string, generation int, each []runner.Verdict) error
	Retry(ctx context.Context, thread string, failure int64) error
	Regenerate(ctx context.Context, thread, run string) error
	Stop(ctx context.Context, thread string) error
	// Closing reports whether new runs are refused because the server is stopping.
	Closing() bool
}

// Reach reports which agents can be connected to, by demo; see internal/reach.
type Reach interface {
	// Why returns the reason why an agent is unreachable; "" when it is reachable or not
	// checked.
	Why(demo string) string
	States() map[string]string
	// Changed returns a channel that is closed when an answer of Why changes.
	Changed() <-chan struct{}
}

// Config is what the server needs; every field is required but Models.
type Config struct {
	Log    threadlog.Log
	Runner Runner
	Views  *view.Hub
	Demos  []demos.Demo
	// Sources are the repository's own files, for the Code tab.
	Sources fs.FS
	// Recordings hold, at [matrix.Dir], what the support matrix is computed from.
	Recordings fs.FS
	Static     http.Handler
	Favicon    http.HandlerFunc
	Assets     components.Assets
	// Keys sign and encrypt the session cookie: 64 and 32 bytes.
	Keys SessionKeys
	// Models are the badges about the models behind embedded agents, by demo.
	Models map[string]string
	// Reach reports whether a demo's agent can be connected to.
	Reach  Reach
	Logger *slog.Logger
}

// Server is the web app.
type Server struct {
	Config
	sessions    *sessions.CookieStore
	demos       map[string]demos.Demo
	code        codePages
	matrix      components.MatrixPage // without its shell
	transcripts *matrix.Transcripts
	ready       readiness
	crashed     crashed
	handler     http.Handler

	closing context.Context // ends with Close
	close   context.CancelFunc
}

// New makes the server.
func New(c Config) (*Server, error) {
	s := &Server{Config: c, sessions: newSessions(c.Keys), demos: map[string]demos.Demo{}}
	s.closing, s.close = context.WithCancel(context.Background())
	for _, d := range c.Demos {
		s.demos[d.Slug] = d
	}
	if len(c.Demos) == 0 {
		return nil, errors.New("web: no demos")
	}
	code, err := codeFiles(c.Sources, c.Demos)
	if err != nil {
		return nil, err
	}
	s.code = code
	if s.transcripts, err = matrix.OpenTranscripts(c.Recordings); err != nil {
		return nil, err
	}
	if s.matrix, err = matrix.Page(s.transcripts); err != nil {
		return nil, err
	}
	e := echo.New()
	e.HideBanner, e.HidePort = true, true
	e.HTTPErrorHandler = s.handleError
	e.Use(s.contain)
	s.routes(e)
	s.handler = middleware(e)
	return s, nil
}

// ServeHTTP implements http.Handler.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) { s.handler.ServeHTTP(w, r) }

// Close ends the streams that no view ends. Other requests are answered as before.
func (s *Server) Close() { s.close() }

func (s *Server) routes(e *echo.Echo) {
	e.GET("/", s.home)
	e.GET("/healthz", s.healthz)
	e.GET("/readyz", s.readyz)
	e.GET("/static/*", echo.WrapHandler(s.Static))
	e.GET("/favicon.ico", echo.WrapHandler(s.Favicon))

	e.GET(threadsURL, s.threadList)
	e.GET(threadsURL+"/stream", s.threadsWatch, s.containStream)
	e.GET(matrixURL, s.matrixShow)
	e.GET(matrixURL+"/:runtime/:file", s.transcriptShow)
	e.GET("/:demo", s.runShow)
	e.GET("/:demo/t/:thread", s.runShow)
	e.GET("/:demo/code", s.codeShow)
	e.GET("/:demo/code/*", s.codeShow)
	e.GET("/:demo/t/:thread/code", s.codeShow)
	e.GET("/:demo/t/:thread/code/*", s.codeShow)

	e.GET("/t/:thread/stream", s.stream, s.containStream)
	e.GET("/t/:thread/text/:part", s.textShow)
	e.GET("/t/:thread/media/:part", s.mediaShow)

	e.POST("/:demo/messages", s.threadCreate)
	e.POST("/t/:thread/messages", s.messageSend)
	e.POST("/t/:thread/rename", s.threadRename)
	e.POST("/t/:thread/delete", s.threadDelete)
	e.POST("/t/:thread/restore", s.threadRestore)
	e.POST("/t/:thread/stop", s.runStop)
	e.POST("/t/:thread/retry", s.runRetry)
	e.POST("/t/:thread/regenerate", s.runRegenerate)
	e.POST("/t/:thread/interrupts/:generation", s.interruptDecide)
}
