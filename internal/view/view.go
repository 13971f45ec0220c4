package view

import (
	"context"
	"errors"
	"time"

	"cairn/agentclient"
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

// view is one watched thread. Its goroutine owns every field but asks and done; changed
// and page.sizes are also written by the goroutine that folds the thread, which is never during do.
type view struct {
	hub      *Hub
	threadID string
	demo     demos.Demo

	ctx    context.Context // ends with the hub, the thread's deletion, or an idle view
	cancel context.CancelFunc
	asks   chan func()
	done   chan struct{}
	err    error // why the view ended, set before done is closed

	live     *thread.Thread
	thread   *agentclient.Session // of live, to be used inside of do alone
	panel    *panel               // likewise
	page     page
	wordings map[int]wording   // by the approval's entry key
	media    map[int]*attached // by entry key
	tabs     map[*tab]struct{}
	changed  changeSet
	unsent   bool // the last frame was canceled with its context, so its changes were not sent
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

// loop sends frames until the view's context ends, the log fails, or the view has had no
// tab for the hub's linger time. The thread is read once a frame, however often it woke,
// and while nobody watches it is read only when asked.
func (v *view) loop() error {
	wake, stop, err := v.follow()
	if err != nil {
		return err
	}
	defer stop()
	if _, err := v.send(v.ctx); err != nil { // nobody watches yet: it settles what is shown
		return err
	}
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
			switch sent, err := v.send(v.ctx); {
			case errors.Is(err, thread.ErrBroken):
				return nil // the next view reads the thread anew
			case err != nil && v.ctx.Err() != nil:
				return v.finish()
			case err != nil:
				v.hub.logger.Error("draw thread", "thread", v.threadID, "err", err)
				return err
			case sent: // an empty frame does not restart the frame timer
				last = time.Now()
			}
		case ask := <-v.asks:
			err := v.do(v.ctx, func() error { ask(); return nil }) // it sees what was stored before
			if errors.Is(err, thread.ErrBroken) {
				return nil
			}
			if err != nil && v.ctx.Err() != nil {
				return v.finish()
			}
			if err != nil {
				return err
			}
			if len(v.tabs) == 0 {
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

// follow returns a channel that receives after the thread has changed. The view ends when
// the log does, and when the thread is deleted, also in the middle of a frame.
func (v *view) follow() (wake <-chan struct{}, stop func(), err error) {
	woken := make(chan struct{}, 1)
	signal := func() {
		select {
		case woken <- struct{}{}:
		default:
		}
	}
	release := func() {}
	if v.plain == nil {
		if v.live, err = v.hub.threads.Use(v.ctx, v.threadID); err != nil {
			return nil, nil, err
		}
		unwatch, err := v.live.Watch(v.ctx, v.note, signal)
		if err != nil {
			v.live.Release()
			return nil, nil, err
		}
		release = func() { unwatch(); v.live.Release() }
	}
	rows := v.hub.log.Follow(v.ctx, v.threadID)
	go func() { // ends with the view's context, or ends it
		defer v.cancel()
		for range rows {
			signal()
		}
	}()
	return woken, release, nil
}

// finish sends what was stored before the hub was closed: what changed, or the whole page
// when the hub was closed in the middle of a frame.
func (v *view) finish() error {
	if v.hub.ctx.Err() == nil {
		return nil
	}
	ctx := context.WithoutCancel(v.hub.ctx)
	return v.do(ctx, func() error {
		if !v.unsent {
			_, err := v.flush(ctx)
			return err
		}
		v.page.whole = nil
		whole, err := v.snapshot(ctx)
		if err == nil {
			v.deliverAll(whole)
		}
		return err
	})
}

// send renders what changed, once, and hands it to every tab. It reports whether there
// was anything to send.
func (v *view) send(ctx context.Context) (sent bool, err error) {
	err = v.do(ctx, func() error {
		sent, err = v.flush(ctx)
		return err
	})
	return sent, err
}

// do calls f with the thread as the log has it now.
func (v *view) do(ctx context.Context, f func() error) error {
	if v.plain != nil {
		if err := v.plain.read(ctx, v.hub.log, v.threadID); err != nil {
			return err
		}
		return f()
	}
	return v.live.Do(ctx, func(s *agentclient.Session) error {
		if v.thread == nil {
			v.thread, v.panel = s, v.live.Follower.(*panel)
			v.changed.structure, v.changed.state = true, true
		}
		if v.panel.crashed != nil {
			return v.panel.crashed
		}
		return f()
	})
}

// note collects a record's effects until the next frame.
func (v *view) note(effects []agentclient.Effect) {
	if v.thread == nil {
		return // all of it is drawn first
	}
	for _, e := range effects {
		switch e.Kind {
		case agentclient.EffectEntry:
			v.forgetSize(e.Key)
			v.changed.keys[e.Key] = struct{}{}
		case agentclient.EffectState, agentclient.EffectStateRefused:
			v.changed.state = true
		case agentclient.EffectRun:
			v.changed.run = true
		case agentclient.EffectOrder:
			v.changed.structure = true
		default:
			continue
		}
		v.page.whole = nil
	}
	if len(v.changed.keys) > maxItems { // nobody has watched for long
		clear(v.changed.keys)
		v.changed.structure = true
	}
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
	v.deliver(t, whole)
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
	v.unsent = err != nil
	if err != nil || len(f) == 0 {
		return false, err
	}
	v.page.whole = nil
	v.deliverAll(f.oneLine())
	return true, nil
}

func (v *view) deliverAll(f Frame) {
	for t := range v.tabs {
		v.deliver(t, f)
	}
}

// deliver never blocks: a tab whose queue is full is closed and, when it reconnects,
// receives the whole page.
func (v *view) deliver(t *tab, f Frame) {
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
