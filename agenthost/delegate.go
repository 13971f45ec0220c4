package agenthost

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/google/uuid"

	"cairn/agenthost/dialect"
	"cairn/internal/jsontext"
)

// delegate runs a child agent for one call and streams its output. The end of the child
// ends the call. A child that fails does not fail its parent.
func (x *run) delegate(ctx context.Context, child *Agent, c ToolCall) error {
	call := wireCall(c)
	prompt, err := child.handover().read(json.RawMessage(c.Arguments))
	if err != nil {
		value := failedInput(c.Name, err)
		x.answerCall(c.ID, value)
		return x.emit(append(x.writer.ToolCall(call), x.writer.ToolResult(c.ID, value)...))
	}
	if err := x.emit(x.writer.ChildStarted(dialect.Delegation{Call: call, Child: child.Name, Description: child.Description, Prompt: prompt})); err != nil {
		return err
	}
	text, err := x.runChild(ctx, child, c.ID, prompt)
	if err != nil {
		if ctx.Err() == nil {
			x.log.Warn("child failed", "child", child.Name, "error", err)
		}
		message := fmt.Sprintf("The agent %s could not finish.", child.Name)
		value := failure(message)
		x.answerCall(c.ID, value)
		// The card is closed also when the whole run is about to fail.
		return errors.Join(context.Cause(ctx), x.emit(x.writer.ChildFailed(c.ID, message, value)))
	}
	value, err := jsontext.Marshal(map[string]string{"text": text})
	if err != nil {
		return fmt.Errorf("delegation: %w", err)
	}
	x.answerCall(c.ID, value)
	return x.emit(x.writer.ChildFinished(c.ID, text))
}

// runChild runs the child's loop and returns its last answer.
func (x *run) runChild(ctx context.Context, child *Agent, callID, prompt string) (string, error) {
	messages := []Message{{Role: "system", Content: child.Instructions}, {Role: "user", Content: prompt}}
	tools, err := toolParams(offerTools(child.Tools))
	if err != nil {
		return "", err
	}
	for range x.host.cfg.MaxSteps {
		ans, err := x.host.model.ask(ctx, messages, tools, x.ids, &childListener{x, callID})
		if err != nil {
			return "", err
		}
		x.count(ans.usage)
		messages = append(messages, ans.said())
		if len(ans.calls) == 0 {
			return ans.text, nil
		}
		if err := x.emit(x.writer.ChildStep(callID)); err != nil {
			return "", err
		}
		for _, c := range ans.calls {
			if err := context.Cause(ctx); err != nil {
				return "", err
			}
			if err := x.emit(x.writer.ChildToolCall(callID, wireCall(c))); err != nil {
				return "", err
			}
			// A child cannot pause the run, so a tool that suspends fails. It has no state.
			inv := x.invocation(c, uuid.NewString(), nil)
			inv.state = nil
			res := x.invoke(ctx, child.tool(c.Name), c, inv)
			if res.suspend != nil {
				res.value = failure("This needs a decision of the user, which a delegated agent cannot ask for.")
			}
			messages = append(messages, Message{Role: "tool", ToolCallID: c.ID, Content: string(res.value)})
			if err := x.emit(x.writer.ChildToolResult(callID, c.ID, res.value)); err != nil {
				return "", err
			}
		}
	}
	return "", errStepLimit
}

// childListener sends a child's text; its calls are sent when they run.
type childListener struct {
	x      *run
	callID string
}

func (l *childListener) text(delta string) error {
	return l.x.emit(l.x.writer.ChildText(l.callID, delta))
}
func (l *childListener) reasoning(string) error          { return nil } // only its answer is shown
func (l *childListener) callStarted(ToolCall) error      { return l.x.addCall() }
func (l *childListener) callArgs(ToolCall, string) error { return nil }
