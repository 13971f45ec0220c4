package thread

import (
	"time"

	"cairn/agentclient/interrupt"
	"cairn/agui"
)

// The words for [threadlog.Thread.Status]: what the list of threads says of one.
// The runner sets them on the rows it appends; a thread without rows has none.
const (
	StatusIdle     = "idle"
	StatusRunning  = "running"
	StatusNeedsYou = "needs-you" // a question waits for the person's answer
	StatusFailed   = "failed"    // the last run failed, and nothing was started after it
)

// Status is the word for the thread at now.
func (t *Thread) Status(now time.Time) string {
	if t.Run.Open {
		return StatusRunning
	}
	return atRest(t.Interrupts, t.Run.Failure != nil && t.Run.Failure.Latest, now)
}

// atRest is the word for a thread whose last run is over, from its questions and
// whether that run failed.
func atRest(s *interrupt.Session, failed bool, now time.Time) string {
	switch {
	case waits(s, now):
		return StatusNeedsYou
	case failed:
		return StatusFailed
	}
	return StatusIdle
}

// waits reports that a question is there to be answered for the first time.
func waits(s *interrupt.Session, now time.Time) bool {
	return s.Phase() == interrupt.PhasePending && !s.Retryable() && s.Answerable(Answer(s.Pending(), true), now) == nil
}

// Tally follows a run without folding its conversation, to tell the thread's word
// when the run has ended: the runner does not fold every event a second time.
type Tally struct {
	questions    *interrupt.Session
	runID        string
	over, failed bool
}

// Tally begins one for the open run. It takes the thread's questions over, so the
// thread must not be used after.
func (t *Thread) Tally() *Tally { return &Tally{questions: t.Interrupts, runID: t.Run.ID} }

// Event counts the run's next event that was stored.
func (y *Tally) Event(ev agui.Event) {
	if y.over {
		return
	}
	switch ev.(type) {
	case *agui.RunError:
		y.over, y.failed = true, true
	case *agui.RunFinished:
		y.over = true
	}
	y.questions.Observe(ev, y.runID)
}

// End gives the word for the thread once the run has ended so, at now.
func (y *Tally) End(end EndData, now time.Time) string {
	y.questions.RunEnded(y.runID, end.How.ended())
	return atRest(y.questions, y.failed || end.How != EndClean && end.How != EndStopped, now)
}

// ended is what the end of a run means for the decision it may have carried.
func (h How) ended() interrupt.Ended {
	switch h {
	case EndClean:
		return interrupt.EndedClean
	case EndNotSent:
		return interrupt.EndedNotDispatched
	}
	return interrupt.EndedBroken
}
