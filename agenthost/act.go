package agenthost

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/google/uuid"

	"cairn/agenthost/dialect"
	"cairn/agui"
)

// act runs the calls of one answer of the model: memory updates first, then the tools
// that cannot suspend and the children, in order, then the tools that can, until one
// suspends. It reports whether the run has ended.
func (x *run) act(ctx context.Context, calls []ToolCall) (ended bool, err error) {
	var plain, mayWait []ToolCall
	clients := 0
	for _, c := range calls {
		switch t := x.agent.tool(c.Name); {
		case x.agent.isMemoryTool(c.Name):
			if err := x.updateMemory(ctx, c); err != nil {
				return false, err
			}
		case x.clientTools[c.Name]:
			clients++
			if err := x.emit(x.writer.ClientCallEnd(c.ID)); err != nil {
				return false, err
			}
		case t != nil && !t.Resume.isZero():
			mayWait = append(mayWait, c)
		default:
			plain = append(plain, c)
			if x.agent.child(c.Name) != nil {
				continue // sent when it begins
			}
			x.open = append(x.open, c.ID)
			if err := x.emit(x.writer.ToolCall(wireCall(c))); err != nil {
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
	if err := context.Cause(ctx); err != nil {
		return err
	}
	if child := x.agent.child(c.Name); child != nil {
		return x.delegate(ctx, child, c)
	}
	inv := x.invocation(c, uuid.NewString(), nil)
	res := x.invoke(ctx, x.agent.tool(c.Name), c, inv)
	x.answerCall(c.ID, res.value)
	x.open = x.open[1:] // calls run in the order they were sent
	saved := x.saveShared(ctx, inv.state)
	sent := x.emit(x.writer.ToolResult(c.ID, res.value)) // also when the run is about to fail
	if err := errors.Join(saved, sent); err != nil {
		return err
	}
	return x.sendShared(inv.state)
}

// runQueue runs calls that may suspend. At the first that does, or after all of them in
// a dialect that batches interrupts, it stores the run and then sends the questions.
func (x *run) runQueue(ctx context.Context, queue []ToolCall) (suspended bool, err error) {
	var kept Suspension
	for i, c := range queue {
		if err := context.Cause(ctx); err != nil {
			return false, err
		}
		tool, inv := x.agent.tool(c.Name), x.invocation(c, uuid.NewString(), nil)
		res := x.invoke(ctx, tool, c, inv)
		if res.suspend == nil {
			if err := x.saveShared(ctx, inv.state); err != nil {
				return false, err
			}
			x.answerCall(c.ID, res.value)
			if err := x.emit(append(x.writer.ToolCall(wireCall(c)), x.writer.ToolResult(c.ID, res.value)...)); err != nil {
				return false, err
			}
			if err := x.sendShared(inv.state); err != nil {
				return false, err
			}
			continue
		}
		if err := x.mergeShared(inv.state); err != nil {
			return false, err
		}
		kept.Interrupts = append(kept.Interrupts, x.interrupt(tool, c, inv, res))
		if !x.agent.dialect().BatchesInterrupts() {
			kept.Queue = queue[i+1:]
			break
		}
	}
	if len(kept.Interrupts) == 0 {
		return false, nil
	}
	return true, x.suspend(ctx, kept)
}

// interrupt returns the call as it is stored while it waits.
func (x *run) interrupt(tool *Tool, c ToolCall, inv invocation, res outcome) Interrupt {
	return Interrupt{InterruptKey: InterruptKey{x.in.RunID, c.ID}, ToolName: c.Name, Args: wireCall(c).Args,
		Payload: res.suspend, IdempotencyKey: inv.key, ExpiresAt: tool.deadline()}
}

// suspend stores the paused run, then the state that shows it, and then sends the
// questions: a stored state never waits for a decision whose question is not stored.
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

// ask ends the run with the interrupts of a pause.
func (x *run) ask(ctx context.Context, pause []Interrupt) error {
	var state json.RawMessage
	if !x.agent.Shared.isZero() {
		state = x.sharedState()
	}
	for _, in := range pause {
		question := dialect.Suspension{Call: dialect.Call{ID: in.ToolCallID, Name: in.ToolName, Args: in.Args}, Payload: in.Payload,
			Own: x.agent.isAfter(in.ToolName), State: state}
		if tool := x.agent.suspendingTool(in.ToolName); tool != nil {
			question.ResumeSchema = tool.Resume.raw
		}
		if !in.ExpiresAt.IsZero() {
			question.ExpiresAt = in.ExpiresAt.Format(time.RFC3339Nano)
		}
		if err := x.emit(x.writer.Suspended(question)); err != nil {
			return err
		}
	}
	return x.end(ctx, func() []agui.Event { return x.writer.Interrupted(x.usage) })
}

// answerCall adds the result of a call to the model's conversation.
func (x *run) answerCall(callID string, value json.RawMessage) {
	x.messages = append(x.messages, Message{Role: "tool", ToolCallID: callID, Content: string(value)})
}

func (x *run) invocation(c ToolCall, key string, resume *Resume) invocation {
	return invocation{threadID: x.thread.ID, runID: x.in.RunID, toolCallID: c.ID, key: key,
		args: json.RawMessage(c.Arguments), resume: resume, state: x.newState()}
}

// wireCall returns the call as it is sent. Arguments that are not JSON are sent as {}.
func wireCall(c ToolCall) dialect.Call {
	args := json.RawMessage(c.Arguments)
	if !json.Valid(args) {
		args = json.RawMessage("{}")
	}
	return dialect.Call{ID: c.ID, Name: c.Name, Args: args}
}
