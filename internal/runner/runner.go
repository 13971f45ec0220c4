// Package runner owns runs: it starts them, stops them, answers their questions
// and records how they ended. Only the runner ends a run; the request that
// started it may go away. It renders nothing and keeps nothing a restart would
// miss: every fact is a row of the thread's log before it has an effect.
package runner

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"log/slog"
	"sync"
	"time"

	"cairn/agentclient"
	"cairn/agentclient/interrupt"
	"cairn/agui"
	"cairn/internal/thread"
	"cairn/internal/threadlog"
)

// What a request to the runner can be refused with. Nothing has changed then.
var (
	ErrRunning        = errors.New("a run is going on in this conversation")
	ErrPending        = errors.New("a decision is pending in this conversation")
	ErrStale          = errors.New("that decision is no longer open")
	ErrUnanswerable   = errors.New("that question cannot be answered")
	ErrNothingToRetry = errors.New("there is nothing to send again")
	ErrIDTaken        = errors.New("another message has this id")
	ErrClosing        = errors.New("the server is stopping")
)

// Agent is the upstream of one demo; [*agentclient.Client] is one.
type Agent interface {
	Run(ctx context.Context, in agui.RunAgentInput) iter.Seq2[agentclient.Received, error]
}

// Upstream is an agent and how its interrupts are read and answered.
type Upstream struct {
	Agent     Agent
	Transport interrupt.Transport
	Profile   interrupt.Profile
}

// Runner is safe for concurrent use.
type Runner struct {
	log       threadlog.Log
	upstreams map[string]Upstream
	logger    *slog.Logger
	endRetry  time.Duration

	// ctx ends every run when the runner closes.
	ctx    context.Context
	cancel context.CancelCauseFunc
	wg     sync.WaitGroup

	mu     sync.Mutex
	active map[string]*active // by thread
	closed bool
}

// active is a run of this process.
type active struct {
	runID  string
	cancel context.CancelCauseFunc
	done   chan struct{}
	ending bool // its end is in the log or about to be; guarded by Runner.mu
}

var errStopped = errors.New("stopped by the person")

// New makes a runner; upstreams are by demo. Close it to end all runs.
func New(log threadlog.Log, upstreams map[string]Upstream, logger *slog.Logger) *Runner {
	ctx, cancel := context.WithCancelCause(context.Background())
	return &Runner{log: log, upstreams: upstreams, logger: logger, endRetry: endRetry, ctx: ctx, cancel: cancel, active: map[string]*active{}}
}

// Send appends the user's message and starts a run for it. A message whose id
// and text are there already is a repeat: nothing happens and no error comes.
func (r *Runner) Send(ctx context.Context, threadID, messageID, text string) error {
	return r.start(ctx, threadID, func(t *thread.Thread) (*plan, error) {
		if old, ok := t.UserText(messageID); ok {
			if old == text {
				return nil, nil
			}
			return nil, ErrIDTaken
		}
		if t.Run.Open {
			return nil, ErrRunning
		}
		if t.Blocked(time.Now()) {
			return nil, ErrPending
		}
		p := newPlan()
		p.add(threadlog.KindUser, thread.UserData{ID: messageID, Text: text})
		p.add(threadlog.KindRun, thread.RunData{Reason: thread.ReasonMessage})
		return p, nil
	})
}

// Decide answers the open question of the given generation and resumes the run.
// The decision is stored before it is sent; a second one for the same generation
// gets ErrStale.
func (r *Runner) Decide(ctx context.Context, threadID string, generation int, approved bool) error {
	return r.start(ctx, threadID, func(t *thread.Thread) (*plan, error) {
		a := t.Open()
		if a == nil || a.Generation != generation || a.Decision != nil || a.Phase != interrupt.PhasePending || t.Run.Open {
			return nil, ErrStale
		}
		p := newPlan()
		p.add(threadlog.KindClaim, thread.ClaimData{Generation: generation, Approved: approved, Resume: thread.Answer(a.Pending, approved)})
		p.add(threadlog.KindRun, thread.RunData{Reason: thread.ReasonDecision})
		return p, nil
	})
}

// Retry repeats the last run after it failed. A run that carried a decision is
// sent again as it was, by the person's explicit choice. failure is the Seq of the
// failure that is meant, so that a request that comes twice repeats it once; 0 is
// whichever is the last.
func (r *Runner) Retry(ctx context.Context, threadID string, failure int64) error {
	return r.start(ctx, threadID, func(t *thread.Thread) (*plan, error) {
		if t.Run.Open {
			return nil, ErrRunning
		}
		f := t.Run.Failure
		if f == nil || failure != 0 && failure != f.Seq {
			return nil, ErrNothingToRetry
		}
		p := newPlan()
		if a := t.Open(); a != nil {
			if a.Decision == nil {
				return nil, ErrPending
			}
			if t.Interrupts.Retryable() {
				p.runID = a.Decision.RunID // the very same request, which never left
			}
			p.add(threadlog.KindClaim, thread.ClaimData{Generation: a.Generation, Approved: a.Decision.Approved, Again: true})
			p.add(threadlog.KindRun, thread.RunData{Reason: thread.ReasonDecision})
			return p, nil
		}
		p.add(threadlog.KindRun, thread.RunData{Reason: thread.ReasonRetry, Skip: f.RunID})
		return p, nil
	})
}

// Stop ends the thread's run; it is no error when none is going on. It returns
// when the run's end is in the log or ctx ends.
func (r *Runner) Stop(ctx context.Context, threadID string) error {
	r.mu.Lock()
	a := r.active[threadID]
	r.mu.Unlock()
	if a == nil {
		return nil
	}
	a.cancel(errStopped)
	select {
	case <-a.done:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Recover records, at start, the end of the runs that a previous process left
// open.
func (r *Runner) Recover(ctx context.Context) error {
	ids, err := r.log.Open(ctx)
	if err != nil {
		return fmt.Errorf("find open runs: %w", err)
	}
	for _, id := range ids {
		if err := r.recoverThread(ctx, id); err != nil { // one thread must not keep the others from starting
			r.logger.Error("end the run of a thread", "thread", id, "err", err)
		}
	}
	return nil
}

func (r *Runner) recoverThread(ctx context.Context, id string) error {
	t, _, err := r.fold(ctx, id)
	if err != nil {
		return err
	}
	end := thread.NewRow(threadlog.KindEnd, t.Run.ID, thread.EndData{How: thread.EndShutdown})
	_, err = r.log.Append(ctx, id, t.Seq, end)
	return err
}

// Close ends every run and waits until their ends are in the log or ctx ends.
func (r *Runner) Close(ctx context.Context) error {
	r.mu.Lock()
	r.closed = true
	r.mu.Unlock()
	r.cancel(ErrClosing)
	done := make(chan struct{})
	go func() { r.wg.Wait(); close(done) }() // ends with the last run
	select {
	case <-done:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
