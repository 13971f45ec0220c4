// Package view draws threads. There is one view per watched thread: it folds the
// thread's log as it grows, renders what changed once per frame, and hands the
// same patches to every tab. It decides nothing and writes nothing to the log.
//
// A page is a window: it shows the last entries of the conversation, within budgets
// that are checked before anything is rendered (window.go, budget.go). Rendering ends
// with the view.
package view

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"errors"
	"fmt"
	"log/slog"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/google/uuid"

	"cairn/agentclient"
	"cairn/components"
	"cairn/demos"
	"cairn/internal/thread"
	"cairn/internal/threadlog"
)

// maxUnwatched bounds how many views outlive their last tab: each holds a conversation.
const maxUnwatched = 16

// Mode is how a patch changes the page; the names are those of the Datastar
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

var newlines = strings.NewReplacer("\r\n", "&#10;", "\n", "&#10;", "\r", "&#10;")

// oneLine writes the line ends of all markup as references, which a parser reads alike:
// on the wire each line costs a prefix, and each tab a copy of it.
func (f Frame) oneLine() Frame {
	for i := range f {
		f[i].HTML = newlines.Replace(f[i].HTML)
	}
	return f
}

// Run is what the Run tab shows beside its shell.
type Run struct {
	Chat  components.Chat
	Panel components.Panel
	// Live is true when the page shows the end of the conversation, which a stream
	// keeps up to date.
	Live bool
}

// Hub keeps the views of this process.
type Hub struct {
	log     Log
	threads *thread.Keeper
	demos   map[string]demos.Demo
	urls    URLs
	status  map[string]string              // by demo
	errors  map[string]func(string) string // by demo; see [Config]
	logger  *slog.Logger
	linger  time.Duration
	secret  []byte

	ctx    context.Context
	cancel context.CancelFunc
	wg     sync.WaitGroup

	mu    sync.Mutex
	views map[string]*view
	// unwatched are the views without a tab or a question, and since when.
	unwatched map[*view]time.Time
	// crashed are the threads that are shown as plain text, since drawing them has
	// panicked. A thread stays here until the process ends, so that each panics once.
	crashed map[string]struct{}
}

// URLs are where a thread's forms post to; the web edge knows its routes.
type URLs struct {
	Messages, Stop func(thread string) string
	// Retry repeats the run whose failure is the thread's row of that number.
	Retry  func(thread string, failure int64) string
	Decide func(thread string, generation int) string
	// Regenerate is the URL that replaces the answer of the run with a new one.
	Regenerate func(thread, run string) string
	// Page is a thread's page; Before and At are parts of it that do not show its end,
	// named by an entry's key.
	Page       func(demo, thread string) string
	Before, At func(demo, thread string, key int) string
	// Text is where the whole text of a part of an entry is.
	Text func(thread, part string) string
	// Media is where the data of a part of an entry is.
	Media func(thread, part string) string
}

// Log is what a hub reads of a log.
type Log interface {
	threadlog.Rows
	Thread(ctx context.Context, id string) (threadlog.Thread, error)
}

// Config is what a hub needs.
type Config struct {
	Log   Log
	Demos []demos.Demo
	// Threads are the log's, with [Panels] attached; nil is a keeper of the hub's own.
	Threads *thread.Keeper
	URLs    URLs
	// Status is the small print under a demo's composer, by slug.
	Status map[string]string
	// Errors are, by the slugs of the demos whose agents are trusted to word their errors
	// for users, what may be shown of such a text: the text without secrets.
	Errors map[string]func(string) string
	Logger *slog.Logger
	// Linger is how long a view outlives its last tab, so that a reload does not
	// fold the thread again.
	Linger time.Duration
	// Secret keeps the ids of messages that are not written yet from being guessed. It is
	// the same for all processes that serve a thread.
	Secret []byte
}

