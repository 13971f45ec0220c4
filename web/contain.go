package web

import (
	"net/http"
	"sync"
	"time"

	"github.com/labstack/echo/v4"

	"cairn/internal/crash"
)

// streamRest is how long a stream that has panicked is not opened again: its page would
// connect again at once, and panic again.
const streamRest = time.Minute

// contain makes of a handler's panic an error, so that it ends one request.
func (s *Server) contain(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		return crash.Run(s.Logger, "a request panicked", func() error { return next(c) },
			"method", c.Request().Method, "path", c.Request().URL.Path)
	}
}

// containStream is contain for a stream. After a panic it is refused for a while with a
// status that the page does not try again on.
func (s *Server) containStream(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		key := s.owner(c) + c.Request().URL.Path
		if s.crashed.resting(key, time.Now()) {
			return refuse(http.StatusLoopDetected, "This page cannot update by itself. Reload it to see what is new.")
		}
		panicked := true
		defer func() {
			if panicked {
				s.crashed.add(key, time.Now())
			}
		}()
		err := next(c)
		panicked = false
		return err
	}
}

// crashed are the streams that have panicked lately, by session and path.
type crashed struct {
	mu sync.Mutex
	at map[string]time.Time
}

func (s *crashed) add(key string, now time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.at == nil {
		s.at = map[string]time.Time{}
	}
	for old, at := range s.at {
		if now.Sub(at) > streamRest {
			delete(s.at, old)
		}
	}
	s.at[key] = now
}

func (s *crashed) resting(key string, now time.Time) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	at, known := s.at[key]
	return known && now.Sub(at) <= streamRest
}
