package interrupt

import (
	"maps"
	"slices"

	"cairn/agui"
)

// Phase is the state of a pause.
type Phase string

const (
	// PhaseNone: nothing is pending; ordinary messages may be sent.
	PhaseNone Phase = "none"
	// PhaseCollecting: the agent announced a pause, and its run is still going.
	// It may be shown but not answered.
	PhaseCollecting Phase = "collecting"
	// PhasePending: the run has paused and waits for an answer.
	PhasePending Phase = "pending"
	// PhaseClaimed: an answer was taken and is not on its way yet.
	PhaseClaimed Phase = "claimed"
	// PhaseResuming: the request that carries the answer was handed to the network.
	PhaseResuming Phase = "resuming"
	// PhaseAcknowledged: the resumed run has started. That is not proof that it
	// completed.
	PhaseAcknowledged Phase = "acknowledged"
	// PhaseUncertain: the request may or may not have arrived.
	PhaseUncertain Phase = "uncertain"
	// PhaseRecoveryRequired: the answer arrived and its run did not end well.
	PhaseRecoveryRequired Phase = "recovery-required"
)

// MaxPending bounds the requests of one pause. Of more than that the first are kept to
// be shown, all are counted, and none can be answered; see [ErrTooMany].
const MaxPending = 1000

// lateRuns bounds how many answered runs are remembered to recognise their late
// signals.
const lateRuns = 16

// Session is the pause of one thread. The zero value is not ready; use [New].
type Session struct {
	transport Transport
	profile   Profile

	phase Phase
	gen   int
	runID string // the run that paused; "" when its events named none

	native    []agui.Interrupt // in order of first arrival, ids unique, at most MaxPending
	place     map[string]int   // order of first arrival, by id; those past native are only counted
	legacy    agui.Notice
	hasLegacy bool
	calls     map[string]bool // the tool calls that the pause names, shown or not

	refused *Refused // the pause that the run which ended last did not succeed in
	owed    []string // interrupts left without an answer that the agent was not told of yet

	attempt *Attempt // the decision taken for this generation
	// prior is the decision whose own run raised this batch, until that run has
	// ended: if it fails, what it did is unknown.
	prior *Attempt

	// begun is the run that began last, and the thread it named.
	begun struct{ runID, threadID string }

	late  []string  // runs whose pause is over
	shown []Pending // cache of Pending, nil when stale
}

// New makes a session for a thread on which nothing has happened. An empty
// transport is [TransportAuto].
func New(t Transport, p Profile) *Session {
	if t == "" {
		t = TransportAuto
	}
	return &Session{transport: t, profile: p, phase: PhaseNone}
}

// Phase returns where the pause stands.
func (s *Session) Phase() Phase { return s.phase }

// Generation numbers the pauses of the thread from 1; it is 0 before the first.
// An answer names the generation it was given to.
func (s *Session) Generation() int { return s.gen }

// RunID returns the run that paused, "" when nothing is pending.
func (s *Session) RunID() string {
	if s.phase == PhaseNone {
		return ""
	}
	return s.runID
}

// Blocked reports whether ordinary messages must be refused: every phase but none.
func (s *Session) Blocked() bool { return s.phase != PhaseNone }

// Retryable reports whether a decision was taken and is known not to have left, so
// that [Session.Retry] may send it.
func (s *Session) Retryable() bool { return s.phase == PhasePending && s.attempt != nil }

// Attempt returns the decision taken for the present pause.
func (s *Session) Attempt() (Attempt, bool) {
	if s.attempt == nil {
		return Attempt{}, false
	}
	return s.attempt.clone(), true
}

// Demote takes the session over from a process that died: what it was sending is
// uncertain, what it had started needs recovery. It reports a change.
func (s *Session) Demote() bool {
	switch s.phase {
	case PhaseClaimed, PhaseResuming:
		return s.enter(PhaseUncertain)
	case PhaseAcknowledged:
		return s.enter(PhaseRecoveryRequired)
	default:
		return false
	}
}

func (s *Session) enter(p Phase) bool {
	if s.phase == p {
		return false
	}
	s.phase, s.shown = p, nil
	return true
}

// begin opens a generation for a pause of the run; the pause before it is over.
func (s *Session) begin(runID string) {
	s.settle()
	s.refused, s.owed = nil, nil
	s.gen++
	s.runID, s.phase = runID, PhaseCollecting
}

// clear ends the pause for good.
func (s *Session) clear() bool {
	s.settle()
	return s.enter(PhaseNone)
}

func (s *Session) settle() {
	if s.phase != PhaseNone && s.runID != "" && !slices.Contains(s.late, s.runID) {
		if len(s.late) == lateRuns {
			s.late = slices.Delete(s.late, 0, 1)
		}
		s.late = append(s.late, s.runID)
	}
	s.native, s.place, s.legacy, s.hasLegacy, s.calls = nil, nil, agui.Notice{}, false, nil
	s.attempt, s.prior, s.shown = nil, nil, nil
}

// ours reports whether a run id from the wire means run; "" names no run and means
// the one that is going on.
func ours(id, run string) bool { return id == "" || id == run }

// Clone returns a copy, to find out what a step would do.
func (s *Session) Clone() *Session {
	c := *s
	c.native, c.place, c.calls = slices.Clone(s.native), maps.Clone(s.place), maps.Clone(s.calls)
	c.late, c.owed = slices.Clone(s.late), slices.Clone(s.owed)
	return &c
}
