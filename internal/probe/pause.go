package probe

import (
	"context"
	"encoding/json"
	"slices"
	"time"

	"github.com/google/uuid"

	"cairn/agentclient/interrupt"
)

// This file drives the pauses. Each way to answer has a thread of its own,
// because some agents lose a thread to a wrong one.

func (d *driver) interrupts(ctx context.Context) {
	q := d.cfg.Scenario.Interrupts
	ask := func(step string) *thread {
		t := newThread(d.cfg.Scenario, d.cfg.Profile)
		d.say(ctx, t, SurfaceInterrupts, step, q.Prompt)
		return t
	}
	t := ask(stepAsk)
	if wire, sent := d.decide(ctx, t, stepApprove, q.Approve); sent {
		d.post(ctx, t, SurfaceInterrupts, stepRepeated, uuid.NewString(), wire, nil)
	} else {
		d.skip(SurfaceInterrupts, stepRepeated, "no answer was sent before", false)
	}

	d.decide(ctx, ask(stepAskDecline), stepDecline, q.Decline)

	t = ask(stepAskWrong)
	d.decideWrongly(ctx, t, q.Approve)
	d.decide(ctx, t, stepAfterWrong, q.Approve)

	t = ask(stepAskMissing)
	if t.session.Blocked() {
		d.post(ctx, t, SurfaceInterrupts, stepMissing, uuid.NewString(), interrupt.Wire{}, nil)
	} else {
		d.skip(SurfaceInterrupts, stepMissing, whyNothing, false)
	}
	d.decide(ctx, t, stepAfterMissing, q.Approve)

	t = ask(stepAskPlain)
	if t.session.Blocked() {
		d.say(ctx, t, SurfaceInterrupts, stepPlain, d.cfg.Scenario.Messages[0])
	} else {
		d.skip(SurfaceInterrupts, stepPlain, whyNothing, false)
	}
	d.decide(ctx, t, stepAfterPlain, q.Approve)
}

const whyNothing = "nothing waits for a decision"

// decide answers the pause of the thread and returns what the answer carried.
func (d *driver) decide(ctx context.Context, t *thread, step string, decision json.RawMessage) (interrupt.Wire, bool) {
	if t.session.Phase() != interrupt.PhasePending {
		d.skip(SurfaceInterrupts, step, whyNothing, false)
		return interrupt.Wire{}, false
	}
	runID := uuid.NewString()
	wire, err := t.session.Claim(t.session.Generation(), runID, forAll(t.session, decision), time.Now())
	if err != nil {
		d.skip(SurfaceInterrupts, step, err.Error(), true)
		return interrupt.Wire{}, false
	}
	t.session.Dispatched(runID)
	d.post(ctx, t, SurfaceInterrupts, step, runID, wire, nil)
	return wire, true
}

// forAll returns the same decision for each of several questions.
func forAll(s *interrupt.Session, decision json.RawMessage) json.RawMessage {
	pending := s.Pending()
	if len(pending) < 2 {
		return decision
	}
	type entry struct {
		InterruptID string          `json:"interruptId"`
		Status      string          `json:"status"`
		Payload     json.RawMessage `json:"payload"`
	}
	entries := make([]entry, len(pending))
	for i, p := range pending {
		entries[i] = entry{p.ID, "resolved", decision}
	}
	raw, err := json.Marshal(entries)
	if err != nil {
		return decision // the decision was JSON in the scenario
	}
	return raw
}

// decideWrongly sends the approval to a question that nobody asked. The session
// does not know of it: the claim is given back.
func (d *driver) decideWrongly(ctx context.Context, t *thread, decision json.RawMessage) {
	if t.session.Phase() != interrupt.PhasePending {
		d.skip(SurfaceInterrupts, stepWrong, whyNothing, false)
		return
	}
	runID := uuid.NewString()
	wire, err := t.session.Claim(t.session.Generation(), runID, forAll(t.session, decision), time.Now())
	if err != nil {
		d.skip(SurfaceInterrupts, stepWrong, err.Error(), true)
		return
	}
	t.session.Release(runID)
	wire, ok := misaddressed(wire)
	if !ok {
		d.skip(SurfaceInterrupts, stepWrong, "an answer over this transport names no question", false)
		return
	}
	d.post(ctx, t, SurfaceInterrupts, stepWrong, uuid.NewString(), wire, nil)
}

// misaddressed changes the id of the question in an answer.
func misaddressed(w interrupt.Wire) (interrupt.Wire, bool) {
	const suffix = "-wrong"
	if w.Resume != nil {
		w.Resume = slices.Clone(w.Resume)
		for i := range w.Resume {
			w.Resume[i].InterruptID += suffix
		}
		return w, true
	}
	var props struct {
		Command struct {
			Resume         json.RawMessage   `json:"resume"`
			InterruptEvent map[string]string `json:"interruptEvent"`
		} `json:"command"`
	}
	if json.Unmarshal(w.ForwardedProps, &props) != nil || props.Command.InterruptEvent == nil {
		return w, false
	}
	props.Command.InterruptEvent["toolCallId"] += suffix
	raw, err := json.Marshal(props)
	if err != nil {
		return w, false
	}
	w.ForwardedProps = raw
	return w, true
}
