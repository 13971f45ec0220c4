package agenthost

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"time"

	"github.com/google/uuid"

	"cairn/agenthost/dialect"
	"cairn/agui"
)

// act does what one answer of the model asks for. Memory first, then the tools
// that cannot suspend and the children, in order; then, one after the other, the
// tools that can, until one waits for a decision. It reports whether the run has
// ended.
func (x *run) act(ctx context.Context, calls []ToolCall) (ended bool, err error) {
	var plain, mayWait []ToolCall
	clients := 0
	for _, c := range calls {
		switch t := x.agent.tool(c.Name); {
		case x.agent.isMemoryTool(c.Name):
			if err := x.updateMemory(ctx, c); err != nil {
				return false, err
			}
		case x.isClientTool(c.Name):
			clients++
			if err := x.emit(x.voice.ClientCallEnd(c.ID)); err != nil {
				return false, err
			}
		case t != nil && !t.Resume.IsZero():
			mayWait = append(mayWait, c)
		default:
			plain = append(plain, c)
			if x.agent.child(c.Name) != nil {
				continue // told when it begins
			}
			x.open = append(x.open, c.ID)
			if err := x.emit(x.voice.ToolCall(wireCall(c))); err != nil {
				return false, err
			}
		}
	}
	for _, c := range plain {
		if err := x.runPlain(ctx, c); err != nil {
			return false, err
		}
	}
	suspended, err := x.runQueue(ctx, mayWait)
	if err != nil || suspended {
		return suspended, err
	}
	if clients > 0 { // the client runs them and comes back with the results
		return true, x.finish(ctx)
	}
	return false, nil
}

func (x *run) updateMemory(ctx context.Context, c ToolCall) error {
	patches, problem, err := x.memory.End(c.Arguments)
	if err != nil {
		return err
	}
	if err := x.emitPatches(patches); err != nil {
		return err
	}
	if problem != nil {
		x.answerCall(c.ID, failedInput(c.Name, problem))
		return nil
	}
	x.answerCall(c.ID, json.RawMessage(`"ok"`))
	return x.saveMemory(ctx)
}

func (x *run) runPlain(ctx context.Context, c ToolCall) error {
	if child := x.agent.child(c.Name); child != nil {
		return x.delegate(ctx, child, c)
	}
	inv := x.invocation(c, uuid.NewString(), nil)
	res := x.host.invoke(ctx, x.agent.tool(c.Name), c, inv)
	x.answerCall(c.ID, res.value)
	x.open = slices.DeleteFunc(x.open, func(id string) bool { return id == c.ID })
	kept := x.keep(ctx, inv.state)
	told := x.emit(x.voice.ToolResult(c.ID, res.value)) // also when the run is about to fail
	if err := errors.Join(kept, told); err != nil {
		return err
	}
	return x.tellShared(inv.state)
}

// runQueue runs calls that may wait. When one does, or in a dialect that asks
// together as many as do, the run is kept in the store before anyone is asked.
func (x *run) runQueue(ctx context.Context, queue []ToolCall) (suspended bool, err error) {
	var kept Suspension
	for i, c := range queue {
		tool, inv := x.agent.tool(c.Name), x.invocation(c, uuid.NewString(), nil)
		res := x.host.invoke(ctx, tool, c, inv)
		if res.suspend == nil {
			if err := x.keep(ctx, inv.state); err != nil {
				return false, err
			}
			x.answerCall(c.ID, res.value)
			if err := x.emit(append(x.voice.ToolCall(wireCall(c)), x.voice.ToolResult(c.ID, res.value)...)); err != nil {
				return false, err
			}
			if err := x.tellShared(inv.state); err != nil {
				return false, err
			}
			continue
		}
		if err := x.take(inv.state); err != nil {
			return false, err
		}
		kept.Interrupts = append(kept.Interrupts, x.interrupt(tool, c, inv, res))
		if !x.agent.dialect().AsksTogether() {
			kept.Queue = queue[i+1:]
			break
		}
	}
	if len(kept.Interrupts) == 0 {
		return false, nil
	}
	return true, x.suspend(ctx, kept)
}

// interrupt is the call as it is kept while it waits.
func (x *run) interrupt(tool *Tool, c ToolCall, inv invocation, res outcome) Interrupt {
	return Interrupt{InterruptKey: InterruptKey{x.in.RunID, c.ID}, ToolName: c.Name, Args: wireCall(c).Args,
		Payload: res.suspend, IdempotencyKey: inv.key, ExpiresAt: tool.deadline()}
}

// suspend keeps the paused run, then the state that shows it, and then asks: a state
// never waits for a decision that nobody is asked for.
func (x *run) suspend(ctx context.Context, kept Suspension) error {
	kept.RunID, kept.Messages = x.in.RunID, x.messages
	err := x.host.cfg.Store.Suspend(ctx, x.thread, kept)
	if errors.Is(err, ErrRunIDUsed) {
		return errRunIDUsed
	}
	if err != nil {
		return err
	}
	if err := x.saveMemory(context.WithoutCancel(ctx)); err != nil {
		return err
	}
	return x.ask(ctx, kept.Interrupts)
}

