package view

import (
	"context"
	"fmt"
	"log/slog"
	"runtime"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
	"weak"

	"cairn/components"
	"cairn/demos"
	"cairn/internal/thread"
	"cairn/internal/threadlog"
	"cairn/internal/threadlog/memory"
)

// counting is a log that counts its reads.
type counting struct {
	threadlog.Log
	reads atomic.Int64
}

func (c *counting) Read(ctx context.Context, th string, from int64, limit int) ([]threadlog.Row, error) {
	c.reads.Add(1)
	return c.Log.Read(ctx, th, from, limit)
}

// countingPanel counts how often it is drawn.
type countingPanel struct {
	demos.Panel
	drawn *atomic.Int64
}

func (c countingPanel) View() components.Panel {
	c.drawn.Add(1)
	return c.Panel.View()
}

// bubble is a hub on a log in memory, for a synctest bubble: what is due is done
// when synctest.Wait returns.
type bubble struct {
	*Hub
	t     *testing.T
	log   *counting
	drawn atomic.Int64
	seq   int64
}

func newBubble(t *testing.T) *bubble {
	b := &bubble{t: t, log: &counting{Log: memory.New().Open()}}
	if err := b.log.Create(t.Context(), threadlog.Thread{ID: threadID, Owner: "o", Demo: "mastra"}); err != nil {
		t.Fatal(err)
	}
	d := demos.Mastra()
	fresh := d.NewPanel
	d.NewPanel = func() demos.Panel { return countingPanel{fresh(), &b.drawn} }
	b.Hub = NewHub(Config{Log: b.log, Demos: []demos.Demo{d}, URLs: watch(t).hub.urls, Logger: slog.New(slog.DiscardHandler), Linger: time.Minute})
	t.Cleanup(func() { b.Close(); b.log.Close() })
	return b
}

func (b *bubble) append(steps ...step) {
	b.t.Helper()
	last, err := b.log.Append(b.t.Context(), threadID, b.seq, rowsFrom(steps)...)
	if err != nil {
		b.t.Fatal(err)
	}
	b.seq = last
}

func rowsFrom(steps []step) []threadlog.Row {
	rows := make([]threadlog.Row, len(steps))
	for i, s := range steps {
		rows[i] = thread.NewRow(s.kind, s.run, s.body)
	}
	return rows
}

// word is a piece of the agent's answer.
func word(i int) step {
	return events("r1", fmt.Sprintf(`{"type":"TEXT_MESSAGE_CHUNK","messageId":"a","role":"assistant","delta":"word%d "}`, i))[0]
}

func (b *bubble) watch(ctx context.Context) <-chan Frame {
	b.t.Helper()
	frames, err := b.Watch(ctx, threadID)
	if err != nil {
		b.t.Fatal(err)
	}
	return frames
}

// due returns the frame that was sent by now, or nil.
func due(frames <-chan Frame) Frame {
	synctest.Wait()
	select {
	case f := <-frames:
		return f
	default:
		return nil
	}
}

// TestFrames: the first change after a quiet moment goes out at once; those that
// follow share the next frame, and a frame is never early.
func TestFrames(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBubble(t)
		b.append(ask(m1, "Hi", "r1")...)
		b.append(word(0))
		tab := b.watch(t.Context())
		page := newDOM(t, due(tab))
		at := func(after time.Duration, rows int, want bool) {
			t.Helper()
			time.Sleep(after) // the bubble's clock
			for range rows {
				b.append(word(int(b.seq)))
			}
			if f := due(tab); (f != nil) != want {
				t.Fatalf("row %d: frame %v, want one: %t", b.seq, f, want)
			} else if f != nil {
				page.apply(f)
			}
		}
		for range 3 { // each time after a quiet moment
			at(time.Second, 1, true)
			at(time.Millisecond, 1, false)
			at(time.Millisecond, 2, false)
			at(27*time.Millisecond+999*time.Microsecond, 1, false)
			at(time.Microsecond, 0, true)
			at(29*time.Millisecond, 1, false) // the clock goes on from that frame
			at(time.Millisecond, 0, true)
			at(frameEvery, 1, true)
		}
		if want := newDOM(t, due(b.watch(t.Context()))); page.String() != want.String() {
			t.Error(diff(page.String(), want.String()))
		}
	})
}

