package view

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"cairn/agentclient"
	"cairn/demos"
	"cairn/internal/thread"
	"cairn/internal/threadlog"
	"cairn/internal/threadlog/logtest"
	"cairn/internal/threadlog/memory"
	"cairn/internal/threadlog/sqlite"
)

const threadID = "7e5f1a9e-3b1c-4e0e-9a55-0d6a3c1f2b10"

// flaky is a log whose reads fail on demand.
type flaky struct {
	threadlog.Log
	broken atomic.Bool
}

var errBroken = errors.New("broken")

func (f *flaky) Read(ctx context.Context, th string, from int64, limit int) ([]threadlog.Row, error) {
	if f.broken.Load() {
		return nil, errBroken
	}
	return f.Log.Read(ctx, th, from, limit)
}

func newHub(t *testing.T) (*Hub, *flaky) {
	t.Helper()
	log, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "threads.db"))
	if err != nil {
		t.Fatal(err)
	}
	f := &flaky{Log: log}
	if err := log.Create(t.Context(), threadlog.Thread{ID: threadID, Owner: "o", Demo: "mastra"}); err != nil {
		t.Fatal(err)
	}
	h := NewHub(Config{Log: f, Demos: demos.All(), URLs: watch(t).hub.urls, Logger: slog.New(slog.DiscardHandler), Linger: time.Minute})
	t.Cleanup(func() { h.Close(); log.Close() })
	return h, f
}

func say(t *testing.T, log threadlog.Log, seq int64, text string) {
	t.Helper()
	row := thread.NewRow(threadlog.KindUser, "", agentclient.UserData{ID: text, Text: text})
	if _, err := log.Append(t.Context(), threadID, seq, row); err != nil {
		t.Fatal(err)
	}
}

func TestWatchSendsPageThenChanges(t *testing.T) {
	h, log := newHub(t)
	say(t, log, 0, "first")
	ctx, leave := context.WithCancel(t.Context())
	a, err := h.Watch(ctx, threadID)
	if err != nil {
		t.Fatal(err)
	}
	b, err := h.Watch(t.Context(), threadID)
	if err != nil {
		t.Fatal(err)
	}
	page := newDOM(t, <-a)
	other := newDOM(t, <-b)
	say(t, log, 1, "second")
	page.apply(<-a)
	other.apply(<-b)
	if page.String() != other.String() {
		t.Fatal("two tabs differ")
	}
	leave()
	for range a { // closed once the tab is gone
	}
	say(t, log, 2, "third")
	other.apply(<-b)
}

func TestPageShowsWhatWasStoredBefore(t *testing.T) {
	h, log := newHub(t)
	for i, text := range []string{"one", "two", "three"} {
		say(t, log, int64(i), text)
		run, err := h.Page(t.Context(), threadID, Place{})
		if err != nil || len(run.Chat.Items) != i+1 {
			t.Fatalf("%v, %d items after %d messages", err, len(run.Chat.Items), i+1)
		}
	}
}

func TestWatchLogReadError(t *testing.T) {
	h, log := newHub(t)
	say(t, log, 0, "first")
	if _, err := h.Page(t.Context(), threadID, Place{}); err != nil {
		t.Fatal(err)
	}
	log.broken.Store(true)
	if _, err := h.Page(t.Context(), threadID, Place{}); !errors.Is(err, errBroken) {
		t.Fatalf("page: %v", err)
	}
	log.broken.Store(false)
	if _, err := h.Page(t.Context(), threadID, Place{}); err != nil {
		t.Fatalf("after it can be read again: %v", err)
	}
}

func TestSlowTabIsClosed(t *testing.T) {
	h, log := newHub(t)
	slow, err := h.Watch(t.Context(), threadID)
	if err != nil {
		t.Fatal(err)
	}
	ask := func(f func(*view) error) {
		if err := h.ask(t.Context(), threadID, f); err != nil {
			t.Fatal(err)
		}
	}
	for i := range tabQueue + 2 { // a frame each, without waiting for the clock
		say(t, log, int64(i), "m"+string(rune('a'+i%26))+string(rune('a'+i/26)))
		ask(func(v *view) error { _, err := v.flush(v.ctx); return err })
	}
	frames := 0
	for range slow {
		frames++
	}
	if frames != tabQueue {
		t.Fatalf("%d frames before the cut, want %d", frames, tabQueue)
	}
}

func TestCloseEndsTabs(t *testing.T) {
	h, _ := newHub(t)
	tab, err := h.Watch(t.Context(), threadID)
	if err != nil {
		t.Fatal(err)
	}
	h.Close()
	for range tab {
	}
	if _, err := h.Page(t.Context(), threadID, Place{}); err == nil {
		t.Fatal("a closed hub made a page")
	}
}

// TestUnwatchedViewsLimit: only a few views are kept for a reload.
func TestUnwatchedViewsLimit(t *testing.T) {
	h, log := newHub(t)
	for i := range 3 * maxUnwatched {
		id := fmt.Sprint("thread-", i)
		if err := log.Create(t.Context(), threadlog.Thread{ID: id, Owner: "o", Demo: "mastra"}); err != nil {
			t.Fatal(err)
		}
		if _, err := h.Page(t.Context(), id, Place{}); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := h.Watch(t.Context(), threadID); err != nil {
		t.Fatal(err)
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if n := len(h.unwatched); n > maxUnwatched {
		t.Errorf("%d views are kept", n)
	}
	if v := h.views[threadID]; v == nil || v.ctx.Err() != nil {
		t.Error("the watched view has ended")
	}
}

// TestWakesThatComeLate: a page is right with a store that wakes after its writes returned.
func TestWakesThatComeLate(t *testing.T) {
	log := logtest.Late(memory.New().Open())
	t.Cleanup(func() { log.Close() })
	if err := log.Create(t.Context(), threadlog.Thread{ID: threadID, Owner: "o", Demo: "mastra"}); err != nil {
		t.Fatal(err)
	}
	h := NewHub(Config{Log: log, Demos: demos.All(), URLs: watch(t).hub.urls, Logger: slog.New(slog.DiscardHandler), Linger: time.Minute})
	t.Cleanup(h.Close)
	say(t, log, 0, "first")
	tab, err := h.Watch(t.Context(), threadID)
	if err != nil {
		t.Fatal(err)
	}
	page := newDOM(t, <-tab)
	for i, text := range []string{"second", "third"} {
		say(t, log, int64(i+1), text)
		run, err := h.Page(t.Context(), threadID, Place{}) // before it woke
		if err != nil || len(run.Chat.Items) != i+2 {
			t.Fatalf("%v, %d items", err, len(run.Chat.Items))
		}
		for !strings.Contains(page.String(), text) {
			page.apply(<-tab)
		}
	}
	fresh, err := h.Watch(t.Context(), threadID)
	if err != nil {
		t.Fatal(err)
	}
	if want := newDOM(t, <-fresh); page.String() != want.String() {
		t.Error(diff(page.String(), want.String()))
	}
}
