package agenthost

import (
	"context"
	"fmt"
	"net/http"
	"sync"
	"time"

	"cairn/agui"
	"cairn/agui/sse"
)

// sendTimeout is how long a client may leave one frame unread before its run is
// given up.
const sendTimeout = 30 * time.Second

// eventStream writes events, one flushed frame each, and a comment whenever none
// was sent for the length of a heartbeat, so that no proxy takes a thinking model
// for a dead connection. Its owner closes it.
type eventStream struct {
	w    http.ResponseWriter
	ctrl *http.ResponseController

	mu    sync.Mutex
	every time.Duration
	beat  *time.Timer // nil until the first event
	over  error       // why nothing more is sent
	gone  context.CancelCauseFunc
}

// newEventStream makes the stream of one run. gone ends the run when a heartbeat
// finds that nobody reads; an event that finds it says so itself.
func newEventStream(w http.ResponseWriter, heartbeat time.Duration, gone context.CancelCauseFunc) *eventStream {
	h := w.Header()
	h.Set("Content-Type", "text/event-stream")
	h.Set("Cache-Control", "no-store")
	h.Set("X-Accel-Buffering", "no")
	h.Set("X-Content-Type-Options", "nosniff")
	return &eventStream{w: w, ctrl: http.NewResponseController(w), every: heartbeat, gone: gone}
}

// send writes events in order. After an error nothing more is sent.
func (s *eventStream) send(events ...agui.Event) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, ev := range events {
		raw, err := agui.Encode(ev)
		if err != nil {
			return fmt.Errorf("event: %w", err)
		}
		if err := s.write(func() error { return sse.WriteData(s.w, raw) }); err != nil {
			return err
		}
	}
	if s.beat == nil {
		s.beat = time.AfterFunc(s.every, s.heartbeat) // ends with close
	} else {
		s.beat.Reset(s.every)
	}
	return nil
}

func (s *eventStream) heartbeat() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.over != nil {
		return
	}
	if err := s.write(func() error { return sse.WriteComment(s.w, "heartbeat") }); err != nil {
		s.gone(err)
		return
	}
	s.beat.Reset(s.every)
}

// write flushes what frame writes; the caller holds mu.
func (s *eventStream) write(frame func() error) error {
	if s.over != nil {
		return s.over
	}
	// A writer that knows no deadline (a test recorder) has no slow client.
	_ = s.ctrl.SetWriteDeadline(time.Now().Add(sendTimeout))
	err := frame()
	if err == nil {
		err = s.ctrl.Flush()
	}
	if err != nil {
		s.over = fmt.Errorf("%w: %v", errClientGone, err)
	}
	return s.over
}

// close ends the heartbeat; nothing touches the writer afterwards.
func (s *eventStream) close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.over = errClientGone
	if s.beat != nil {
		s.beat.Stop()
	}
}
