package interrupt

import (
	"encoding/json"
	"fmt"
	"slices"
	"time"
)

// Resend sends a decision again whose fate is not known, under a new run id. It
// is only for a user who knows that the decision may take effect twice; no
// program may call it by itself (rules 25 and 27 forbid an automatic repeat). It
// fails unless the phase is uncertain or recovery-required and the attempt is
// still kept.
func (s *Session) Resend(runID string) (Wire, error) {
	switch {
	case s.phase != PhaseUncertain && s.phase != PhaseRecoveryRequired, s.attempt == nil:
		return Wire{}, ErrNothingPending
	case runID == "" || runID == s.attempt.RunID || runID == s.runID || slices.Contains(s.late, runID):
		return Wire{}, fmt.Errorf("%w: run id %q is not new", ErrBadDecision, runID)
	}
	a := s.attempt.clone()
	s.late = append(s.late, a.RunID)
	if !a.again {
		a.again, a.from = true, s.phase
	} else if s.phase == PhaseRecoveryRequired {
		a.from = s.phase
	}
	a.RunID = runID
	s.attempt = &a
	s.enter(PhaseClaimed)
	return a.Wire, nil
}

// Abandon leaves a pause without an answer, so that the conversation can go on; also
// only by a person's choice. It does nothing while signals or a decision are under way.
// [Session.Owed] is what the agent must be sent of it: nothing when the decision is known
// to have arrived, since its interrupts are not open any more.
func (s *Session) Abandon() (changed bool) {
	switch s.phase {
	case PhasePending, PhaseUncertain:
		if s.refused == nil { // else the agent went on to ask something else
			s.owePause()
		}
		return s.clear()
	case PhaseRecoveryRequired:
		return s.clear()
	}
	return false
}

// Answerable reports why the decision cannot be taken on the present pause at
// now: nothing waits for one, its time is over, it does not fit what is asked, or
// the transport cannot carry it. nil is no such reason; [Session.Claim] may still
// refuse it because one was taken before.
func (s *Session) Answerable(resume json.RawMessage, now time.Time) error {
	if s.phase != PhasePending {
		return ErrNothingPending
	}
	if !json.Valid(resume) {
		return fmt.Errorf("%w: it is not JSON", ErrBadDecision)
	}
	wire, err := s.wire(resume)
	if err != nil {
		return err
	}
	return s.checkExpiry(wire, now)
}
