package agenthost

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"slices"
	"time"

	"github.com/google/uuid"

	"cairn/agenthost/dialect"
	"cairn/agenthost/memory"
	"cairn/agui"
)

// run is one request at work. It lives in the request's goroutine; nothing else
// touches it.
type run struct {
	host   *Server
	agent  *Agent
	thread Thread
	in     agui.RunAgentInput
	voice  dialect.Voice
	out    *eventStream
	log    *slog.Logger

	memory   *memory.Notebook // nil when the agent has none
	messages []Message        // the model's conversation, without the first system message
	usage    *agui.TokenUsage
	open     []string // calls the client was told of that have not been run
	// resumed: the run goes on after a decision, so its end settles that.
	resumed bool
}

func (s *Server) serveRun(w http.ResponseWriter, r *http.Request, topic string, agent *Agent) {
	in, err := readInput(w, r, s.cfg.MaxBody)
	var bad *badRequest
	if errors.As(err, &bad) {
		refuse(w, bad.status, bad.detail)
		return
	}
	request, gone := context.WithCancelCause(r.Context())
	defer gone(nil)
	ctx, leave, ok := s.enter(request)
	if !ok {
		refuse(w, http.StatusServiceUnavailable, "shutting down")
		return
	}
	defer leave()
	began := time.Now()
	x := &run{
		host: s, agent: agent, thread: Thread{Agent: topic, ID: in.ThreadID}, in: in,
		voice: agent.dialect().NewVoice(dialect.Run{ThreadID: in.ThreadID, RunID: in.RunID, NewID: uuid.NewString, Messages: in.Messages}),
		out:   newEventStream(w, s.cfg.Heartbeat, gone),
		log:   s.log.With("topic", topic, "thread", in.ThreadID, "run", in.RunID),
	}
	defer x.out.close()
	err = x.emit(x.voice.Started())
	if err == nil {
		err = x.serve(ctx)
	}
	x.close(ctx, err, time.Since(began))
}

// close tells the client and the log how the run ended.
func (x *run) close(ctx context.Context, err error, took time.Duration) {
	took = took.Round(time.Millisecond)
	if err == nil {
		x.log.Info("run ended", "took", took)
		return
	}
	told := asRunError(ctx, err)
	if errors.Is(err, errClientGone) || told.code == "internal" && ctx.Err() != nil {
		x.log.Info("client went away", "took", took)
		return
	}
	x.log.Warn("run failed", "code", told.code, "error", told, "took", took)
	var last []agui.Event
	for _, id := range x.open {
		last = append(last, x.voice.ToolResult(id, failure("This call was not carried out."))...)
	}
	if err := x.emit(append(last, x.voice.Failed(told.code, told.message)...)); err != nil {
		x.log.Info("client went away", "error", err)
	}
}

// serve does what the request asks for: a decision, or the next turn.
func (x *run) serve(ctx context.Context) error {
	release, ok := x.host.threads.hold(ctx, x.thread)
	if !ok {
		return errThreadBusy
	}
	defer release()
	interrupts, err := x.host.cfg.Store.Interrupts(ctx, x.thread)
	if err != nil {
		return err
	}
	if err := x.loadMemory(ctx); err != nil {
		return err
	}
	answers, err := x.agent.dialect().Answers(x.in)
	if err != nil {
		return invalidResume("%s.", err)
	}
	if len(answers) > 0 {
		return x.resume(ctx, answers, interrupts)
	}
	waiting := slices.IndexFunc(interrupts, open)
	if waiting >= 0 && interrupts[waiting].RunID != x.in.RunID {
		return errPending
	}
	if err := x.tellOpened(); err != nil {
		return err
	}
	if waiting >= 0 {
		// The same request again: its client may never have heard the question.
		return x.ask(ctx, slices.DeleteFunc(interrupts, func(in Interrupt) bool { return in.RunID != x.in.RunID }))
	}
	if err := x.host.cfg.Store.Settle(ctx, x.thread, StateResulted, StateLeft); err != nil {
		return err
	}
	if err := x.adoptState(ctx); err != nil {
		return err
	}
	x.messages = history(x.in.Messages, interrupts)
	return x.loop(ctx)
}

func (x *run) loadMemory(ctx context.Context) error {
	if !x.agent.hasState() {
		return nil
	}
	stored, err := x.host.cfg.Store.Memory(ctx, x.thread)
	if err != nil {
		return err
	}
	x.memory, err = memory.New(x.agent.checkState, stored)
	return err
}

// sharedState is the whole state shared with the client, nil when there is none.
func (x *run) sharedState() json.RawMessage {
	if x.memory == nil {
		return nil
	}
	return x.memory.Snapshot()
}

func (x *run) tellOpened() error { return x.emit(x.voice.Opened(x.sharedState())) }

// adoptState takes the client's state as the memory of a thread without one.
func (x *run) adoptState(ctx context.Context) error {
	if !x.agent.hasMemory() {
		return nil
	}
	x.memory.Adopt(x.in.State)
	return x.saveMemory(ctx)
}

func (x *run) saveMemory(ctx context.Context) error {
	if x.memory == nil || !x.memory.Dirty() {
		return nil
	}
	if err := x.host.cfg.Store.SaveMemory(ctx, x.thread, x.memory.Snapshot()); err != nil {
		return err
	}
	x.memory.Saved()
	return nil
}

func (x *run) emit(events []agui.Event) error { return x.out.send(events...) }

// emitPatches sends what the client is to see of the memory.
func (x *run) emitPatches(patches []json.RawMessage) error {
	for _, p := range patches {
		if err := x.emit(x.voice.Delta(p)); err != nil {
			return err
		}
	}
	return nil
}

// end closes a run that came to its end: the decision it resumed is settled, the
// memory shown whole, and the last event sent.
func (x *run) end(ctx context.Context, last func() []agui.Event) error {
	if x.resumed {
		if err := x.host.cfg.Store.Settle(ctx, x.thread, StateResulted, StateFinished); err != nil {
			return err
		}
	}
	if x.memory != nil && x.memory.Exists() {
		if err := x.emit(x.voice.Snapshot(x.memory.Snapshot())); err != nil {
			return err
		}
	}
	return x.emit(last())
}

func (x *run) finish(ctx context.Context) error {
	return x.end(ctx, func() []agui.Event { return x.voice.Finished(x.usage) })
}

// count adds the tokens of one answer to the run's.
func (x *run) count(u *agui.TokenUsage) {
	if u == nil {
		return
	}
	if x.usage == nil {
		x.usage = &agui.TokenUsage{}
	}
	x.usage.InputTokens += u.InputTokens
	x.usage.OutputTokens += u.OutputTokens
	x.usage.TotalTokens += u.TotalTokens
	x.usage.ReasoningTokens += u.ReasoningTokens
	x.usage.CachedInputTokens += u.CachedInputTokens
}
