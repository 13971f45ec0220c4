package interrupt

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"cairn/agui"
)

// Why a run did not succeed in pausing: it asked in a way that nobody can answer. Such a
// run has failed, and no decision is taken on what it asked.
var (
	// ErrBadBatch reports an interrupt outcome that is no pause: empty, an entry without
	// an id, or one id twice.
	ErrBadBatch = errors.New("invalid interrupt outcome")
	// ErrForeignPause reports a pause whose run began in one thread and ended in another.
	ErrForeignPause = errors.New("the pause is of another thread")
)

// checkBatch applies the rules of [ErrBadBatch].
func checkBatch(batch []agui.Interrupt) error {
	if len(batch) == 0 {
		return fmt.Errorf("%w: no interrupts", ErrBadBatch)
	}
	seen := make(map[string]bool, len(batch))
	for i, it := range batch {
		switch {
		case it.ID == "":
			return fmt.Errorf("%w: entry %d has no id", ErrBadBatch, i)
		case seen[it.ID]:
			return fmt.Errorf("%w: id %q twice", ErrBadBatch, it.ID)
		}
		seen[it.ID] = true
	}
	return nil
}

// Refused is a pause that cannot be answered by anybody.
type Refused struct {
	RunID string
	// Generation is the session's. It is that of the pause before it when the run carried
	// the decision on that one, which is then in doubt.
	Generation int
	// Err is an [ErrBadBatch] or an [ErrForeignPause].
	Err error
	// Pending is what was asked, at most [MaxPending] entries, and Calls the tool calls
	// that it named.
	Pending []Pending
	Calls   []string
}

// Refused returns the pause that the last run tried and failed to make, nil when there is
// none. It stays until the next pause. The caller must not change it.
func (s *Session) Refused() *Refused { return s.refused }

// Calls returns the tool calls that the present pause names, also those of requests that
// [Session.Pending] does not list.
func (s *Session) Calls() []string { return slices.Sorted(maps.Keys(s.calls)) }

// refuse ends the run that asked what nobody can answer. Its interrupts stay open at the
// agent, so the next request cancels those that have an id.
func (s *Session) refuse(batch []agui.Interrupt, runID string, err error) bool {
	resumed := s.attempt != nil && ours(runID, s.attempt.RunID) || s.prior != nil && ours(runID, s.runID)
	if !resumed && (s.attempt != nil || !s.signal(runID)) {
		return false
	}
	no := &Refused{RunID: runID, Generation: s.gen, Err: err}
	room := maxRead
	for _, it := range batch[:min(len(batch), MaxPending)] {
		no.Pending = append(no.Pending, s.profile.extract(fromInterrupt(it), it, nil, &room))
	}
	if len(batch) == 0 && s.hasLegacy {
		no.Pending = []Pending{s.fromNotice()}
	}
	for _, it := range batch {
		s.name(it.ToolCallID)
	}
	no.Calls = s.Calls()
	if resumed {
		s.failed(runID)
	} else {
		s.clear()
	}
	s.refused, s.owed = no, nil
	if errors.Is(err, ErrBadBatch) && s.speaksProtocol() {
		s.owe(batch)
	}
	return true
}

// misdirected ends a run whose end names another thread: it asks and answers nothing. What
// it asks belongs to a thread that is not ours, and neither does its cancelling.
func (s *Session) misdirected(o *agui.Outcome, runID string) bool {
	var batch []agui.Interrupt
	if o != nil && o.Type == agui.OutcomeInterrupt {
		batch = o.Interrupts
	} else if s.phase != PhaseCollecting || !ours(runID, s.runID) {
		return s.failed(runID)
	}
	return s.refuse(batch, runID, ErrForeignPause)
}
