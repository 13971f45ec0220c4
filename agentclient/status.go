package agentclient

import (
	"time"

	"cairn/agentclient/conversation"
	"cairn/agentclient/interrupt"
)

// The words for what a list of threads says of one.
const (
	StatusIdle     = "idle"
	StatusRunning  = "running"
	StatusNeedsYou = "needs-you" // a question waits for the person's answer
	StatusFailed   = "failed"    // the last run failed, and nothing was started after it
)

// Status returns the word for the thread at now.
func (s *Session) Status(now time.Time) string {
	if s.Run.Open {
		return StatusRunning
	}
	return atRest(s.Interrupts, s.Run.Failure != nil && s.Run.Failure.Latest, now)
}

// StatusAfter returns the word for the thread at now once its open run has ended so. It
// changes nothing: the word is stored with the end.
func (s *Session) StatusAfter(end EndData, now time.Time) string {
	pause := s.Interrupts.Clone()
	pause.RunEnded(s.Run.ID, end.Outcome.ended())
	failed := end.Outcome != OutcomeFinished && end.Outcome != OutcomeStopped ||
		s.Conversation.Run().Status == conversation.RunFailed && !s.refused(s.Run.ID) ||
		s.Conversation.Run().Status == conversation.RunCancelled && !s.Run.Decision
	return atRest(pause, failed, now)
}

// atRest returns the word for a thread whose last run is over.
func atRest(pause *interrupt.Session, failed bool, now time.Time) string {
	switch {
	case waits(pause, now):
		return StatusNeedsYou
	case failed:
		return StatusFailed
	}
	return StatusIdle
}

// waits reports whether a question is there to be answered for the first time.
func waits(pause *interrupt.Session, now time.Time) bool {
	return pause.Phase() == interrupt.PhasePending && !pause.Retryable() && pause.Answerable(Answer(pause.Pending(), true), now) == nil
}

// Blocked reports whether a question waits for its answer at now, so that a plain message
// is refused. One that was answered with the answer lost or not delivered, and one that
// cannot be answered, blocks nothing: the person may go on and leave it.
func (s *Session) Blocked(now time.Time) bool {
	switch s.Interrupts.Phase() {
	case interrupt.PhaseNone, interrupt.PhaseUncertain, interrupt.PhaseRecoveryRequired:
		return false
	case interrupt.PhasePending:
		return waits(s.Interrupts, now)
	}
	return true
}
