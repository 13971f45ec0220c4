package runner

import (
	"context"
	"errors"
	"slices"
	"sync/atomic"
	"testing"

	"cairn/agentclient"
	"cairn/agui"
	"cairn/internal/crash"
	"cairn/internal/thread"
	"cairn/internal/threadlog"
)

// planted is a log that panics: in its next reads, or in its next appends of a kind.
type planted struct {
	threadlog.Log
	reads, appends atomic.Int32
	kind           threadlog.Kind
}

func (p *planted) Read(ctx context.Context, th string, from int64, limit int) ([]threadlog.Row, error) {
	if th == id && p.reads.Add(-1) >= 0 {
		panic("planted")
	}
	return p.Log.Read(ctx, th, from, limit)
}

func (p *planted) Append(ctx context.Context, th string, expected int64, rows ...threadlog.Row) (int64, error) {
	if rows[0].Kind == p.kind && p.appends.Add(-1) >= 0 {
		panic("planted")
	}
	return p.Log.Append(ctx, th, expected, rows...)
}

// TestAPanicEndsOneRun: wherever a run panics, it is recorded as ended, and the thread
// takes the next message.
func TestAPanicEndsOneRun(t *testing.T) {
	for name, plant := range map[string]func(*world, *planted){
		"in the agent's stream": func(w *world, _ *planted) {
			w.agent.play = func(_ context.Context, in agui.RunAgentInput, yield func(string) bool) error {
				started(in, yield)
				panic("planted")
			}
		},
		"while events are stored": func(_ *world, p *planted) {
			p.kind = threadlog.KindEvent
			p.appends.Store(1)
		},
	} {
		t.Run(name, func(t *testing.T) {
			p := &planted{Log: openLog(t)}
			w := newWorld(t, p)
			plant(w, p)
			w.send("m1", "Hi")
			if th := w.settled(); th.Run.Failure == nil || th.Run.Failure.End.Outcome != agentclient.OutcomeCrashed {
				t.Fatalf("run %+v", th.Run)
			}
			w.agent.play = answer
			w.send("m2", "Again")
			if th := w.settled(); th.Run.Failure != nil {
				t.Errorf("the next run: %+v", th.Run.Failure)
			}
		})
	}
}

// TestAPanicBeforeTheRun: a message whose run panics before it is stored is refused, and
// can be sent again.
func TestAPanicBeforeTheRun(t *testing.T) {
	for name, plant := range map[string]func(*planted){
		"while the thread is folded": func(p *planted) { p.reads.Store(1) },
		"while the run is stored": func(p *planted) {
			p.kind = threadlog.KindUser
			p.appends.Store(1)
		},
	} {
		t.Run(name, func(t *testing.T) {
			p := &planted{Log: openLog(t)}
			w := newWorld(t, p)
			plant(p)
			var crashed *crash.Error
			if err := w.Send(t.Context(), id, "m1", "Hi"); !errors.As(err, &crashed) {
				t.Fatalf("sent: %v", err)
			}
			w.send("m1", "Hi")
			if th := w.settled(); th.Messages != 1 || th.Run.Failure != nil {
				t.Errorf("%d messages, %+v", th.Messages, th.Run.Failure)
			}
		})
	}
}

// TestRecoverClosesWhatPanics: an open run of a thread that cannot be folded is closed
// once, and keeps neither the others nor the next start.
func TestRecoverClosesWhatPanics(t *testing.T) {
	p := &planted{Log: openLog(t)}
	w := newWorld(t, p)
	const other = "11111111-1111-4111-8111-111111111111"
	if err := p.Create(t.Context(), threadlog.Thread{ID: other, Owner: "o", Demo: demo}); err != nil {
		t.Fatal(err)
	}
	for _, th := range []string{id, other} {
		if _, err := p.Append(t.Context(), th, 0, thread.NewRow(threadlog.KindRun, "r1", agentclient.RunData{Reason: agentclient.ReasonMessage})); err != nil {
			t.Fatal(err)
		}
	}
	p.reads.Store(1)
	if err := w.Recover(t.Context()); err != nil {
		t.Fatal(err)
	}
	open, err := p.Open(t.Context())
	if err != nil || len(open) != 0 {
		t.Errorf("open: %v, %v", open, err)
	}
	info, err := p.Thread(t.Context(), id)
	if err != nil || info.Status != agentclient.StatusFailed || slices.Contains(open, id) {
		t.Errorf("%+v, %v", info, err)
	}
	if th := w.settled(); th.Run.Failure == nil || th.Run.Failure.End.Outcome != agentclient.OutcomeShutdown {
		t.Errorf("run %+v", th.Run)
	}
}
