package thread

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"

	"cairn/agentclient"
	"cairn/agui"
	"cairn/internal/threadlog"
	"cairn/internal/threadlog/memory"
)

// counting is a log that counts the rows it returns.
type counting struct {
	threadlog.Log
	mu   sync.Mutex
	rows int
}

func (c *counting) Read(ctx context.Context, id string, from int64, limit int) ([]threadlog.Row, error) {
	rows, err := c.Log.Read(ctx, id, from, limit)
	c.mu.Lock()
	c.rows += len(rows)
	c.mu.Unlock()
	return rows, err
}

// read returns how many rows were given since the last call.
func (c *counting) read() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	n := c.rows
	c.rows = 0
	return n
}

type rig struct {
	*Keeper
	log *counting
	t   *testing.T
}

func newRig(t *testing.T, attach func(string, *agentclient.Session) Follower) *rig {
	log := &counting{Log: memory.New().Open()}
	k := NewKeeper(Config{
		Log: log, Logger: slog.New(slog.DiscardHandler), Attach: attach,
		Session: func(string) agentclient.SessionConfig { return agentclient.SessionConfig{} },
	})
	return &rig{k, log, t}
}

func (r *rig) create(id string) {
	r.t.Helper()
	if err := r.log.Create(r.t.Context(), threadlog.Thread{ID: id, Owner: "o"}); err != nil {
		r.t.Fatal(err)
	}
}

func (r *rig) append(id string, after int64, rows ...threadlog.Row) int64 {
	r.t.Helper()
	last, err := r.log.Append(r.t.Context(), id, after, rows...)
	if err != nil {
		r.t.Fatal(err)
	}
	return last
}

func (r *rig) use(id string) *Thread {
	r.t.Helper()
	t, err := r.Use(r.t.Context(), id)
	if err != nil {
		r.t.Fatal(err)
	}
	return t
}

// records returns how many records a use of the thread sees.
func (r *rig) records(t *Thread) (n int64) {
	r.t.Helper()
	if err := t.Do(r.t.Context(), func(s *agentclient.Session) error { n = s.Records; return nil }); err != nil {
		r.t.Fatal(err)
	}
	return n
}

func said(id, text string) threadlog.Row {
	return NewRow(threadlog.KindUser, "", agentclient.UserData{ID: id, Text: text})
}

func began(run string) threadlog.Row {
	return NewRow(threadlog.KindRun, run, agentclient.RunData{Reason: agentclient.ReasonMessage})
}

func event(run, data string) threadlog.Row {
	return threadlog.Row{Kind: threadlog.KindEvent, RunID: run, Data: []byte(data)}
}

// TestEachRowIsReadOnce: the second use of a thread reads what is new.
func TestEachRowIsReadOnce(t *testing.T) {
	r := newRig(t, nil)
	r.create("a")
	last := r.append("a", 0, said("m1", "one"), said("m2", "two"))
	for _, want := range []int{2, 0} {
		th := r.use("a")
		if n, read := r.records(th), r.log.read(); n != 2 || read != want {
			t.Errorf("%d records, %d rows read, want 2 and %d", n, read, want)
		}
		th.Release()
	}
	r.append("a", last, said("m3", "three")) // by another process
	th := r.use("a")
	defer th.Release()
	if n, read := r.records(th), r.log.read(); n != 3 || read != 1 {
		t.Errorf("after another's row: %d records, %d rows read", n, read)
	}
}

// TestADrivenThreadIsNotRead: the events of a run of this process are folded as they were
// decoded, and never read from the log.
func TestADrivenThreadIsNotRead(t *testing.T) {
	r := newRig(t, nil)
	r.create("a")
	th := r.use("a")
	defer th.Release()
	rows := []threadlog.Row{said("m1", "one"), began("r1")}
	if err := th.Drive(r.append("a", 0, rows...), rows); err != nil {
		t.Fatal(err)
	}
	id, text := "a1", "as it was decoded"
	ev := &agui.TextMessageChunk{MessageID: &id, Delta: &text}
	rows = []threadlog.Row{event("r1", `{"type":"TEXT_MESSAGE_CHUNK","messageId":"a1","delta":"as it was stored"}`)}
	last := r.append("a", 2, rows...)
	if n := r.records(th); n != 2 {
		t.Errorf("%d records before the row was folded", n)
	}
	if err := th.Fold(last, rows, []agui.Event{ev}); err != nil {
		t.Fatal(err)
	}
	if n, read := r.records(th), r.log.read(); n != 3 || read != 0 {
		t.Errorf("%d records, %d rows read", n, read)
	}
	_ = th.Do(t.Context(), func(s *agentclient.Session) error {
		all := s.Conversation.Entries()
		if got := all[len(all)-1].Message.Text(); got != text {
			t.Errorf("the message says %q", got)
		}
		return nil
	})
	th.Rest()
	r.append("a", last, said("m2", "two"))
	if n, read := r.records(th), r.log.read(); n != 4 || read != 1 {
		t.Errorf("after the run: %d records, %d rows read", n, read)
	}
}

