package agenthost

import (
	"fmt"
	"net/http"
	"time"

	"cairn/agui"
	"cairn/agui/sse"
)

// sendTimeout is how long a client may leave one frame unread before its run is
// given up.
const sendTimeout = 30 * time.Second

// eventStream writes events, one flushed frame each. Only the goroutine of the
// run writes.
type eventStream struct {
	w    http.ResponseWriter
	ctrl *http.ResponseController
}

func newEventStream(w http.ResponseWriter) *eventStream {
	h := w.Header()
	h.Set("Content-Type", "text/event-stream")
	h.Set("Cache-Control", "no-store")
	h.Set("X-Accel-Buffering", "no")
	h.Set("X-Content-Type-Options", "nosniff")
	return &eventStream{w: w, ctrl: http.NewResponseController(w)}
}

// send writes events in order. After an error nothing more is sent.
func (s *eventStream) send(events ...agui.Event) error {
	for _, ev := range events {
		raw, err := agui.Encode(ev)
		if err != nil {
			return fmt.Errorf("event: %w", err)
		}
		// A writer that knows no deadline (a test recorder) has no slow client.
		_ = s.ctrl.SetWriteDeadline(time.Now().Add(sendTimeout))
		if err := sse.WriteData(s.w, raw); err != nil {
			return fmt.Errorf("%w: %v", errClientGone, err)
		}
		if err := s.ctrl.Flush(); err != nil {
			return fmt.Errorf("%w: %v", errClientGone, err)
		}
	}
	return nil
}