// TestABurstIsReadOnce: however often the log wakes, it is read once a frame.
func TestABurstIsReadOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBubble(t)
		b.append(ask(m1, "Hi", "r1")...)
		tab := b.watch(t.Context())
		due(tab)
		before := b.log.reads.Load()
		for i := range 100 {
			b.append(word(i))
			synctest.Wait()
		}
		time.Sleep(frameEvery)
		for _, want := range []string{"the first change", "the rest of the burst"} {
			if due(tab) == nil {
				t.Fatal("no frame for", want)
			}
		}
		if n := b.log.reads.Load() - before; n != 2 {
			t.Errorf("the log was read %d times for two frames", n)
		}
	})
}

// TestTabsShareOneRender: a hundred tabs cost the renders of one, and what they get
// are the very same bytes.
func TestTabsShareOneRender(t *testing.T) {
	play := func(t *testing.T, tabs int) (drawn int64) {
		synctest.Test(t, func(t *testing.T) {
			b := newBubble(t)
			b.append(ask(m1, "Start a list", "r1")...)
			all := make([]<-chan Frame, tabs)
			for i := range all {
				all[i] = b.watch(t.Context())
				due(all[i])
			}
			before := b.drawn.Load()
			for _, s := range captured(t, "05-packing-list-create", "r1") {
				b.append(s)
				time.Sleep(frameEvery)
				first := due(all[0])
				for _, tab := range all[1:] {
					if f := due(tab); len(f) != len(first) || len(f) > 0 && &f[0] != &first[0] {
						t.Fatalf("row %d: a tab has a frame of its own", b.seq)
					}
				}
			}
			drawn = b.drawn.Load() - before
			b.mu.Lock()
			defer b.mu.Unlock()
			if len(b.views) != 1 {
				t.Errorf("%d views of one thread", len(b.views))
			}
		})
		return drawn
	}
	if one, hundred := play(t, 1), play(t, 100); one != hundred || one < 5 {
		t.Errorf("the panel was drawn %d times for one tab, %d for a hundred", one, hundred)
	}
}

// TestUnwatchedViewEnds: after the linger time, not before, and nothing keeps
// its memory; until then rows cost it nothing.
func TestUnwatchedViewEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBubble(t)
		b.append(ask(m1, "Hi", "r1")...)
		ctx, leave := context.WithCancel(t.Context())
		tab := b.watch(ctx)
		due(tab)
		view := func() *view {
			b.mu.Lock()
			defer b.mu.Unlock()
			return b.views[threadID]
		}
		gone := weak.Make(view())
		time.Sleep(10 * b.linger) // it is watched
		leave()
		synctest.Wait()
		before := b.log.reads.Load()
		b.append(word(1), word(2))
		time.Sleep(b.linger - time.Nanosecond)
		if view() == nil {
			t.Fatal("it ended before its time")
		}
		if n := b.log.reads.Load() - before; n != 0 {
			t.Errorf("%d reads for nobody", n)
		}
		time.Sleep(time.Nanosecond)
		synctest.Wait()
		if view() != nil {
			t.Fatal("it goes on")
		}
		if _, open := <-tab; open {
			t.Error("the tab that left got a frame")
		}
		for range 3 { // what a cleanup holds is gone in the next round
			runtime.GC()
		}
		if gone.Value() != nil {
			t.Error("its memory is kept")
		}
		if run, err := b.Page(t.Context(), threadID, Place{}); err != nil || len(run.Chat.Items) != 2 {
			t.Errorf("a view after it: %+v, %v", run.Chat.Items, err)
		}
	})
}

// TestAReloadKeepsItsView: a page that is loaded again within the linger time finds
// what was folded.
func TestAReloadKeepsItsView(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBubble(t)
		b.append(ask(m1, "Hi", "r1")...)
		var first *view
		for range 5 {
			ctx, leave := context.WithCancel(t.Context())
			due(b.watch(ctx))
			b.mu.Lock()
			v := b.views[threadID]
			b.mu.Unlock()
			if first != nil && v != first {
				t.Fatal("another view")
			}
			first = v
			leave()
			time.Sleep(b.linger - time.Second)
		}
	})
}
