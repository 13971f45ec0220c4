package interrupt

import "fmt"

// Resend sends a decision again whose fate is not known, under a new run id. It
// is only for a person who was told that the decision may take effect twice; no
// program may call it by itself (rules 25 and 27 forbid an automatic repeat). It
// fails unless the phase is uncertain or recovery-required and the attempt is
// still kept.
func (s *Session) Resend(runID string) (Wire, error) {
	switch {
	case s.phase != PhaseUncertain && s.phase != PhaseRecoveryRequired, s.attempt == nil:
		return Wire{}, ErrNothingPending
	case runID == "" || runID == s.attempt.RunID || runID == s.runID:
		return Wire{}, fmt.Errorf("%w: run id %q is not new", ErrBadDecision, runID)
	}
	a := s.attempt.clone()
	a.RunID = runID
	s.attempt = &a
	s.enter(PhaseClaimed)
	return a.Wire, nil
}

// Abandon gives up a decision whose fate is not known, so that the conversation
// can go on; also only by a person's choice. It does nothing in other phases.
func (s *Session) Abandon() (changed bool) {
	if s.phase != PhaseUncertain && s.phase != PhaseRecoveryRequired {
		return false
	}
	return s.clear()
}
