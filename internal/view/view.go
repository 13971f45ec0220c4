package view

import (
	"context"
	"time"

	"cairn/demos"
	"cairn/internal/thread"
)

const (
	// frameEvery is the shortest time between two frames of a thread: text flows,
	// and a burst of events costs one patch. The first change after a quiet moment
	// goes out at once.
	frameEvery = 30 * time.Millisecond
	// tabQueue is how many frames a tab may lag behind before it is cut off.
	tabQueue = 64
)

// view is one watched thread. Its loop owns every field but asks and done.
type view struct {
	hub      *Hub
	threadID string
	demo     demos.Demo

	asks chan func()
	done chan struct{}
	err  error // why the loop ended, set before done is closed

	thread   *thread.Thread
	panel    demos.Panel
	page     page
	wordings map[int]wording // by the approval's entry key
	tabs     map[*tab]struct{}
	changed  changeSet
}

// tab is one open stream.
type tab struct {
	frames chan Frame
	ctx    context.Context
}

// changeSet collects what rows changed until the next frame.
type changeSet struct {
	keys                  map[int]struct{}
	state, run, structure bool
}

func newView(h *Hub, threadID string, d demos.Demo) *view {
	return &view{
		hub: h, threadID: threadID, demo: d,
		asks: make(chan func()), done: make(chan struct{}),
		thread:   thread.New(d.Transport, d.Profile),
		panel:    d.NewPanel(),
		page:     newPage(),
		wordings: map[int]wording{},
		tabs:     map[*tab]struct{}{},
		changed:  changeSet{keys: map[int]struct{}{}},
	}
}

// loop folds the log and sends frames until ctx ends, the log fails, or the view
// has had no tab for the hub's linger time. The log is read once a frame, however
// often it woke, and while nobody watches it is read only for who asks.
func (v *view) loop(ctx context.Context) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer close(v.done)
	defer v.hub.forget(v)
	defer v.cutAll()

	if err := v.read(ctx); err != nil {
		v.err = err
		return
	}
	v.flush() // nobody watches yet: it settles what is shown
	defer v.finish()
	rows := v.hub.log.Follow(ctx, v.threadID)
	idle := time.NewTimer(v.hub.linger)
	var frame <-chan time.Time // set while a frame is owed
	var last time.Time
	for {
		select {
		case _, ok := <-rows:
			if !ok {
				return
			}
			if frame == nil && len(v.tabs) > 0 { // who joins later reads then
				frame = time.After(max(0, frameEvery-time.Since(last)))
			}
		case <-frame:
			frame = nil
			if err := v.read(ctx); err != nil {
				if v.err = err; ctx.Err() != nil {
					return
				}
				v.hub.logger.Error("fold thread", "thread", v.threadID, "err", err)
				return
			}
			if v.flush() { // what shows nothing delays nothing
				last = time.Now()
			}
		case ask := <-v.asks:
			if err := v.read(ctx); err != nil { // who asks sees what was stored before
				v.err = err
				return
			}
			ask()
			idle.Reset(v.hub.linger)
		case <-idle.C:
			if len(v.tabs) == 0 {
				return
			}
		case <-ctx.Done():
			return
		}
	}
}

// finish shows what was stored before the hub was closed, however the loop came to know
// that it was.
func (v *view) finish() {
	if v.hub.ctx.Err() != nil && v.read(context.WithoutCancel(v.hub.ctx)) == nil {
		v.flush()
	}
}

// read folds the rows that are new in the log.
func (v *view) read(ctx context.Context) error {
	return v.thread.Follow(ctx, v.hub.log, v.threadID, v.note)
}

// note collects a row's changes. The panel is told row by row, since it may hold
// back a form of the state that only lasts a moment.
func (v *view) note(c thread.Changes) {
	for _, k := range c.Keys {
		v.changed.keys[k] = struct{}{}
	}
	v.changed.state = v.changed.state || c.State
	v.changed.run = v.changed.run || c.Run
	v.changed.structure = v.changed.structure || c.Structure
	if c.State || c.Run {
		v.panel.Update(demos.Shared{State: v.thread.Conversation.State(), Running: v.thread.Run.Open, Decided: v.decided()})
	}
}

// join adds a tab: what is owed to the others goes out first, then the new tab
// gets the whole page.
func (v *view) join(t *tab) {
	v.flush()
	v.tabs[t] = struct{}{}
	v.send(t, v.snapshot())
	context.AfterFunc(t.ctx, func() { // runs once, when the tab's request ends
		select {
		case v.asks <- func() { v.cut(t) }:
		case <-v.done:
		}
	})
}

// flush renders what changed, once, and sends it to every tab. It reports whether
// there was anything to send.
func (v *view) flush() bool {
	f := v.frame()
	if len(f) == 0 {
		return false
	}
	for t := range v.tabs {
		v.send(t, f)
	}
	return true
}

// send never waits: a tab whose queue is full is cut off and, when it connects
// again, gets the whole page.
func (v *view) send(t *tab, f Frame) {
	select {
	case t.frames <- f:
	default:
		v.cut(t)
	}
}

func (v *view) cut(t *tab) {
	if _, ok := v.tabs[t]; ok {
		delete(v.tabs, t)
		close(t.frames)
	}
}

func (v *view) cutAll() {
	for t := range v.tabs {
		v.cut(t)
	}
}
