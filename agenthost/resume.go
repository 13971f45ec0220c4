package agenthost

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"slices"
	"time"

	"cairn/agenthost/dialect"
	"cairn/agui"
	"cairn/internal/jsontext"
)

// decided is an interrupt with its answer and its tool.
type decided struct {
	dialect.Answer
	in     Interrupt
	tool   *Tool           // nil when the agent has none that suspends
	record json.RawMessage // the answer as it is stored
}

// check returns an error when an answer cannot be accepted, and sets its stored form.
// past is true when the thread has a newer pause: it went on without this answer.
func (d *decided) check(past bool) error {
	if !d.Cancelled {
		if d.tool == nil {
			return invalidResume("The tool %s is gone.", d.in.ToolName)
		}
		if err := d.tool.Resume.Check(d.Payload); err != nil {
			return invalidResume("The decision does not fit what %s expects.", d.in.ToolName)
		}
	}
	if d.in.State == StatePending && expired(d.in) && (past || !d.Cancelled) {
		return errExpired
	}
	var err error
	if d.record, err = canonical(d.Answer); err != nil {
		return invalidResume("The decision is malformed.")
	}
	return nil
}

// canonical returns an answer as it is stored: equal answers have equal bytes.
func canonical(a dialect.Answer) (json.RawMessage, error) {
	if a.Cancelled {
		return json.RawMessage(`{"cancelled":true}`), nil
	}
	v, err := decodeAny(a.Payload)
	if err != nil {
		return nil, err
	}
	return jsontext.Marshal(map[string]any{"payload": v})
}

// open reports whether an interrupt blocks new messages.
func open(in Interrupt) bool { return in.State == StatePending && !expired(in) }

func expired(in Interrupt) bool { return !in.ExpiresAt.IsZero() && !time.Now().Before(in.ExpiresAt) }

// resume carries out the decisions on a pause and continues its run. It checks all
// answers before it stores one, so a wrong answer changes no interrupt.
func (x *run) resume(ctx context.Context, answers []dialect.Answer, interrupts []Interrupt) error {
	list, err := x.match(answers, interrupts)
	if err != nil {
		return x.refuse(ctx, err, answers, interrupts)
	}
	past := interrupts[len(interrupts)-1].RunID != list[0].in.RunID
	kept, err := x.host.cfg.Store.Suspension(ctx, x.thread, list[0].in.RunID)
	if err != nil {
		return err
	}
	var words []Message
	if cancels(answers) {
		words = newWords(x.in.Messages, kept.Messages)
	}
	if words != nil && (past || list[0].in.State != StatePending) {
		return x.turn(ctx, interrupts) // there is nothing left to abandon
	}
	var records []Decision
	for i := range list {
		if err := list[i].check(past); err != nil {
			return x.refuse(ctx, err, answers, interrupts)
		}
		records = append(records, Decision{list[i].in.InterruptKey, list[i].record})
	}
	if err := x.sendOpened(); err != nil {
		return err
	}
	// From here a client that disconnects stops nothing: stored decisions are carried out.
	now, err := x.host.cfg.Store.Decide(context.WithoutCancel(ctx), x.thread, records)
	repeat := errors.Is(err, ErrDecided)
	if err != nil && !repeat {
		return err
	}
	for i := range list {
		list[i].in = now[i]
		if !bytes.Equal(now[i].Decision, list[i].record) {
			return errResolved
		}
	}
	if repeat && settled(now, past) {
		return x.replay(ctx, now)
	}
	// Results are stored in order, so only the first call without one may have begun
	// before the service stopped. When the thread has a newer pause, which may be about
	// the same, even an idempotent call is not repeated.
	at := slices.IndexFunc(list, func(d decided) bool { return d.in.Result == nil })
	if repeat && at >= 0 && (past || list[at].tool == nil || !list[at].tool.Idempotent) {
		return errUnknownEnd
	}
	return x.carryOut(ctx, list, kept, words)
}

