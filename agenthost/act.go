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
	res := x.host.invoke(ctx, x.agent.tool(c.Name), c, x.invocation(c, uuid.NewString(), nil))
	x.answerCall(c.ID, res.value)
	x.open = slices.DeleteFunc(x.open, func(id string) bool { return id == c.ID })
	return x.emit(x.voice.ToolResult(c.ID, res.value))
}

// runQueue runs calls that may wait. When one does, or in a dialect that asks
// together as many as do, the run is kept in the store before anyone is asked.
func (x *run) runQueue(ctx context.Context, queue []ToolCall) (suspended bool, err error) {
	kept := Suspension{RunID: x.in.RunID}
	for i, c := range queue {
		tool, key := x.agent.tool(c.Name), uuid.NewString()
		res := x.host.invoke(ctx, tool, c, x.invocation(c, key, nil))
		if res.suspend == nil {
			x.answerCall(c.ID, res.value)
			if err := x.emit(append(x.voice.ToolCall(wireCall(c)), x.voice.ToolResult(c.ID, res.value)...)); err != nil {
				return false, err
			}
			continue
		}
		kept.Interrupts = append(kept.Interrupts, Interrupt{
			InterruptKey: InterruptKey{x.in.RunID, c.ID}, ToolName: c.Name, Args: wireCall(c).Args,
			Payload: res.suspend, IdempotencyKey: key, ExpiresAt: tool.deadline()})
		if !x.agent.dialect().AsksTogether() {
			kept.Queue = queue[i+1:]
			break
		}
	}
	if len(kept.Interrupts) == 0 {
		return false, nil
	}
	kept.Messages = x.messages
	err = x.host.cfg.Store.Suspend(ctx, x.thread, kept)
	if errors.Is(err, ErrRunIDUsed) {
		return false, errRunIDUsed
	}
	if err != nil {
		return false, err
	}
	return true, x.ask(ctx, kept.Interrupts)
}

// ask ends the run with the questions of a pause.
func (x *run) ask(ctx context.Context, pause []Interrupt) error {
	for _, in := range pause {
		told := dialect.Suspension{Call: dialect.Call{ID: in.ToolCallID, Name: in.ToolName, Args: in.Args}, Payload: in.Payload}
		if tool := x.agent.tool(in.ToolName); tool != nil {
			told.ResumeSchema = tool.Resume.JSON()
		}
		if !in.ExpiresAt.IsZero() {
			told.ExpiresAt = in.ExpiresAt.Format(time.RFC3339Nano)
		}
		if err := x.emit(x.voice.Suspended(told)); err != nil {
			return err
		}
	}
	return x.end(ctx, x.voice.Interrupted)
}

// answerCall tells the model what a call gave.
func (x *run) answerCall(callID string, value json.RawMessage) {
	x.messages = append(x.messages, Message{Role: "tool", ToolCallID: callID, Content: string(value)})
}

func (x *run) invocation(c ToolCall, key string, resume *Resume) invocation {
	return invocation{threadID: x.thread.ID, runID: x.in.RunID, toolCallID: c.ID, key: key,
		args: json.RawMessage(c.Arguments), resume: resume}
}

// wireCall shows a call's arguments as JSON; text that is none is shown as {}.
func wireCall(c ToolCall) dialect.Call {
	args := json.RawMessage(c.Arguments)
	if !json.Valid(args) {
		args = json.RawMessage("{}")
	}
	return dialect.Call{ID: c.ID, Name: c.Name, Args: args}
}

// outcome is what a tool gave: a value, which may be a failure in JSON, or the
// payload it suspends with.
type outcome struct {
	value, suspend json.RawMessage
}

// invoke checks the arguments and runs a tool, nil for a name that is none. It
// always gives an outcome. A tool is not cancelled when the client goes away:
// what it does is recorded.
func (s *Server) invoke(ctx context.Context, t *Tool, c ToolCall, inv invocation) outcome {
	if t == nil {
		return outcome{value: failure(fmt.Sprintf("There is no tool %s.", c.Name))}
	}
	if err := t.Input.Check(inv.args); err != nil {
		return outcome{value: failedInput(t.Name, err)}
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), s.cfg.ToolTimeout)
	defer cancel()
	began := time.Now()
	v, err := s.call(ctx, t, inv)
	took := time.Since(began).Round(time.Millisecond)
	var wait *suspendError
	var no *refusal
	switch {
	case errors.As(err, &wait) && inv.resume == nil && !t.Resume.IsZero():
		payload, err := encodeJSON(wait.payload)
		if err == nil {
			return outcome{suspend: payload}
		}
		s.log.Error("tool payload is no JSON", "tool", t.Name, "error", err)
	case errors.As(err, &no):
		return outcome{value: failure(no.message)}
	case err != nil:
		s.log.Error("tool failed", "tool", t.Name, "call", c.ID, "took", took, "error", err)
	default:
		value, err := encodeJSON(v)
		if err == nil {
			return outcome{value: value}
		}
		s.log.Error("tool value is no JSON", "tool", t.Name, "error", err)
	}
	return outcome{value: failure(fmt.Sprintf("The tool %s failed.", t.Name))}
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
