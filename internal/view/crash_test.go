package view

import (
	"bytes"
	"context"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"cairn/components"
	"cairn/demos"
	"cairn/internal/threadlog"
	"cairn/internal/threadlog/memory"
)

// crashing is a hub whose demo panics where it is told to.
func crashing(t *testing.T, change func(*demos.Demo)) (*Hub, threadlog.Log, *logged) {
	t.Helper()
	log := memory.New().Open()
	if err := log.Create(t.Context(), threadlog.Thread{ID: threadID, Owner: "o", Demo: "mastra"}); err != nil {
		t.Fatal(err)
	}
	d := demos.Mastra()
	change(&d)
	said := new(logged)
	h := NewHub(Config{Log: log, Demos: []demos.Demo{d.Complete()}, URLs: watch(t).hub.urls, Logger: slog.New(slog.NewTextHandler(said, nil)), Linger: time.Minute})
	t.Cleanup(func() { h.Close(); log.Close() })
	return h, log, said
}

// logged is a log that several goroutines write.
type logged struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *logged) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *logged) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

type panicking struct{ demos.Panel }

func (panicking) View() components.Panel { panic("planted") }

// TestAPanicEndsOneView: a conversation that panics when it is drawn is shown as its
// plain text, which stays up to date, and panics once.
func TestAPanicEndsOneView(t *testing.T) {
	for name, plant := range map[string]func(*demos.Demo){
		"drawing": func(d *demos.Demo) {
			fresh := d.NewPanel
			d.NewPanel = func() demos.Panel { return panicking{fresh()} }
		},
		"folding": func(d *demos.Demo) { d.NewPanel = func() demos.Panel { return nil } },
		"a tool card": func(d *demos.Demo) {
			d.ToolSummary = func(_, _, _ string) string { panic("planted") }
		},
	} {
		t.Run(name, func(t *testing.T) {
			h, log, said := crashing(t, plant)
			rows := chain(ask(m1, "Where to?", "r1"), events("r1",
				`{"type":"TOOL_CALL_START","toolCallId":"c","toolCallName":"find"}`,
				`{"type":"TOOL_CALL_RESULT","toolCallId":"c","messageId":"x","content":"found"}`), answer("r1", "To the <hills>."))
			seq := store(t, log, 0, rows)
			for range 3 {
				run, err := h.Page(t.Context(), threadID, Place{})
				if err != nil || run.Chat.Plain == nil || !run.Live {
					t.Fatalf("%+v, %v", run, err)
				}
				if text := run.Chat.Plain.Text; text != "You:\nWhere to?\n\nTo the <hills>." {
					t.Errorf("%q", text)
				}
			}
			frames, err := h.Watch(t.Context(), threadID)
			if err != nil {
				t.Fatal(err)
			}
			if page := newDOM(t, <-frames).String(); !strings.Contains(page, "could not be drawn") || !strings.Contains(page, "To the <hills>.") {
				t.Errorf("the tab got %s", page)
			}
			store(t, log, seq, ask(m2, "And then?", "r2"))
			if page := newDOM(t, <-frames).String(); !strings.Contains(page, "And then?") {
				t.Errorf("the tab then got %s", page)
			}
			if n := strings.Count(said.String(), "could not be drawn"); n != 1 || !strings.Contains(said.String(), threadID) || !strings.Contains(said.String(), "crash.Run") {
				t.Errorf("logged %d times: %s", n, said)
			}
		})
	}
}

func store(t *testing.T, log threadlog.Log, seq int64, steps []step) int64 {
	t.Helper()
	last, err := log.Append(t.Context(), threadID, seq, rowsFrom(steps)...)
	if err != nil {
		t.Fatal(err)
	}
	return last
}

// TestDeletingEndsRendering: nothing of a deleted conversation is rendered any more,
// also when a frame is in the middle of it.
func TestDeletingEndsRendering(t *testing.T) {
	var cards atomic.Int64
	var h *Hub
	var log threadlog.Log
	h, log, _ = crashing(t, func(d *demos.Demo) {
		d.ToolSummary = func(_, _, _ string) string {
			if cards.Add(1) == 3 {
				h.mu.Lock()
				v := h.views[threadID]
				h.mu.Unlock()
				if err := log.Delete(context.Background(), threadID); err != nil {
					t.Error(err)
				}
				<-v.ctx.Done()
			}
			return ""
		}
	})
	frames, err := h.Watch(t.Context(), threadID)
	if err != nil {
		t.Fatal(err)
	}
	<-frames
	rows := ask(m1, "Go", "r1")
	for _, id := range strings.Split(strings.Repeat("c", 50), "") {
		id += string(rune('a' + len(rows)))
		rows = append(rows, events("r1", `{"type":"TOOL_CALL_START","toolCallId":"`+id+`","toolCallName":"find"}`,
			`{"type":"TOOL_CALL_RESULT","toolCallId":"`+id+`","messageId":"m`+id+`","content":"found"}`)...)
	}
	store(t, log, 0, rows)
	for range frames { // closed when the view has ended
	}
	if n := cards.Load(); n != 3 {
		t.Errorf("%d cards were drawn, 3 of them before the conversation was deleted", n)
	}
}

// TestClosedInTheMiddleOfAFrame: tabs receive what the frame that was cut short held.
func TestClosedInTheMiddleOfAFrame(t *testing.T) {
	var cut func()
	h, log, _ := crashing(t, func(d *demos.Demo) {
		d.ToolSummary = func(_, _, _ string) string {
			cut()
			return "Found"
		}
	})
	cut = h.cancel
	seq := store(t, log, 0, ask(m1, "Where to?", "r1"))
	frames, err := h.Watch(t.Context(), threadID)
	if err != nil {
		t.Fatal(err)
	}
	page := newDOM(t, <-frames)
	store(t, log, seq, chain(events("r1",
		`{"type":"TOOL_CALL_START","toolCallId":"c","toolCallName":"find"}`,
		`{"type":"TOOL_CALL_RESULT","toolCallId":"c","messageId":"x","content":"found"}`), answer("r1", "To the hills.")))
	for f := range frames {
		page.apply(f)
	}
	if got := page.String(); !strings.Contains(got, "To the hills.") {
		t.Errorf("the tab was left with %s", got)
	}
}
