package agenthost

import (
	"context"
	"errors"
	"log/slog"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"cairn/agui"
)

// deadWriter is a client that went away after the first frames.
type deadWriter struct {
	*httptest.ResponseRecorder
	left int
}

func (w *deadWriter) Write(b []byte) (int, error) {
	if w.left--; w.left < 0 {
		return 0, errors.New("connection reset")
	}
	return w.ResponseRecorder.Write(b)
}

// TestHeartbeat: a comment follows each silent interval, none while events flow,
// and none after the end.
func TestHeartbeat(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		rec := httptest.NewRecorder()
		s := newEventStream(rec, 15*time.Second, 1<<20, slog.New(slog.DiscardHandler), func(err error) { t.Errorf("gave up: %v", err) })
		beats := func() int {
			synctest.Wait()
			s.mu.Lock()
			defer s.mu.Unlock()
			return strings.Count(rec.Body.String(), ": heartbeat\n\n")
		}
		for range 4 {
			if err := s.send(&agui.RunStarted{ThreadID: "t", RunID: "r"}); err != nil {
				t.Fatal(err)
			}
			time.Sleep(10 * time.Second)
		}
		if n := beats(); n != 0 {
			t.Errorf("%d comments between events", n)
		}
		time.Sleep(36 * time.Second)
		if n := beats(); n != 3 {
			t.Errorf("%d comments in 46 silent seconds, want 3", n)
		}
		s.close()
		before := rec.Body.Len()
		time.Sleep(time.Minute)
		if err := s.send(&agui.RunError{Message: "late"}); err == nil || rec.Body.Len() != before {
			t.Error("something was written after the end")
		}
	})
}

// TestHeartbeatFindsADeadClient: silence is no reason to keep a model busy for
// nobody.
func TestHeartbeatFindsADeadClient(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, gone := context.WithCancelCause(t.Context())
		s := newEventStream(&deadWriter{httptest.NewRecorder(), 1}, time.Second, 1<<20, slog.New(slog.DiscardHandler), gone)
		defer s.close()
		if err := s.send(&agui.RunStarted{ThreadID: "t", RunID: "r"}); err != nil {
			t.Fatal(err)
		}
		<-ctx.Done()
		if !errors.Is(context.Cause(ctx), errClientGone) {
			t.Errorf("ended with %v", context.Cause(ctx))
		}
	})
}

// mineWriter panics when the second frame is written.
type mineWriter struct {
	*httptest.ResponseRecorder
	left int
}

func (w *mineWriter) Write(b []byte) (int, error) {
	if w.left--; w.left < 0 {
		panic("planted")
	}
	return w.ResponseRecorder.Write(b)
}

// TestHeartbeatThatPanics ends its run and nothing else.
func TestHeartbeatThatPanics(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, gone := context.WithCancelCause(t.Context())
		s := newEventStream(&mineWriter{httptest.NewRecorder(), 1}, time.Second, 1<<20, slog.New(slog.DiscardHandler), gone)
		defer s.close()
		if err := s.send(&agui.RunStarted{ThreadID: "t", RunID: "r"}); err != nil {
			t.Fatal(err)
		}
		<-ctx.Done()
		if !errors.Is(context.Cause(ctx), errClientGone) {
			t.Errorf("ended with %v", context.Cause(ctx))
		}
	})
}

// TestThereIsRoomForTheEnd: a run that has sent too much can still say so.
func TestThereIsRoomForTheEnd(t *testing.T) {
	rec := httptest.NewRecorder()
	s := newEventStream(rec, time.Hour, 100, slog.New(slog.DiscardHandler), nil)
	defer s.close()
	big := &agui.RunError{Message: strings.Repeat("x", 100)}
	for range 2 {
		if err := s.send(big); !errors.Is(err, errOutputLimit) || rec.Body.Len() > 0 {
			t.Errorf("%v, %d bytes were sent", err, rec.Body.Len())
		}
	}
	if err := s.sendLast(big); err != nil || rec.Body.Len() == 0 {
		t.Errorf("%v, %d bytes were sent", err, rec.Body.Len())
	}
}
