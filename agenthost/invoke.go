package agenthost

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"cairn/internal/crash"
	"cairn/internal/jsontext"
)

// outcome is the result of a tool: a value, which is a failure in JSON when the tool
// failed, or the payload it suspends with. The state written by a failed call is dropped.
type outcome struct {
	value, suspend json.RawMessage
	failed         bool
}

// invoke checks the arguments and runs a tool, nil for an unknown name. It always returns
// an outcome. A tool is not cancelled when the client disconnects, because its result is
// recorded.
func (x *run) invoke(ctx context.Context, t *Tool, c ToolCall, inv invocation) (out outcome) {
	defer func() {
		if out.failed && inv.state != nil {
			clear(inv.state.writes)
		}
	}()
	if t == nil {
		return failed("There is no tool %s.", excerpt(c.Name, maxShort))
	}
	if err := t.Input.Check(inv.args); err != nil {
		return outcome{failed: true, value: failedInput(t.Name, err)}
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), x.host.cfg.ToolTimeout)
	defer cancel()
	began := time.Now()
	out, err := x.call(ctx, t, inv)
	took := time.Since(began).Round(time.Millisecond)
	most := x.host.cfg.MaxResult
	if err == nil && len(out.suspend) > most {
		err = fmt.Errorf("the payload has more than %d bytes", most)
	}
	if err == nil {
		err = inv.state.problem()
	}
	var no *refusal
	var crashed *crash.Error
	switch {
	case errors.As(err, &crashed) && inv.resume != nil:
		// As after a crash of the service: the model must not assume that it was not done.
		return failed("The tool %s broke off. Whether it happened is not known, so it was not repeated.", t.Name)
	case errors.As(err, &crashed): // logged with its stack
	case errors.As(err, &no):
		return failed("%s", no.message)
	case err != nil:
		x.log.Error("tool failed", "tool", t.Name, "call", c.ID, "took", took, "error", err)
	case len(out.value) > most:
		x.log.Error("tool result is too large", "tool", t.Name, "call", c.ID, "bytes", len(out.value), "most", most)
		return outcome{value: failure(fmt.Sprintf("The tool %s has run, but its result is left out: it has more than %d bytes.", t.Name, most))}
	default:
		return out
	}
	return failed("The tool %s failed.", t.Name)
}

// call runs the tool's function and encodes its result. A panic is a
// [crash.Error].
func (x *run) call(ctx context.Context, t *Tool, inv invocation) (out outcome, err error) {
	err = crash.Run(x.log, "tool panicked", func() error {
		v, err := t.run(ctx, inv)
		var wait *suspendError
		switch {
		case errors.As(err, &wait) && inv.resume == nil && !t.Resume.isZero():
			out.suspend, err = jsontext.Marshal(wait.payload)
		case err == nil:
			out.value, err = jsontext.Marshal(v)
		}
		return err
	}, "tool", t.Name, "call", inv.toolCallID)
	return out, err
}

func failed(format string, args ...any) outcome {
	return outcome{failed: true, value: failure(fmt.Sprintf(format, args...))}
}

// failure returns the result of a failed call as JSON.
func failure(message string) json.RawMessage {
	raw, err := jsontext.Marshal(struct {
		Error   bool   `json:"error"`
		Message string `json:"message"`
	}{true, message})
	if err != nil {
		return json.RawMessage(`{"error":true}`) // a string always encodes
	}
	return raw
}

func failedInput(tool string, problem error) json.RawMessage {
	return failure(fmt.Sprintf("Tool input validation failed for %s. Please fix the following and try again: %s",
		excerpt(tool, maxShort), excerpt(problem.Error(), maxForeign)))
}
