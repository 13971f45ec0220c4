package probe

import (
	"context"
	"encoding/json"
	"time"

	"github.com/google/uuid"

	"cairn/agentclient/interrupt"
)

// This file drives what a careful client never does, or does not control: leaving,
// two runs at once, wrong bodies, wrong tokens.

func (d *driver) abort(ctx context.Context) {
	t := newThread(d.cfg.Scenario, d.cfg.Profile)
	t.chat.AddMessage(userMessage(d.cfg.Scenario.Long))
	x := d.post(ctx, t, SurfaceAbort, stepLeave, uuid.NewString(), interrupt.Wire{}, func(n int) bool { return n < leaveAfter })
	if !x.Aborted {
		d.skip(SurfaceAbort, stepAgain, "the answer was over before the probe could leave", false)
		d.skip(SurfaceAbort, stepLater, "the answer was over before the probe could leave", false)
		return
	}
	again := d.say(ctx, t, SurfaceAbort, stepAgain, d.cfg.Scenario.Messages[0])
	if view(again).finished() {
		d.skip(SurfaceAbort, stepLater, "the thread was free at once", false)
		return
	}
	timer := time.NewTimer(d.cfg.Later)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
	d.say(ctx, t, SurfaceAbort, stepLater, d.cfg.Scenario.Messages[0])
}

// concurrency starts a second run on the thread at the first text of the first.
func (d *driver) concurrency(ctx context.Context) {
	t, second := newThread(d.cfg.Scenario, d.cfg.Profile), newThread(d.cfg.Scenario, d.cfg.Profile)
	long := userMessage(d.cfg.Scenario.Long)
	t.chat.AddMessage(long)
	second.id = t.id
	second.chat.AddMessage(long)
	second.chat.AddMessage(userMessage(d.cfg.Scenario.Messages[0]))

	speaks := make(chan struct{})
	over := make(chan *Exchange, 1)
	go func() { // ends with the first run's answer
		over <- d.begin(ctx, t, SurfaceConcurrency, stepFirst, uuid.NewString(), interrupt.Wire{}, func(n int) bool {
			if n == 1 {
				close(speaks)
			}
			return true
		})
	}()
	var first *Exchange
	select {
	case <-speaks:
	case first = <-over:
	}
	if first != nil {
		d.done(first)
		d.skip(SurfaceConcurrency, stepSecond, "the first run was over before it said anything", false)
		return
	}
	x := d.begin(ctx, second, SurfaceConcurrency, stepSecond, uuid.NewString(), interrupt.Wire{}, nil)
	d.done(<-over)
	d.done(x)
}

func (d *driver) input(ctx context.Context) {
	t := newThread(d.cfg.Scenario, d.cfg.Profile)
	t.chat.AddMessage(userMessage(d.cfg.Scenario.Messages[0]))
	runID := uuid.NewString()
	valid, err := t.input(runID).MarshalJSON()
	without := func(name string) []byte {
		var members map[string]json.RawMessage
		if err != nil || json.Unmarshal(valid, &members) != nil {
			return []byte("{}")
		}
		delete(members, name)
		raw, _ := json.Marshal(members) // they were just decoded
		return raw
	}
	for _, bad := range []struct {
		step string
		body []byte
	}{
		{stepEmptyObject, []byte("{}")},
		{stepEmptyArray, []byte("[]")},
		{stepNotJSON, []byte(`{"threadId":`)},
		{stepNoThread, without("threadId")},
		{stepNoMessages, without("messages")},
		{stepWrongTypes, []byte(`{"threadId":7,"runId":{},"state":{},"messages":"hello","tools":[],"context":[],"forwardedProps":{}}`)},
	} {
		d.done(d.exchange(ctx, SurfaceInput, bad.step, nil, "", request{body: bad.body}))
	}
}

func (d *driver) auth(ctx context.Context) {
	for _, a := range []struct {
		step string
		cred credential
	}{{stepNoToken, withNone}, {stepWrongToken, withWrong}} {
		t := newThread(d.cfg.Scenario, d.cfg.Profile)
		t.chat.AddMessage(userMessage(d.cfg.Scenario.Messages[0]))
		runID := uuid.NewString()
		body, err := t.input(runID).MarshalJSON()
		if err != nil {
			d.skip(SurfaceAuth, a.step, err.Error(), true)
			continue
		}
		d.done(d.exchange(ctx, SurfaceAuth, a.step, t, runID, request{body: body, cred: a.cred}))
	}
}
