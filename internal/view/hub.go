// Package view draws threads. There is one view per watched thread: it folds the
// thread's log as it grows, renders what changed once per frame, and hands the
// same patches to every tab. It decides nothing and writes nothing to the log.
package view

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"cairn/components"
	"cairn/demos"
	"cairn/internal/threadlog"
)

// Mode says how a patch changes the page; the names are those of the Datastar
// wire.
type Mode string

const (
	ModeOuter  Mode = "outer"
	ModeInner  Mode = "inner"
	ModeAppend Mode = "append"
	ModeBefore Mode = "before"
	ModeRemove Mode = "remove"
)

// Patch is one change of the page. Selector is an id of ours with its #.
type Patch struct {
	Selector string
	Mode     Mode
	HTML     string
}

// Frame is what a tab gets at once. Tabs share it and must not change it.
type Frame []Patch

// Run is what the Run tab shows beside its shell.
type Run struct {
	Chat  components.Chat
	Panel components.Panel
}

// Hub keeps the views of this process.
type Hub struct {
	log    threadlog.Log
	demos  map[string]demos.Demo
	urls   URLs
	status map[string]string // by demo
	logger *slog.Logger
	linger time.Duration

	ctx    context.Context
	cancel context.CancelFunc
	wg     sync.WaitGroup

	mu    sync.Mutex
	views map[string]*view
}

// URLs are where a thread's forms post to; the web edge knows its routes.
type URLs struct {
	Messages, Stop func(thread string) string
	// Retry repeats the run whose failure is the thread's row of that number.
	Retry  func(thread string, failure int64) string
	Decide func(thread string, generation int) string
	// Regenerate asks for another answer in the place of the one that the run gave.
	Regenerate func(thread, run string) string
}

// Config is what a hub needs.
type Config struct {
	Log   threadlog.Log
	Demos []demos.Demo
	URLs  URLs
	// Status is the small print under a demo's composer, by slug.
	Status map[string]string
	Logger *slog.Logger
	// Linger is how long a view outlives its last tab, so that a reload does not
	// fold the thread again.
	Linger time.Duration
}

// NewHub makes a hub. Close it to end all views.
func NewHub(c Config) *Hub {
	ctx, cancel := context.WithCancel(context.Background())
	h := &Hub{
		log: c.Log, demos: map[string]demos.Demo{}, urls: c.URLs, status: c.Status,
		logger: c.Logger, linger: c.Linger, ctx: ctx, cancel: cancel, views: map[string]*view{},
	}
	for _, d := range c.Demos {
		h.demos[d.Slug] = d
	}
	return h
}

// Status is the small print under a demo's composer.
func (h *Hub) Status(demo string) string { return h.status[demo] }

// Close ends every view, and with it every tab, and waits for them.
func (h *Hub) Close() {
	h.mu.Lock() // no view begins after this
	h.cancel()
	h.mu.Unlock()
	h.wg.Wait()
}

// Page gives what the page of a thread shows now.
func (h *Hub) Page(ctx context.Context, threadID string) (Run, error) {
	reply := make(chan Run, 1)
	if err := h.ask(ctx, threadID, func(v *view) { reply <- v.run() }); err != nil {
		return Run{}, err
	}
	return <-reply, nil
}

// Watch delivers the thread's page: first the whole of it, then every change.
// The channel is closed when ctx ends, when the hub closes, or when the tab was
// too slow to take what it got; a tab that connects again misses nothing.
func (h *Hub) Watch(ctx context.Context, threadID string) (<-chan Frame, error) {
	t := &tab{frames: make(chan Frame, tabQueue), ctx: ctx}
	if err := h.ask(ctx, threadID, func(v *view) { v.join(t) }); err != nil {
		return nil, err
	}
	return t.frames, nil
}

// ask runs f in the thread's view, making the view when there is none.
func (h *Hub) ask(ctx context.Context, threadID string, f func(*view)) error {
	for {
		v, err := h.view(ctx, threadID)
		if err != nil {
			return err
		}
		done := make(chan struct{})
		select {
		case v.asks <- func() { f(v); close(done) }:
			select {
			case <-done:
				return nil
			case <-v.done: // it ended with the question in hand, or just after
			}
		case <-v.done:
		case <-ctx.Done():
			return ctx.Err()
		}
		select {
		case <-done:
			return nil
		default:
		}
		if err := errors.Join(v.err, h.ctx.Err(), ctx.Err()); err != nil {
			return err
		}
		// it had lingered long enough; a new one takes its place
	}
}

func (h *Hub) view(ctx context.Context, threadID string) (*view, error) {
	h.mu.Lock()
	v := h.views[threadID]
	h.mu.Unlock()
	if v != nil {
		return v, nil
	}
	info, err := h.log.Thread(ctx, threadID)
	if err != nil {
		return nil, fmt.Errorf("find the thread: %w", err)
	}
	demo, ok := h.demos[info.Demo]
	if !ok {
		return nil, fmt.Errorf("no demo %q", info.Demo)
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if v := h.views[threadID]; v != nil {
		return v, nil
	}
	if h.ctx.Err() != nil {
		return nil, h.ctx.Err()
	}
	v = newView(h, threadID, demo)
	h.views[threadID] = v
	h.wg.Add(1)
	go v.loop(h.ctx) // ends with the hub or after lingering without tabs
	return v, nil
}

func (h *Hub) forget(v *view) {
	h.mu.Lock()
	delete(h.views, v.threadID)
	h.mu.Unlock()
	h.wg.Done()
}