// TestFoldSkipsWhatWasRead: rows that somebody read first are not folded again, and rows of
// others that came between are read.
func TestFoldSkipsWhatWasRead(t *testing.T) {
	r := newRig(t, nil)
	r.create("a")
	th := r.use("a")
	defer th.Release()
	rows := []threadlog.Row{said("m1", "one"), said("m2", "two")}
	last := r.append("a", 0, rows...)
	r.records(th)
	if err := th.Fold(last, rows, nil); err != nil || r.records(th) != 2 {
		t.Errorf("%d records, %v", r.records(th), err)
	}
	last = r.append("a", last, said("m3", "of another process"))
	rows = []threadlog.Row{said("m4", "four")}
	last = r.append("a", last, rows...)
	if err := th.Fold(last, rows, nil); err != nil || r.records(th) != 4 {
		t.Errorf("%d records, %v", r.records(th), err)
	}
}

// TestIdleSessionsAreBounded: of the unused sessions, the longest unused is dropped.
func TestIdleSessionsAreBounded(t *testing.T) {
	r := newRig(t, nil)
	const threads = 6
	for i := range threads {
		id := fmt.Sprint(i)
		r.create(id)
		r.append(id, 0, said("m", strings.Repeat("x", maxIdle/8)))
		th := r.use(id)
		r.records(th)
		th.Release()
	}
	r.log.read()
	for i, want := range []int{1, 0} {
		th := r.use(fmt.Sprint(i * (threads - 1))) // the first, the last
		r.records(th)
		th.Release()
		if n := r.log.read(); n != want {
			t.Errorf("thread %d: %d rows read, want %d", i, n, want)
		}
	}
	if r.bytes > maxIdle {
		t.Errorf("%d bytes are kept", r.bytes)
	}
	held := r.use("0")
	defer held.Release()
	for i := 1; i < threads; i++ {
		th := r.use(fmt.Sprint(i))
		r.records(th)
		th.Release()
	}
	r.log.read()
	if r.records(held); r.log.read() != 0 {
		t.Error("a thread in use was dropped")
	}
}

// TestAThreadThatBeginsAnew: a purged thread's session is not taken for the new one's.
func TestAThreadThatBeginsAnew(t *testing.T) {
	r := newRig(t, nil)
	r.create("a")
	r.append("a", 0, said("m1", "old"), said("m2", "old"))
	th := r.use("a")
	r.records(th)
	th.Release()
	r.log.Log = memory.New().Open()
	r.create("a")
	r.append("a", 0, said("m1", "new"))
	th = r.use("a")
	defer th.Release()
	if n := r.records(th); n != 1 {
		t.Errorf("%d records", n)
	}
}

// planted panics when it is told of a message.
type planted struct{ armed *bool }

func (p planted) Folded(effects []agentclient.Effect) {
	if *p.armed && len(effects) > 0 {
		panic("planted")
	}
}

// TestAPanicBreaksTheSessionOnce: those who have it are told, and the next use reads the
// thread anew.
func TestAPanicBreaksTheSessionOnce(t *testing.T) {
	armed := false
	r := newRig(t, func(string, *agentclient.Session) Follower { return planted{&armed} })
	r.create("a")
	th := r.use("a")
	defer th.Release()
	woken := 0
	stop, err := th.Watch(t.Context(), func([]agentclient.Effect) {}, func() { woken++ })
	if err != nil {
		t.Fatal(err)
	}
	defer stop()
	armed = true
	r.append("a", 0, said("m1", "one"))
	func() {
		defer func() {
			if recover() == nil {
				t.Error("the panic did not reach who folds")
			}
		}()
		_ = th.Do(t.Context(), func(*agentclient.Session) error { return nil })
	}()
	armed = false
	if err := th.Do(t.Context(), func(*agentclient.Session) error { return nil }); !errors.Is(err, ErrBroken) || woken == 0 {
		t.Errorf("%v, woken %d times", err, woken)
	}
	again := r.use("a")
	defer again.Release()
	if again == th || r.records(again) != 1 {
		t.Errorf("the next use: %d records", r.records(again))
	}
}

// TestOneAtATime: uses wait for each other, and for no longer than their context.
func TestOneAtATime(t *testing.T) {
	r := newRig(t, nil)
	r.create("a")
	th := r.use("a")
	defer th.Release()
	ctx, cancel := context.WithCancel(t.Context())
	err := th.Do(t.Context(), func(*agentclient.Session) error {
		cancel()
		return th.Do(ctx, func(*agentclient.Session) error { return nil })
	})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}