// cancels reports whether every answer cancels.
func cancels(answers []dialect.Answer) bool {
	return !slices.ContainsFunc(answers, func(a dialect.Answer) bool { return !a.Cancelled })
}

// refuse ends a run whose answers cannot be accepted. Cancelling an interrupt that is
// gone is not an error when the thread has no open one: the run then answers the user's
// message, if the request has a new one.
func (x *run) refuse(ctx context.Context, err error, answers []dialect.Answer, interrupts []Interrupt) error {
	gone := errors.Is(err, errNoInterrupt) || errors.Is(err, errWrongCall) || errors.Is(err, errExpired)
	if !gone || !cancels(answers) || slices.ContainsFunc(interrupts, open) {
		return err
	}
	if list := history(x.in.Messages, nil); len(list) > 0 && list[len(list)-1].Role == "user" {
		return x.turn(ctx, interrupts)
	}
	if len(interrupts) == 0 {
		return err // nothing was ever asked on this thread
	}
	if err := x.sendOpened(); err != nil {
		return err
	}
	return x.finish(ctx)
}

// newWords returns the user's messages that the paused run does not have: the user left
// the pause by writing on. There may be none.
func newWords(sent []agui.Message, kept []Message) (words []Message) {
	known := 0
	for _, m := range kept {
		if m.Role == "user" {
			known++
		}
	}
	for _, m := range history(sent, nil) {
		if m.Role != "user" {
			continue
		}
		if known--; known < 0 {
			words = append(words, m)
		}
	}
	return words
}

// settled reports whether a pause is finished: each call has its result, and the thread
// continued after them.
func settled(pause []Interrupt, past bool) bool {
	for _, in := range pause {
		switch in.State {
		case StateFinished, StateLeft:
		case StateResulted:
			if !past {
				return false
			}
		default:
			return false
		}
	}
	return true
}

// replay answers repeated decisions with the stored results and runs nothing.
func (x *run) replay(ctx context.Context, pause []Interrupt) error {
	for _, in := range pause {
		if err := x.sendResult(in.ToolName, in.ToolCallID, in.Result); err != nil {
			return err
		}
	}
	return x.finish(ctx)
}

// carryOut runs the decided calls that have no stored result, and continues the run, with
// the user's new messages. A client that disconnects meanwhile stops no call.
func (x *run) carryOut(ctx context.Context, list []decided, kept Suspension, words []Message) error {
	x.messages = kept.Messages
	var gone error
	for _, d := range list {
		result, shared := d.in.Result, (*state)(nil)
		if result == nil {
			c := ToolCall{ID: d.in.ToolCallID, Name: d.in.ToolName, Arguments: string(d.in.Args)}
			inv := x.invocation(c, d.in.IdempotencyKey, &Resume{Cancelled: d.Cancelled, Payload: d.Payload})
			result = x.invoke(ctx, d.tool, c, inv).value
			if err := x.saveShared(ctx, inv.state); err != nil {
				return err
			}
			shared = inv.state
			// The tool has run: store the result even when the client is gone.
			if err := x.host.cfg.Store.Record(context.WithoutCancel(ctx), x.thread, d.in.InterruptKey, result); err != nil {
				return err
			}
		}
		x.answerCall(d.in.ToolCallID, result)
		if gone == nil {
			gone = errors.Join(x.sendResult(d.in.ToolName, d.in.ToolCallID, result), x.sendShared(shared))
		}
	}
	if gone != nil {
		return gone
	}
	x.resumed = true
	if x.agent.isAfter(list[0].in.ToolName) && words == nil {
		return x.finish(ctx)
	}
	x.messages = withClientResults(x.messages, x.in.Messages)
	if words != nil { // the step's other calls are not run
		for _, c := range kept.Queue {
			x.answerCall(c.ID, failure("This call was not carried out."))
		}
	} else if suspended, err := x.runQueue(ctx, kept.Queue); err != nil || suspended {
		return err
	}
	x.messages = repair(append(x.messages, words...), nil)
	return x.loop(ctx)
}
