package agenthost

import (
	"context"
	"fmt"
	"log/slog"
	"math"
	"net/http"
	"sync"
	"time"

	"cairn/agui"
	"cairn/agui/sse"
	"cairn/internal/crash"
)

// sendTimeout is how long sending one frame may take before the run is ended.
const sendTimeout = 30 * time.Second

// eventStream writes events, one flushed frame each, and a comment when none was sent for
// the length of a heartbeat, so that no proxy closes the connection while the model
// thinks. Its owner closes it.
type eventStream struct {
	w    http.ResponseWriter
	ctrl *http.ResponseController
	log  *slog.Logger

	mu    sync.Mutex
	every time.Duration
	beat  *time.Timer // nil until the first event
	room  int64       // bytes that may still be sent
	over  error       // why nothing more is sent
	gone  context.CancelCauseFunc
}

// newEventStream returns the stream of one run of at most limit bytes. It calls gone when
// a heartbeat cannot be written; send returns its own errors.
func newEventStream(w http.ResponseWriter, heartbeat time.Duration, limit int64, log *slog.Logger, gone context.CancelCauseFunc) *eventStream {
	h := w.Header()
	h.Set("Content-Type", "text/event-stream")
	h.Set("Cache-Control", "no-store")
	h.Set("X-Accel-Buffering", "no")
	h.Set("X-Content-Type-Options", "nosniff")
	return &eventStream{w: w, ctrl: http.NewResponseController(w), log: log, every: heartbeat, room: limit, gone: gone}
}

// send writes events in order. After an error nothing more is sent but by sendLast.
func (s *eventStream) send(events ...agui.Event) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, ev := range events {
		if s.room < 0 {
			return errOutputLimit
		}
		raw, err := agui.Encode(ev)
		if err != nil {
			return fmt.Errorf("event: %w", err)
		}
		if s.room -= int64(len(raw)); s.room < 0 {
			return errOutputLimit
		}
		if err := s.writeEvent(raw); err != nil {
			return err
		}
	}
	return nil
}

// sendLast writes the events that end a failed run, for which there is always room.
func (s *eventStream) sendLast(events ...agui.Event) error {
	s.mu.Lock()
	s.room = math.MaxInt64
	s.mu.Unlock()
	return s.send(events...)
}

// begun reports whether an event was sent.
func (s *eventStream) begun() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.beat != nil
}

// writeEvent writes one frame and restarts the heartbeat; the caller holds mu.
func (s *eventStream) writeEvent(raw []byte) error {
	if err := s.write(func() error { return sse.WriteData(s.w, raw) }); err != nil {
		return err
	}
	if s.beat == nil {
		s.beat = time.AfterFunc(s.every, s.heartbeat) // ends with close
	} else {
		s.beat.Reset(s.every)
	}
	return nil
}

// heartbeat is called by its timer, in a goroutine of its own.
func (s *eventStream) heartbeat() {
	if err := crash.Run(s.log, "heartbeat panicked", s.comment); err != nil {
		s.gone(fmt.Errorf("%w: %v", errClientGone, err))
	}
}

func (s *eventStream) comment() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.over != nil {
		return nil
	}
	if err := s.write(func() error { return sse.WriteComment(s.w, "heartbeat") }); err != nil {
		return err
	}
	s.beat.Reset(s.every)
	return nil
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
