package agenthost

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/google/uuid"
)

// conclude ends a run whose model has answered. It calls [Agent.After] first, which may
// pause the run.
func (x *run) conclude(ctx context.Context) error {
	tool := x.agent.After
	if tool == nil {
		return x.finish(ctx)
	}
	c := ToolCall{ID: uuid.NewString(), Name: tool.Name, Arguments: string(x.sharedState())}
	inv := x.invocation(c, uuid.NewString(), nil)
	res := x.invoke(ctx, tool, c, inv)
	if res.suspend != nil {
		if err := x.mergeShared(inv.state); err != nil {
			return err
		}
		return x.suspend(ctx, Suspension{Interrupts: []Interrupt{x.interrupt(tool, c, inv, res)}})
	}
	if err := x.saveShared(ctx, inv.state); err != nil {
		return err
	}
	if err := errors.Join(x.sendResult(c.Name, c.ID, res.value), x.sendShared(inv.state)); err != nil {
		return err
	}
	return x.finish(ctx)
}

// sendResult sends the result of a call. The result of [Agent.After] is sent as the
// run's closing text.
func (x *run) sendResult(tool, callID string, result json.RawMessage) error {
	if !x.agent.isAfter(tool) {
		return x.emit(x.writer.ToolResult(callID, result))
	}
	var text *string
	if err := json.Unmarshal(result, &text); err != nil {
		return &runError{code: "last_step_failed", message: "The agent could not finish what it had begun.", detail: string(result)}
	}
	if text == nil {
		return nil
	}
	return x.emit(x.writer.Concluded(*text))
}
