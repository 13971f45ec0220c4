// Package runner owns runs: it starts them, stops them, answers their questions
// and records how they ended. Only the runner ends a run; the request that
// started it may go away. It renders nothing and keeps nothing a restart would
// miss: every fact is a row of the thread's log before it has an effect. Several
// processes may run one on the same log; a lease says which of them drives a run.
package runner

import (
	"context"
	"errors"
	"iter"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/google/uuid"

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
	ErrNoAnswer       = thread.ErrNoAnswer
	ErrHadEffect      = thread.ErrHadEffect
	ErrIDTaken        = errors.New("another message has this id")
	ErrClosing        = errors.New("the server is stopping")
	ErrTooLong        = errors.New("the conversation has grown too long")
)

// maxThread is how many bytes of rows a thread may hold for another message to be taken:
// a thread is folded in memory.
const maxThread = 64 << 20

// ErrUnrecorded is what Stop gives when the run has ended and the log does not take that
// yet; it is tried again until it does.
var ErrUnrecorded = errors.New("the run has ended, but that is not stored yet")

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

	owner     string // names this process in leases
	alone     bool
	leaseTime time.Duration

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
	begun  chan struct{} // closed when its beginning is in the log, or will not be
	done   chan struct{}
	ending bool // its end is in the log or about to be; guarded by Runner.mu
	// refused is closed when the log has not taken the end at the first try, because of why.
	refused chan struct{}
	why     error
}

var errStopped = errors.New("stopped by the person")

// Option changes a runner.
type Option func(*Runner)

// Alone says that no other process can be using the log, because it is locked. Leases
// are neither read nor written then: who could tell them apart is not there, and a run
// begins two writes earlier.
func Alone() Option { return func(r *Runner) { r.alone = true } }

// New makes a runner; upstreams are by demo. Close it to end all runs.
func New(log threadlog.Log, upstreams map[string]Upstream, logger *slog.Logger, options ...Option) *Runner {
	ctx, cancel := context.WithCancelCause(context.Background())
	r := &Runner{
		log: log, upstreams: upstreams, logger: logger, endRetry: endRetry,
		owner: uuid.NewString(), leaseTime: leaseTime,
		ctx: ctx, cancel: cancel, active: map[string]*active{},
	}
	for _, o := range options {
		o(r)
	}
	return r
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
		if t.Bytes > maxThread {
			return nil, ErrTooLong
		}
		p := newPlan()
		p.add(threadlog.KindUser, thread.UserData{ID: messageID, Text: text})
		p.add(threadlog.KindRun, thread.RunData{Reason: thread.ReasonMessage})
		return p, nil
	})
}

// Verdict is the person's answer to one request.
type Verdict = thread.Verdict

// Decide answers the open question of the given generation, a verdict for each of its
// requests in their order, and resumes the run. The decision is stored before it is
// sent; a second one for the same generation gets ErrStale.
func (r *Runner) Decide(ctx context.Context, threadID string, generation int, each []Verdict) error {
	return r.start(ctx, threadID, func(t *thread.Thread) (*plan, error) {
		a := t.Open()
		if a == nil || a.Generation != generation || a.Decision != nil || a.Phase != interrupt.PhasePending || t.Run.Open ||
			len(each) != len(a.Pending) {
			return nil, ErrStale
		}
		approved := !slices.ContainsFunc(each, func(v Verdict) bool { return !v.Approved })
		p := newPlan()
		p.add(threadlog.KindClaim, thread.ClaimData{Generation: generation, Approved: approved, Resume: t.Answer(a, each), Each: each})
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
			p.add(threadlog.KindClaim, thread.ClaimData{Generation: a.Generation, Approved: a.Decision.Approved(), Again: true})
			p.add(threadlog.KindRun, thread.RunData{Reason: thread.ReasonDecision})
			return p, nil
		}
		if t.Bytes > maxThread {
			return nil, ErrTooLong
		}
		p.add(threadlog.KindRun, thread.RunData{Reason: thread.ReasonRetry, Skip: f.RunID, Replaces: t.Run.Replaces})
		return p, nil
	})
}
