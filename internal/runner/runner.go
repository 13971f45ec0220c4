// Package runner owns runs: it starts them, stops them, answers their questions
// and records how they ended. Only the runner ends a run; the request that
// started it may go away. It renders nothing and keeps nothing a restart would
// miss: every fact is a row of the thread's log before it has an effect. Several
// processes may run one on the same log; a lease names the one that drives a run.
package runner

import (
	"context"
	"errors"
	"iter"
	"log/slog"
	"sync"
	"time"

	"github.com/google/uuid"

	"cairn/agentclient"
	"cairn/agentclient/interrupt"
	"cairn/agui"
	"cairn/internal/thread"
	"cairn/internal/threadlog"
)

// The errors with which the runner refuses a request. Nothing has changed then.
var (
	ErrRunning        = agentclient.ErrRunning
	ErrPending        = agentclient.ErrPending
	ErrStale          = agentclient.ErrStale
	ErrUnanswerable   = agentclient.ErrUnanswerable
	ErrNothingToRetry = agentclient.ErrNothingToRetry
	ErrNoAnswer       = agentclient.ErrNoAnswer
	ErrHadEffect      = agentclient.ErrHadEffect
	ErrIDTaken        = agentclient.ErrIDTaken
	ErrClosing        = errors.New("the server is stopping")
	ErrTooLong        = errors.New("the conversation has grown too long")
)

// maxThread is how many bytes of rows a thread may hold for another message to be taken:
// a thread is folded in memory.
const maxThread = 64 << 20

// ErrUnrecorded is what Stop returns when the run has ended and the log does not take that
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
	threads   *thread.Keeper
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

// Alone skips leases: the log is locked, so no other process can run. It saves two
// writes per run.
func Alone() Option { return func(r *Runner) { r.alone = true } }

// Threads makes the runner use the sessions of a keeper, which others use as well.
func Threads(k *thread.Keeper) Option { return func(r *Runner) { r.threads = k } }

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
	if r.threads == nil {
		r.threads = thread.NewKeeper(thread.Config{Log: log, Logger: logger, Session: Sessions(upstreams)})
	}
	return r
}

// Sessions returns how the agent of a demo is asked and answered. A demo that has no agent
// any more is read as one that asks in the usual way.
func Sessions(upstreams map[string]Upstream) func(demo string) agentclient.SessionConfig {
	return func(demo string) agentclient.SessionConfig {
		up := upstreams[demo]
		return agentclient.SessionConfig{Transport: up.Transport, Profile: up.Profile}
	}
}

// Verdict is the person's answer to one request.
type Verdict = agentclient.Verdict

// Send appends the user's message and starts a run for it. A message whose id
// and text are there already is a repeat: nothing happens and no error comes.
func (r *Runner) Send(ctx context.Context, threadID, messageID, text string) error {
	return r.start(ctx, threadID, func(s *agentclient.Session, runID string, now time.Time) (agentclient.Turn, error) {
		return limited(s)(s.Send(runID, messageID, text, now))
	})
}

// Decide answers the open question of the given generation, a verdict for each of its
// requests in their order, and resumes the run. The decision is stored before it is
// sent; a second one for the same generation gets ErrStale.
func (r *Runner) Decide(ctx context.Context, threadID string, generation int, each []Verdict) error {
	return r.start(ctx, threadID, func(s *agentclient.Session, runID string, now time.Time) (agentclient.Turn, error) {
		return s.Decide(runID, generation, each, now)
	})
}

// Retry repeats the last run after it failed. A run that carried a decision is
// sent again as it was, by the person's explicit choice. failure is the number of the
// row that told the failure that is meant, so that a request that comes twice repeats it
// once; 0 is whichever is the last.
func (r *Runner) Retry(ctx context.Context, threadID string, failure int64) error {
	return r.start(ctx, threadID, func(s *agentclient.Session, runID string, now time.Time) (agentclient.Turn, error) {
		t, err := s.Retry(runID, failure, now)
		if s.Open() != nil { // a decision is answered however long the conversation is
			return t, err
		}
		return limited(s)(t, err)
	})
}

// Regenerate asks for another answer in the place of that of run, which must
// be the thread's last; "" is whichever is the last. The old answer stays in the log, is
// neither sent nor shown, and comes back when the new one fails.
//
// ErrRunning; ErrPending; ErrHadEffect: the run carried a decision, called a tool or
// changed the shared state; ErrNoAnswer: there is none, or another is the last.
func (r *Runner) Regenerate(ctx context.Context, threadID, run string) error {
	return r.start(ctx, threadID, func(s *agentclient.Session, runID string, now time.Time) (agentclient.Turn, error) {
		return limited(s)(s.Regenerate(runID, run, now))
	})
}

// limited refuses turns of a conversation that has grown too long.
func limited(s *agentclient.Session) func(agentclient.Turn, error) (agentclient.Turn, error) {
	return func(t agentclient.Turn, err error) (agentclient.Turn, error) {
		if err == nil && len(t.Records) > 0 && s.Bytes > maxThread {
			return agentclient.Turn{}, ErrTooLong
		}
		return t, err
	}
}