// ask ends the run with the questions of a pause.
func (x *run) ask(ctx context.Context, pause []Interrupt) error {
	for _, in := range pause {
		told := dialect.Suspension{Call: dialect.Call{ID: in.ToolCallID, Name: in.ToolName, Args: in.Args}, Payload: in.Payload}
		if tool := x.agent.asker(in.ToolName); tool != nil {
			told.ResumeSchema = tool.Resume.JSON()
		}
		if !x.agent.Shared.IsZero() {
			told.State = x.sharedState()
		}
		if !in.ExpiresAt.IsZero() {
			told.ExpiresAt = in.ExpiresAt.Format(time.RFC3339Nano)
		}
		if err := x.emit(x.voice.Suspended(told)); err != nil {
			return err
		}
	}
	return x.end(ctx, func() []agui.Event { return x.voice.Interrupted(x.usage) })
}

// answerCall tells the model what a call gave.
func (x *run) answerCall(callID string, value json.RawMessage) {
	x.messages = append(x.messages, Message{Role: "tool", ToolCallID: callID, Content: string(value)})
}

func (x *run) invocation(c ToolCall, key string, resume *Resume) invocation {
	return invocation{threadID: x.thread.ID, runID: x.in.RunID, toolCallID: c.ID, key: key,
		args: json.RawMessage(c.Arguments), resume: resume, state: x.newState()}
}

// wireCall shows a call's arguments as JSON; text that is none is shown as {}.
func wireCall(c ToolCall) dialect.Call {
	args := json.RawMessage(c.Arguments)
	if !json.Valid(args) {
		args = json.RawMessage("{}")
	}
	return dialect.Call{ID: c.ID, Name: c.Name, Args: args}
}

// outcome is what a tool gave: a value, which is a failure in JSON when it failed,
// or the payload it suspends with. What a failed call shared is forgotten.
type outcome struct {
	value, suspend json.RawMessage
	failed         bool
}

// invoke checks the arguments and runs a tool, nil for a name that is none. It
// always gives an outcome. A tool is not cancelled when the client goes away:
// what it does is recorded.
func (s *Server) invoke(ctx context.Context, t *Tool, c ToolCall, inv invocation) (out outcome) {
	defer func() {
		if out.failed && inv.state != nil {
			clear(inv.state.writes)
		}
	}()
	if t == nil {
		return outcome{failed: true, value: failure(fmt.Sprintf("There is no tool %s.", c.Name))}
	}
	if err := t.Input.Check(inv.args); err != nil {
		return outcome{failed: true, value: failedInput(t.Name, err)}
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), s.cfg.ToolTimeout)
	defer cancel()
	began := time.Now()
	v, err := s.call(ctx, t, inv)
	took := time.Since(began).Round(time.Millisecond)
	var wait *suspendError
	var no *refusal
	if err == nil || errors.As(err, &wait) { // else nothing is shared
		if bad := inv.state.problem(); bad != nil {
			wait, err = nil, bad
		}
	}
	switch {
	case wait != nil && inv.resume == nil && !t.Resume.IsZero():
		payload, err := encodeJSON(wait.payload)
		if err == nil {
			return outcome{suspend: payload}
		}
		s.log.Error("tool payload is no JSON", "tool", t.Name, "error", err)
	case errors.As(err, &no):
		return outcome{failed: true, value: failure(no.message)}
	case err != nil:
		s.log.Error("tool failed", "tool", t.Name, "call", c.ID, "took", took, "error", err)
	default:
		value, err := encodeJSON(v)
		if err == nil {
			return outcome{value: value}
		}
		s.log.Error("tool value is no JSON", "tool", t.Name, "error", err)
	}
	return outcome{failed: true, value: failure(fmt.Sprintf("The tool %s failed.", t.Name))}
}

// call runs the tool's function and turns a panic into an error.
func (s *Server) call(ctx context.Context, t *Tool, inv invocation) (v any, err error) {
	defer func() {
		if p := recover(); p != nil {
			s.log.Error("tool panicked", "tool", t.Name, "panic", p, "stack", string(debug.Stack()))
			err = errPanicked
		}
	}()
	return t.run(ctx, inv)
}

// failure is a failed call's value, in the shape Mastra gives it.
func failure(message string) json.RawMessage {
	raw, err := encodeJSON(struct {
		Error   bool   `json:"error"`
		Message string `json:"message"`
	}{true, message})
	if err != nil {
		return json.RawMessage(`{"error":true}`) // a string always encodes
	}
	return raw
}

func failedInput(tool string, problem error) json.RawMessage {
	return failure(fmt.Sprintf("Tool input validation failed for %s. Please fix the following and try again: %v", tool, problem))
}
