package runner

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"cairn/agentclient"
	"cairn/agui"
	"cairn/internal/threadlog"
	"cairn/internal/threadlog/memory"
)

// sleeper is the log of a process that can be suspended: its writes wait meanwhile.
type sleeper struct {
	threadlog.Log
	mu    sync.Mutex
	awake chan struct{} // nil: it never slept
}

func (s *sleeper) suspend() (resume func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.awake = make(chan struct{})
	return sync.OnceFunc(func() { close(s.awake) })
}

func (s *sleeper) wait() {
	s.mu.Lock()
	awake := s.awake
	s.mu.Unlock()
	if awake != nil {
		<-awake
	}
}

func (s *sleeper) Append(ctx context.Context, id string, expected int64, rows ...threadlog.Row) (int64, error) {
	s.wait()
	return s.Log.Append(ctx, id, expected, rows...)
}

func (s *sleeper) CompareAndSet(ctx context.Context, key string, rev int64, value []byte) (int64, error) {
	s.wait()
	return s.Log.CompareAndSet(ctx, key, rev, value)
}

// speaks says half a sentence and goes on when told to.
func speaks(goOn <-chan struct{}, gone chan<- error) func(context.Context, agui.RunAgentInput, func(string) bool) error {
	return func(ctx context.Context, in agui.RunAgentInput, yield func(string) bool) error {
		started(in, yield)
		yield(`{"type":"TEXT_MESSAGE_CHUNK","messageId":"a","role":"assistant","delta":"Half"}`)
		select {
		case <-goOn:
			yield(`{"type":"TEXT_MESSAGE_CHUNK","messageId":"a","role":"assistant","delta":" and the rest"}`)
			yield(`{"type":"RUN_FINISHED","threadId":"7e5f1a9e-3b1c-4e0e-9a55-0d6a3c1f2b10","runId":"r"}`)
			return nil
		case <-ctx.Done():
			gone <- context.Cause(ctx)
			return &agentclient.Error{Kind: agentclient.KindAborted, Err: ctx.Err()}
		}
	}
}

func (w *world) ends() (n int) {
	w.t.Helper()
	rows, err := w.log.Read(w.t.Context(), id, 1, 0)
	if err != nil {
		w.t.Fatal(err)
	}
	for _, r := range rows {
		if r.Kind == threadlog.KindEnd {
			n++
		}
	}
	return n
}

func (w *world) folded() *agentclient.Session {
	w.t.Helper()
	t, err := w.fold(w.t.Context(), id)
	if err != nil {
		w.t.Fatal(err)
	}
	return t
}

func (w *world) status() string {
	w.t.Helper()
	info, err := w.log.Thread(w.t.Context(), id)
	if err != nil {
		w.t.Fatal(err)
	}
	return info.Status
}

// TestARunWhoseProcessDiedIsClosedOnce: by the first of several that looks, and not
// before its lease has run out. What the dead one says when it was only asleep changes
// nothing, and its connection to the agent is closed.
func TestARunWhoseProcessDiedIsClosedOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := memory.New()
		asleep := &sleeper{Log: store.Open()}
		a, b, c := newWorld(t, asleep), newWorld(t, store.Open()), newWorld(t, store.Open())
		gone, silence := make(chan error, 1), make(chan struct{})
		a.agent.play = speaks(silence, gone)
		a.send("m1", "Hi")
		synctest.Wait()
		for range 10 { // it is renewed for as long as it takes
			time.Sleep(leaseTime)
			if err := b.Recover(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		if th := b.folded(); !th.Run.Open || b.status() != agentclient.StatusRunning {
			t.Fatalf("a run that is alive was closed: %+v", th.Run)
		}

		resume := asleep.suspend()
		defer resume()
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		go b.RecoverLoop(ctx)
		go c.RecoverLoop(ctx)
		time.Sleep(leaseTime / 2)
		if !b.folded().Run.Open {
			t.Fatal("closed before the lease had run out")
		}
		time.Sleep(2 * leaseTime)
		th := b.folded()
		if f := th.Run.Failure; th.Run.Open || f == nil || f.End.Outcome != agentclient.OutcomeShutdown || !f.Retryable() || b.status() != agentclient.StatusFailed {
			t.Fatalf("run %+v, status %q", th.Run, b.status())
		}
		if n := b.ends(); n != 1 {
			t.Fatalf("%d ends", n)
		}
		if err := b.Retry(t.Context(), id, 0); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		after := b.folded().Records

		resume()
		if err := <-gone; !errors.Is(err, errLost) {
			t.Fatalf("the lost run's request ended with %v", err)
		}
		close(silence)
		time.Sleep(leaseTime)
		if th := b.folded(); th.Records != after || b.ends() != 2 || th.Run.Failure != nil || a.Running() != 0 {
			t.Fatalf("%d rows after %d, %d ends, run %+v", th.Records, after, b.ends(), th.Run)
		}
		a.send("m2", "And now?") // it is a process like the others again
		synctest.Wait()
		if th := b.folded(); th.Messages != 2 || th.Run.Open {
			t.Fatalf("%d messages, run %+v", th.Messages, th.Run)
		}
	})
}

// TestLateEventsOfALostRunChangeNothing: they come before the loser has noticed.
func TestLateEventsOfALostRunChangeNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := memory.New()
		asleep := &sleeper{Log: store.Open()}
		a, b := newWorld(t, asleep), newWorld(t, store.Open())
		goOn := make(chan struct{})
		a.agent.play = speaks(goOn, make(chan error, 1))
		a.send("m1", "Hi")
		synctest.Wait()
		resume := asleep.suspend()
		time.Sleep(2 * leaseTime)
		close(goOn) // the rest waits to be stored
		synctest.Wait()
		if err := b.Recover(t.Context()); err != nil {
			t.Fatal(err)
		}
		resume()
		synctest.Wait()
		th := b.folded()
		if m := th.Conversation.Entries()[1].Message; m.Text() != "Half" || b.ends() != 1 || th.Run.Failure == nil {
			t.Fatalf("%q, %d ends", m.Text(), b.ends())
		}
	})
}