// NewHub makes a hub. Close it to end all views.
func NewHub(c Config) *Hub {
	ctx, cancel := context.WithCancel(context.Background())
	h := &Hub{
		log: c.Log, threads: c.Threads, demos: map[string]demos.Demo{}, urls: c.URLs, status: c.Status, errors: c.Errors,
		logger: c.Logger, linger: c.Linger, secret: c.Secret, ctx: ctx, cancel: cancel,
		views: map[string]*view{}, unwatched: map[*view]time.Time{}, crashed: map[string]struct{}{},
	}
	for _, d := range c.Demos {
		h.demos[d.Slug] = d
	}
	if h.threads == nil {
		h.threads = thread.NewKeeper(thread.Config{
			Log: c.Log, Logger: c.Logger, Attach: Panels(c.Demos, c.Logger),
			Session: func(demo string) agentclient.SessionConfig {
				return agentclient.SessionConfig{Transport: h.demos[demo].Transport, Profile: h.demos[demo].Profile}
			},
		})
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

// NextMessageID is the id of the message after the first n of a thread. It follows from
// them, so every tab and every reload of a form carries the same one and a message sent
// twice is one message; and from the hub's secret, so that an agent cannot use it first.
func (h *Hub) NextMessageID(threadID string, n int) string {
	mac := hmac.New(sha256.New, h.secret)
	mac.Write([]byte("message/" + threadID + "/" + strconv.Itoa(n)))
	id := uuid.UUID(mac.Sum(nil)[:16])
	id[6] = id[6]&0x0f | 0x80 // version 8: made in a way of our own
	id[8] = id[8]&0x3f | 0x80
	return id.String()
}

// Page returns what the page of a thread shows now at a place.
func (h *Hub) Page(ctx context.Context, threadID string, p Place) (run Run, err error) {
	askErr := h.ask(ctx, threadID, func(v *view) error {
		run, err = v.run(p)
		return err
	})
	return run, askErr
}

// Watch delivers the thread's page: first the whole of it, then every change.
// The channel is closed when ctx ends, when the hub closes, or when the tab was
// too slow to take what it got; a tab that connects again misses nothing.
func (h *Hub) Watch(ctx context.Context, threadID string) (<-chan Frame, error) {
	t := &tab{frames: make(chan Frame, tabQueue), ctx: ctx}
	if err := h.ask(ctx, threadID, func(v *view) error { return v.join(t) }); err != nil {
		return nil, err
	}
	return t.frames, nil
}

// ask calls f in the goroutine of the thread's view, which is made when there is none.
// When f ends with the view's context, or panics, the next view of the thread is asked.
func (h *Hub) ask(ctx context.Context, threadID string, f func(*view) error) error {
	for {
		v, err := h.view(ctx, threadID)
		if err != nil {
			return err
		}
		answer := make(chan error, 1)
		select {
		case v.asks <- func() { answer <- f(v) }:
			select {
			case err := <-answer:
				if err == nil || v.ctx.Err() == nil {
					return err
				}
				<-v.done // f was cut short
			case <-v.done: // the view ended with the question in hand, or just after
			}
		case <-v.done:
		case <-ctx.Done():
			return ctx.Err()
		}
		select {
		case err := <-answer:
			return err
		default:
		}
		if err := errors.Join(v.err, h.ctx.Err(), ctx.Err()); err != nil {
			return err
		}
		// it had lingered long enough, or crashed; a new one takes its place
	}
}

func (h *Hub) view(ctx context.Context, threadID string) (*view, error) {
	h.mu.Lock()
	v := h.views[threadID]
	delete(h.unwatched, v) // it is about to be asked
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
	if _, crashed := h.crashed[threadID]; crashed {
		v.plain = new(plainText)
	}
	h.views[threadID] = v
	h.wg.Add(1)
	go v.work() // ends with the hub, with the thread, or after lingering without tabs
	return v, nil
}

// rest notes that a view has no tab and nothing to do, and ends the one that was so for
// the longest when they are more than are kept for a reload.
func (h *Hub) rest(v *view) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.unwatched[v] = time.Now()
	if len(h.unwatched) <= maxUnwatched {
		return
	}
	oldest := v
	for other, since := range h.unwatched {
		if since.Before(h.unwatched[oldest]) {
			oldest = other
		}
	}
	delete(h.unwatched, oldest)
	oldest.cancel()
}

// drawPlain makes the thread's next views show its plain text.
func (h *Hub) drawPlain(threadID string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.crashed[threadID] = struct{}{}
}

func (h *Hub) forget(v *view) {
	h.mu.Lock()
	delete(h.views, v.threadID)
	delete(h.unwatched, v)
	h.mu.Unlock()
	h.wg.Done()
}
