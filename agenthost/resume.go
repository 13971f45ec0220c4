package agenthost

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"time"

	"cairn/agenthost/dialect"
	"cairn/agui"
)

// decision answers one interrupt.
type decision struct {
	key       InterruptKey // of the command form
	interrupt string       // of the protocol form: the interrupt's id
	cancelled bool
	payload   json.RawMessage
}

// parseResume finds the decision in a request, nil when it is a plain message.
// forwardedProps.command wins over the protocol's resume, as in Mastra.
func parseResume(in agui.RunAgentInput) (*decision, error) {
	var props struct {
		Command *struct {
			Resume         json.RawMessage `json:"resume"`
			InterruptEvent json.RawMessage `json:"interruptEvent"`
		} `json:"command"`
	}
	if len(in.ForwardedProps) > 0 && in.ForwardedProps[0] == '{' {
		if err := json.Unmarshal(in.ForwardedProps, &props); err != nil {
			return nil, invalidResume("forwardedProps.command is malformed.")
		}
	}
	if c := props.Command; c != nil && (!absent(c.Resume) || !absent(c.InterruptEvent)) {
		return parseCommand(c.Resume, c.InterruptEvent)
	}
	switch len(in.Resume) {
	case 0:
		return nil, nil
	case 1:
		e := in.Resume[0]
		d := &decision{interrupt: e.InterruptID, cancelled: e.Status == agui.ResumeCancelled, payload: e.Payload}
		if !d.cancelled && absent(d.payload) {
			return nil, invalidResume("resume[0].payload is missing.")
		}
		return d, nil
	default: // a run waits for one decision at a time
		return nil, invalidResume("resume must answer exactly the one pending interrupt.")
	}
}

func parseCommand(resume, event json.RawMessage) (*decision, error) {
	if absent(resume) {
		return nil, invalidResume("forwardedProps.command.resume is missing.")
	}
	if absent(event) {
		return nil, invalidResume("forwardedProps.command.interruptEvent is missing.")
	}
	if event[0] == '"' { // JSON text of the event is accepted too
		var text string
		if err := json.Unmarshal(event, &text); err != nil {
			return nil, invalidResume("interruptEvent is malformed.")
		}
		event = json.RawMessage(text)
	}
	var key struct {
		ToolCallID string `json:"toolCallId"`
		RunID      string `json:"runId"`
	}
	if err := json.Unmarshal(event, &key); err != nil {
		return nil, invalidResume("interruptEvent is malformed.")
	}
	if key.ToolCallID == "" || key.RunID == "" {
		return nil, invalidResume("interruptEvent needs toolCallId and runId.")
	}
	d := &decision{key: InterruptKey{key.RunID, key.ToolCallID}, payload: resume}
	if string(resume) == "false" { // Mastra's word for an answer refused
		d.cancelled, d.payload = true, nil
	}
	return d, nil
}

func absent(v json.RawMessage) bool { return len(v) == 0 || string(v) == "null" }

// find gives the interrupt a decision is about; only those of the thread count.
func (d *decision) find(interrupts []Interrupt) (Interrupt, error) {
	sameRun := false
	for _, in := range interrupts {
		if d.interrupt == dialect.InterruptID(in.RunID, in.ToolCallID) || d.key == in.InterruptKey {
			return in, nil
		}
		sameRun = sameRun || d.key.RunID == in.RunID
	}
	if sameRun {
		return Interrupt{}, errWrongCall
	}
	return Interrupt{}, errNoInterrupt
}

// canonical is the decision as it is stored: equal decisions have equal bytes.
func (d *decision) canonical() (json.RawMessage, error) {
	if d.cancelled {
		return json.RawMessage(`{"cancelled":true}`), nil
	}
	v, err := decodeAny(d.payload)
	if err != nil {
		return nil, err
	}
	return encodeJSON(map[string]any{"payload": v})
}

func expired(in Interrupt) bool { return !in.ExpiresAt.IsZero() && !time.Now().Before(in.ExpiresAt) }

// resume carries out a decision and goes on with the run that waited for it.
// Everything is checked before the decision is recorded, so a wrong one leaves
// the interrupt as it was.
func (x *run) resume(ctx context.Context, d *decision, interrupts []Interrupt) error {
	in, err := d.find(interrupts)
	if err != nil {
		return err
	}
	tool := x.agent.tool(in.ToolName)
	if tool == nil || tool.Resume.IsZero() {
		return invalidResume("The tool %s is gone.", in.ToolName)
	}
	if !d.cancelled {
		if err := tool.Resume.Check(d.payload); err != nil {
			return invalidResume("The decision does not fit what %s expects.", in.ToolName)
		}
	}
	if in.State == StatePending && expired(in) && !d.cancelled {
		return errExpired
	}
	wanted, err := d.canonical()
	if err != nil {
		return invalidResume("The decision is malformed.")
	}
	in, err = x.host.cfg.Store.Decide(ctx, x.thread, in.InterruptKey, wanted)
	if err != nil && !errors.Is(err, ErrDecided) {
		return err
	}
	if !bytes.Equal(in.Decision, wanted) {
		return errResolved
	}
	repeat := err != nil
	switch {
	case repeat && (in.State == StateFinished || in.State == StateLeft || in.State == StateResulted && waits(interrupts)):
		return x.replay(ctx, in)
	case repeat && in.State == StateDecided && !tool.Idempotent:
		return errUnknownEnd
	}
	return x.carryOut(ctx, d, tool, in)
}

// waits reports that the thread is past its older interrupts: a newer one is
// pending.
func waits(interrupts []Interrupt) bool {
	for _, in := range interrupts {
		if in.State == StatePending {
			return true
		}
	}
	return false
}

// replay answers a repeated decision with what came of it and runs nothing.
func (x *run) replay(ctx context.Context, in Interrupt) error {
	if err := x.emit(x.voice.ToolResult(in.ToolCallID, in.Result)); err != nil {
		return err
	}
	return x.finish(ctx)
}

// carryOut runs the decided call unless its result is recorded already, and
// goes on from there.
func (x *run) carryOut(ctx context.Context, d *decision, tool *Tool, in Interrupt) error {
	kept, err := x.host.cfg.Store.Suspension(ctx, x.thread, in.RunID)
	if err != nil {
		return err
	}
	if in.Result == nil {
		c := ToolCall{ID: in.ToolCallID, Name: in.ToolName, Arguments: string(in.Args)}
		inv := x.invocation(c, in.IdempotencyKey, &Resume{Cancelled: d.cancelled, Payload: d.payload})
		in.Result = x.host.invoke(ctx, tool, c, inv).value
		// From here the tool has run: record it even when the client is gone.
		if err := x.host.cfg.Store.Record(context.WithoutCancel(ctx), x.thread, in.InterruptKey, in.Result); err != nil {
			return err
		}
	}
	x.resumed = true
	if err := x.emit(x.voice.ToolResult(in.ToolCallID, in.Result)); err != nil {
		return err
	}
	x.messages = kept.Messages
	x.answerCall(in.ToolCallID, in.Result)
	x.messages = withClientResults(x.messages, x.in.Messages)
	suspended, err := x.runQueue(ctx, kept.Queue)
	if err != nil || suspended {
		return err
	}
	x.messages = repair(x.messages, nil)
	return x.loop(ctx)
}
