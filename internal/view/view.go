package view

import (
	"context"
	"errors"
	"time"

	"cairn/demos"
	"cairn/internal/crash"
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

// view is one watched thread. Its goroutine owns every field but asks and done.
type view struct {
	hub      *Hub
	threadID string
	demo     demos.Demo

	ctx    context.Context // ends with the hub, the thread's deletion, or an idle view
	cancel context.CancelFunc
	asks   chan func()
	done   chan struct{}
	err    error // why the view ended, set before done is closed

	thread   *thread.Thread
	panel    demos.Panel
	decided  []demos.Decided // see note
	page     page
	wordings map[int]wording   // by the approval's entry key
	media    map[int]*attached // by entry key
	tabs     map[*tab]struct{}
	changed  changeSet
	// plain takes the place of thread, panel and page when drawing this thread has
	// panicked; nil otherwise.
	plain *plainText
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
	v := &view{
		hub: h, threadID: threadID, demo: d,
		asks: make(chan func()), done: make(chan struct{}),
		thread:   thread.New(d.Transport, d.Profile),
		panel:    d.NewPanel(),
		page:     newPage(),
		wordings: map[int]wording{},
		media:    map[int]*attached{},
		tabs:     map[*tab]struct{}{},
		changed:  changeSet{keys: map[int]struct{}{}},
	}
	v.ctx, v.cancel = context.WithCancel(h.ctx)
	return v
}

// work is the view's goroutine. A panic ends this view alone: the next view of the
// thread shows its plain text, and callers that wait for this one ask that one.
func (v *view) work() {
	defer v.cancel()
	defer close(v.done)
	defer v.hub.forget(v)
	defer v.cutAll()
	err := crash.Run(v.hub.logger, "a conversation could not be drawn", v.loop, "thread", v.threadID)
	var crashed *crash.Error
	if errors.As(err, &crashed) && v.plain == nil {
		v.hub.drawPlain(v.threadID)
		return
	}
	v.err = err
}

// loop folds the log and sends frames until the view's context ends, the log fails, or
// the view has had no tab for the hub's linger time. The log is read once a frame,
// however often it woke, and while nobody watches it is read only when asked.
func (v *view) loop() error {
	if err := v.read(v.ctx); err != nil {
		return err
	}
	if _, err := v.flush(v.ctx); err != nil { // nobody watches yet: it settles what is shown
		return err
	}
	wake := v.follow()
	idle := time.NewTimer(v.hub.linger)
	defer idle.Stop()
	var frame <-chan time.Time // set while a frame is owed
	var last time.Time
	every := frameEvery
	if v.plain != nil {
		every = plainEvery
	}
	for {
		select {
		case <-wake:
			if frame == nil && len(v.tabs) > 0 { // a tab that joins later reads then
				frame = time.After(max(0, every-time.Since(last)))
			}
		case <-frame:
			frame = nil
			if err := v.read(v.ctx); err != nil {
				if v.ctx.Err() == nil {
					v.hub.logger.Error("fold thread", "thread", v.threadID, "err", err)
				}
				return err
			}
			switch sent, err := v.flush(v.ctx); {
			case err != nil:
				return err
			case sent: // an empty frame does not restart the frame timer
				last = time.Now()
			}
		case ask := <-v.asks:
			if err := v.read(v.ctx); err != nil { // the caller sees what was stored before
				return err
			}
			if ask(); len(v.tabs) == 0 {
				v.hub.rest(v)
			}
			idle.Reset(v.hub.linger)
		case <-idle.C:
			if len(v.tabs) == 0 {
				return nil
			}
		case <-v.ctx.Done():
			return v.finish()
		}
	}
}

// follow returns a channel that receives after the log has new rows. The view ends when
// the log does, and when the thread is deleted, also in the middle of a frame.
func (v *view) follow() <-chan struct{} {
	wake := make(chan struct{}, 1)
	rows := v.hub.log.Follow(v.ctx, v.threadID)
	go func() { // ends with the view's context, or ends it
		defer v.cancel()
		for range rows {
			select {
			case wake <- struct{}{}:
			default:
			}
		}
	}()
	return wake
}

// finish sends what was stored before the hub was closed.
func (v *view) finish() error {
	if v.hub.ctx.Err() == nil {
		return nil
	}
	ctx := context.WithoutCancel(v.hub.ctx)
	if err := v.read(ctx); err != nil {
		return err
	}
	_, err := v.flush(ctx)
	return err
}

// read folds the rows that are new in the log.
func (v *view) read(ctx context.Context) error {
	if v.plain != nil {
		return v.plain.read(ctx, v.hub.log, v.threadID)
	}
	return v.thread.Follow(ctx, v.hub.log, v.threadID, v.note)
}

// note collects a row's changes. The panel is updated row by row, since it may hold
// back a form of the state that only lasts a moment.
func (v *view) note(c thread.Changes) {
	for _, k := range c.Keys {
		v.changed.keys[k] = struct{}{}
	}
	v.changed.state = v.changed.state || c.State
	v.changed.run = v.changed.run || c.Run
	v.changed.structure = v.changed.structure || c.Structure
	if len(c.Keys) > 0 || c.State || c.Run || c.Structure {
		v.page.whole = nil
	}
	if c.Run || v.approvalIn(c.Keys) {
		v.decided = v.provenDecisions()
	} else if !c.State {
		return
	}
	v.panel.Update(demos.Shared{State: v.thread.Conversation.Shared(), Running: v.thread.Run.Open, Decided: v.decided})
}

// join adds a tab: the others first receive the changes they lack, then the new tab
// receives the whole page.
func (v *view) join(t *tab) error {
	if _, err := v.flush(v.ctx); err != nil {
		return err
	}
	whole, err := v.snapshot(v.ctx)
	if err != nil {
		return err
	}
	v.tabs[t] = struct{}{}
	v.send(t, whole)
	context.AfterFunc(t.ctx, func() { // runs once, when the tab's request ends
		select {
		case v.asks <- func() { v.cut(t) }:
		case <-v.done:
		}
	})
	return nil
}

// flush renders what changed, once, and sends it to every tab. It reports whether
// there was anything to send.
func (v *view) flush(ctx context.Context) (sent bool, err error) {
	f, err := v.frame(ctx)
	if err != nil || len(f) == 0 {
		return false, err
	}
	v.page.whole = nil
	f = f.oneLine()
	for t := range v.tabs {
		v.send(t, f)
	}
	return true, nil
}

// send never waits: a tab whose queue is full is cut off and, when it connects
// again, receives the whole page.
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
