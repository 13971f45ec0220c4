package agenttest

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"sync"
	"time"

	"cairn/agui"
)

// Script is an http.Handler that answers each request with the next of its turns.
// It checks nothing and records everything. It is safe for concurrent use.
type Script struct {
	mu       sync.Mutex
	turns    []Turn
	requests []Recorded
}

// Turn is the answer to one request.
type Turn struct {
	// Status is 200 when zero. Any other is sent with Body and no events.
	Status int
	// ContentType is text/event-stream when empty.
	ContentType string
	// Body, when set, is sent instead of events.
	Body  string
	Steps []Action
}

// Action is one thing a turn does on its stream. An error ends it: the
// connection is cut.
type Action func(ctx context.Context, out *Stream) error

// Stream is the answer an Action writes to.
type Stream struct {
	// Input is the request's body.
	Input agui.RunAgentInput
	w     http.ResponseWriter
}

// Write sends bytes at once.
func (s *Stream) Write(b []byte) (int, error) {
	n, err := s.w.Write(b)
	if err == nil {
		err = http.NewResponseController(s.w).Flush()
	}
	return n, err
}

// NewScript makes a script of the turns.
func NewScript(turns ...Turn) *Script { return &Script{turns: turns} }

// Events is a turn that sends the events and ends in order.
func Events(events ...agui.Event) Turn {
	var t Turn
	for _, ev := range events {
		t.Steps = append(t.Steps, Emit(ev))
	}
	return t
}

// Emit sends an event as one data frame. The thread and run id of a RUN_STARTED
// and a RUN_FINISHED are the request's when empty.
func Emit(ev agui.Event) Action {
	return func(_ context.Context, out *Stream) error {
		switch e := ev.(type) {
		case *agui.RunStarted:
			filled := *e
			fill(&filled.ThreadID, out.Input.ThreadID)
			fill(&filled.RunID, out.Input.RunID)
			ev = &filled
		case *agui.RunFinished:
			filled := *e
			fill(&filled.ThreadID, out.Input.ThreadID)
			fill(&filled.RunID, out.Input.RunID)
			ev = &filled
		}
		raw, err := agui.Encode(ev)
		if err != nil {
			return err
		}
		_, err = fmt.Fprintf(out, "data: %s\n\n", raw)
		return err
	}
}

func fill(field *string, value string) {
	if *field == "" {
		*field = value
	}
}

// Bytes sends raw bytes, of which nothing needs to be valid.
func Bytes(raw string) Action {
	return func(_ context.Context, out *Stream) error {
		_, err := io.WriteString(out, raw)
		return err
	}
}

// Wait lets time pass.
func Wait(d time.Duration) Action {
	return func(ctx context.Context, _ *Stream) error { return pause(ctx, d) }
}

// Stall keeps the stream open and silent until the client leaves.
func Stall() Action {
	return func(ctx context.Context, _ *Stream) error {
		<-ctx.Done()
		return ctx.Err()
	}
}

// Until waits for the channel to be closed.
func Until(ready <-chan struct{}) Action {
	return func(ctx context.Context, _ *Stream) error {
		select {
		case <-ready:
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// Drop cuts the connection.
func Drop() Action {
	return func(context.Context, *Stream) error { return http.ErrAbortHandler }
}

// Requests returns what arrived so far.
func (s *Script) Requests() []Recorded {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.requests)
}

// ServeHTTP answers with the next turn; when none is left, with 500.
func (s *Script) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	raw, err := io.ReadAll(io.LimitReader(r.Body, maxRequest))
	if err != nil {
		return // the client is gone
	}
	rec := Recorded{Method: r.Method, Path: r.URL.Path, Header: r.Header.Clone(), Raw: raw}
	rec.Mismatch = json.Unmarshal(raw, &rec.Input)
	turn, ok := s.take(rec)
	switch {
	case !ok:
		http.Error(w, "the script has no turn left", http.StatusInternalServerError)
		return
	case turn.ContentType == "":
		turn.ContentType = "text/event-stream"
	}
	w.Header().Set("Content-Type", turn.ContentType)
	if turn.Status != 0 {
		w.WriteHeader(turn.Status)
	}
	out := &Stream{Input: rec.Input, w: w}
	if turn.Body != "" {
		_, _ = io.WriteString(out, turn.Body)
		return
	}
	for _, act := range turn.Steps {
		if act(r.Context(), out) != nil {
			panic(http.ErrAbortHandler) // net/http's way to cut a connection
		}
	}
}

func (s *Script) take(rec Recorded) (Turn, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.requests = append(s.requests, rec)
	if len(s.turns) == 0 {
		return Turn{}, false
	}
	t := s.turns[0]
	s.turns = s.turns[1:]
	return t, true
}
