package agenttest

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"sync"
	"time"

	"cairn/agui"
	"cairn/agui/sse"
)

// Script is an http.Handler that answers each request with the next of its turns.
// It records every request, and checks of it what a turn's Check does. It is safe
// for concurrent use.
type Script struct {
	mu       sync.Mutex
	turns    []Turn
	requests []Recorded
}

// Turn is the answer to one request.
type Turn struct {
	// Name is recorded with the request; it may be empty.
	Name string
	// Status is 200 when zero. Any other is sent with Body and no events.
	Status int
	// ContentType is text/event-stream when empty.
	ContentType string
	// Header is sent too.
	Header http.Header
	// Body, when set, is sent instead of events.
	Body string
	// Check looks at the request first. What it returns is recorded as the request's
	// mismatch and answered with 422; the turn is used up.
	Check func(Recorded) error
	Steps []Action
	// Reply, when set, returns further steps for the request, done after Steps.
	Reply func(agui.RunAgentInput) []Action
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

// Comment sends a comment, which says nothing and keeps a connection alive.
func Comment(text string) Action {
	return func(_ context.Context, out *Stream) error { return sse.WriteComment(out, text) }
}

// Err joins the mismatches so far, and says how many turns nobody asked for; nil
// when all turns were used and fitted.
func (s *Script) Err() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	var errs []error
	for i, r := range s.requests {
		if r.Mismatch != nil {
			errs = append(errs, fmt.Errorf("request %d (%s %s): %w", i+1, r.Method, r.Path, r.Mismatch))
		}
	}
	if n := len(s.turns); n > 0 {
		errs = append(errs, fmt.Errorf("turns never asked for: %d", n))
	}
	return errors.Join(errs...)
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
	turn, ok, err := s.take(rec)
	switch {
	case !ok:
		http.Error(w, "the script has no turn left", http.StatusInternalServerError)
		return
	case err != nil:
		http.Error(w, err.Error(), http.StatusUnprocessableEntity)
		return
	}
	maps.Copy(w.Header(), turn.Header)
	w.Header().Set("Content-Type", cmp.Or(turn.ContentType, "text/event-stream"))
	if turn.Status != 0 {
		w.WriteHeader(turn.Status)
	}
	out := &Stream{Input: rec.Input, w: w}
	if turn.Body != "" {
		_, _ = io.WriteString(out, turn.Body)
		return
	}
	steps := turn.Steps
	if turn.Reply != nil {
		steps = slices.Concat(steps, turn.Reply(rec.Input))
	}
	for _, act := range steps {
		if act(r.Context(), out) != nil {
			panic(http.ErrAbortHandler) // net/http's way to cut a connection
		}
	}
}

// take records a request and uses up the next turn; the error is its check's.
func (s *Script) take(rec Recorded) (Turn, bool, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var turn Turn
	ok := len(s.turns) > 0
	if ok {
		turn, s.turns = s.turns[0], s.turns[1:]
		rec.Step = turn.Name
	}
	var err error
	if ok && turn.Check != nil {
		if err = turn.Check(rec); err != nil {
			rec.Mismatch = err
		}
	}
	s.requests = append(s.requests, rec)
	return turn, ok, err
}
