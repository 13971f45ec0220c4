package agenthost

import (
	"context"
	"encoding/json"
	"log/slog"
	"net/http"
	"slices"
	"time"

	"github.com/google/uuid"

	"cairn/agenthost/dialect"
	"cairn/agenthost/memory"
	"cairn/agui"
	"cairn/internal/crash"
)

// run is the state of one request. Only the request's goroutine uses it.
type run struct {
	host   *Server
	agent  *Agent
	thread Thread
	in     agui.RunAgentInput
	writer dialect.EventWriter
	out    *eventStream
	log    *slog.Logger

	memory *memory.Notebook // nil when the agent has none
	// clientTools are the names that the client runs.
	clientTools map[string]bool
	calls       int // tool calls of the run so far, those of its children included
	ids         callIDs

	messages []Message // the model's conversation, without the first system message
	usage    *agui.TokenUsage
	thought  string   // id of the reasoning that goes on, "" when none does
	open     []string // calls that were sent to the client and have not been run
	// resumed is true when the run continues after a decision, which its end settles.
	resumed bool
}

func (s *Server) serveRun(w http.ResponseWriter, r *http.Request, topic string, agent *Agent, in agui.RunAgentInput) {
	request, gone := context.WithCancelCause(r.Context())
	defer gone(nil)
	ctx, leave, ok := s.enter(request)
	if !ok {
		s.turnAway(w, http.StatusServiceUnavailable, "shutting down")
		return
	}
	defer leave()
	ctx, cancel := context.WithTimeoutCause(ctx, s.cfg.RunTimeout, errRunTimeout)
	defer cancel()
	began := time.Now()
	log := s.log.With("topic", topic, "thread", in.ThreadID, "run", in.RunID)
	x := &run{
		host: s, agent: agent, thread: Thread{Agent: topic, ID: in.ThreadID}, in: in, clientTools: clientTools(agent, in.Tools),
		out: newEventStream(w, s.cfg.Heartbeat, s.cfg.MaxOutput, log, gone), log: log,
	}
	defer x.out.close()
	err := crash.Run(log, "run panicked", func() error {
		x.writer = agent.dialect().NewWriter(dialect.Run{ThreadID: in.ThreadID, RunID: in.RunID, NewID: uuid.NewString, Messages: in.Messages})
		if err := x.emit(x.writer.Started()); err != nil {
			return err
		}
		return x.serve(ctx)
	})
	x.close(ctx, err, time.Since(began))
}

// serve handles the request: a decision, or the next turn.
func (x *run) serve(ctx context.Context) error {
	release, ok := x.host.threads.acquire(ctx, x.thread)
	if !ok {
		return errThreadBusy
	}
	defer release()
	interrupts, err := x.host.cfg.Store.Interrupts(ctx, x.thread)
	if err != nil {
		return err
	}
	x.ids = usedIDs(x.in.Messages, interrupts)
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
	return x.turn(ctx, interrupts)
}

// turn answers the newest message.
func (x *run) turn(ctx context.Context, interrupts []Interrupt) error {
	waiting := slices.IndexFunc(interrupts, open)
	if waiting >= 0 && interrupts[waiting].RunID != x.in.RunID {
		return errPending
	}
	if err := x.sendOpened(); err != nil {
		return err
	}
	if waiting >= 0 {
		// The same request again: the client may not have received the question.
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

// sharedState returns the state shared with the client, nil when there is none.
func (x *run) sharedState() json.RawMessage {
	if x.memory == nil {
		return nil
	}
	return x.memory.Snapshot()
}

func (x *run) sendOpened() error { return x.emit(x.writer.Opened(x.sharedState())) }

// adoptState makes the client's state the memory of a thread without one.
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

// emit sends events of the answer. They end the model's reasoning.
func (x *run) emit(events []agui.Event) error {
	if len(events) == 0 {
		return nil
	}
	return x.out.send(append(x.endReasoning(), events...)...)
}

// emitPatches sends patches of the memory.
func (x *run) emitPatches(patches []json.RawMessage) error {
	for _, p := range patches {
		if err := x.emit(x.writer.Delta(p)); err != nil {
			return err
		}
	}
	return nil
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