// TestARunOutlivesTheSleepOfItsOwnMachine: the clock says that the lease has run out;
// the process knows better.
func TestARunOutlivesTheSleepOfItsOwnMachine(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		log := &sleeper{Log: memory.New().Open()}
		w := newWorld(t, log)
		goOn := make(chan struct{})
		w.agent.play = speaks(goOn, make(chan error, 1))
		w.send("m1", "Hi")
		synctest.Wait()
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		go w.RecoverLoop(ctx)
		resume := log.suspend()
		time.Sleep(100 * leaseTime)
		resume()
		time.Sleep(leaseTime)
		if th := w.folded(); !th.Run.Open {
			t.Fatalf("its own process closed it: %+v", th.Run.Failure)
		}
		close(goOn)
		synctest.Wait()
		if th := w.folded(); th.Run.Open || th.Run.Failure != nil || w.status() != agentclient.StatusIdle {
			t.Fatalf("run %+v, status %q", th.Run, w.status())
		}
	})
}

// TestWhoIsAloneNeedNotWait: a locked log says that the others are dead.
func TestWhoIsAloneNeedNotWait(t *testing.T) {
	for _, alone := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			store := memory.New()
			asleep := &sleeper{Log: store.Open()}
			dead := newWorld(t, asleep)
			dead.agent.play = speaks(nil, make(chan error, 1))
			dead.send("m1", "Hi")
			synctest.Wait()
			defer asleep.suspend()()
			var options []Option
			if alone {
				options = append(options, Alone())
			}
			w := newWorld(t, store.Open(), options...)
			if err := w.Recover(t.Context()); err != nil {
				t.Fatal(err)
			}
			if open := w.folded().Run.Open; open == alone {
				t.Fatalf("alone %t: open %t", alone, open)
			}
			if !alone {
				return
			}
			_, before, err := w.log.Get(t.Context(), leaseKey(id))
			if err != nil {
				t.Fatal(err)
			}
			w.send("m2", "Hi")
			synctest.Wait()
			if _, after, err := w.log.Get(t.Context(), leaseKey(id)); err != nil || after != before || w.folded().Run.Open {
				t.Fatalf("a lease was written: revision %d after %d, %v", after, before, err)
			}
		})
	}
}

// TestADeletedThreadEndsItsRun: nothing can be written to it, and nobody waits for
// that; when it is restored, its run has no owner.
func TestADeletedThreadEndsItsRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, memory.New().Open(), Alone())
		goOn := make(chan struct{})
		w.agent.play = speaks(goOn, make(chan error, 1))
		w.send("m1", "Hi")
		synctest.Wait()
		if err := w.log.Delete(t.Context(), id); err != nil {
			t.Fatal(err)
		}
		close(goOn)
		synctest.Wait()
		if n := w.Running(); n != 0 {
			t.Fatalf("%d runs of a deleted thread go on", n)
		}
		if err := w.log.Restore(t.Context(), "o", id); err != nil {
			t.Fatal(err)
		}
		if err := w.Recover(t.Context()); err != nil {
			t.Fatal(err)
		}
		if th := w.folded(); th.Run.Open || th.Run.Failure == nil {
			t.Fatalf("run %+v", th.Run)
		}
	})
}

// TestWhoIsJustStartingIsNotOvertaken: a lease that another process took for a run whose
// rows are not there yet counts until it runs out, and only as long as nothing was
// written since.
func TestWhoIsJustStartingIsNotOvertaken(t *testing.T) {
	for name, c := range map[string]struct {
		lease lease
		want  error
	}{
		"it is about to write":      {lease{Owner: "other", Run: "r", After: 0, Expires: time.Now().Add(time.Minute)}, ErrRunning},
		"it died before it wrote":   {lease{Owner: "other", Run: "r", After: 0, Expires: time.Now().Add(-time.Second)}, nil},
		"its run has come and gone": {lease{Owner: "other", Run: "r", After: -1, Expires: time.Now().Add(time.Minute)}, nil},
		"it gave up":                {lease{}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, memory.New().Open())
			if _, err := w.setLease(t.Context(), id, 0, c.lease); err != nil {
				t.Fatal(err)
			}
			if err := w.Send(t.Context(), id, "m1", "Hi"); !errors.Is(err, c.want) {
				t.Fatalf("%v, want %v", err, c.want)
			}
			if c.want == nil {
				w.settled()
			}
			if n, want := len(w.agent.requests()), map[bool]int{true: 1}[c.want == nil]; n != want {
				t.Fatalf("%d requests, want %d", n, want)
			}
		})
	}
}

// TestAFormSentTwiceAtOnceIsOneMessage: the second waits for the first to be stored and
// is then a repeat, not a conflict.
func TestAFormSentTwiceAtOnceIsOneMessage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		log := &beginning{memory.New().Open(), make(chan struct{}), make(chan struct{})}
		w := newWorld(t, log)
		var forms sync.WaitGroup
		for range 20 {
			forms.Go(func() {
				if err := w.Send(t.Context(), id, "m1", "Hi"); err != nil {
					t.Error(err)
				}
			})
		}
		<-log.waiting
		synctest.Wait()
		close(log.goOn)
		forms.Wait()
		synctest.Wait()
		if n := len(w.agent.requests()); n != 1 || w.folded().Messages != 1 {
			t.Fatalf("%d requests, %d messages", n, w.folded().Messages)
		}
	})
}
