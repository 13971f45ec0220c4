package agenthost

import (
	"context"
	"errors"
	"time"

	"cairn/agui"
	"cairn/internal/crash"
)

// end ends a run that succeeded: it settles the decision that the run resumed, sends the
// memory as a snapshot, and sends the last event.
func (x *run) end(ctx context.Context, last func() []agui.Event) error {
	if x.resumed {
		if err := x.host.cfg.Store.Settle(ctx, x.thread, StateResulted, StateFinished); err != nil {
			return err
		}
	}
	if x.memory != nil && x.memory.Exists() {
		if err := x.emit(x.writer.Snapshot(x.memory.Snapshot())); err != nil {
			return err
		}
	}
	return x.emit(last())
}

func (x *run) finish(ctx context.Context) error {
	return x.end(ctx, func() []agui.Event { return x.writer.Finished(x.usage) })
}

// close sends and logs how the run ended.
func (x *run) close(ctx context.Context, err error, took time.Duration) {
	took = took.Round(time.Millisecond)
	if err == nil {
		x.log.Info("run ended", "took", took)
		return
	}
	failed := asRunError(ctx, err)
	if errors.Is(err, errClientGone) || failed.code == "internal" && ctx.Err() != nil {
		x.log.Info("client went away", "took", took)
		return
	}
	x.log.Warn("run failed", "code", failed.code, "error", failed, "took", took)
	message := x.host.secrets.Line(failed.message, maxForeign)
	var crashed *crash.Error
	if errors.As(err, &crashed) {
		err = x.breakOff(failed.code, message)
	} else if err = crash.Run(x.log, "run panicked at its end", func() error { return x.fail(failed.code, message) }); errors.As(err, &crashed) {
		err = x.breakOff(failed.code, message)
	}
	if err != nil {
		x.log.Info("client went away", "error", err)
	}
}

// fail ends the run with RUN_ERROR, after what closes its open calls and messages.
func (x *run) fail(code, message string) error {
	last := x.endReasoning()
	for _, id := range x.open {
		last = append(last, x.writer.ToolResult(id, failure("This call was not carried out."))...)
	}
	return x.out.sendLast(append(last, x.writer.Failed(code, message)...)...)
}

// breakOff ends the run with RUN_ERROR without the event writer, whose state may be
// broken after a panic.
func (x *run) breakOff(code, message string) error {
	var last []agui.Event
	if !x.out.begun() {
		last = append(last, &agui.RunStarted{ThreadID: x.in.ThreadID, RunID: x.in.RunID, ProtocolVersion: agui.ProtocolVersion})
	}
	return x.out.sendLast(append(last, &agui.RunError{Code: code, Message: message})...)
}
