package interrupt

import (
	"slices"

	"cairn/agui"
)

// Ended is how a run's stream came to its end.
type Ended string

const (
	// EndedClean: the stream ended in order, with or without a terminal event.
	EndedClean Ended = "clean"
	// EndedNotDispatched: the request is known not to have left.
	EndedNotDispatched Ended = "not-dispatched"
	// EndedBroken: anything else — cut, stalled, refused, or stopped by its reader.
	EndedBroken Ended = "broken"
)

// Observe takes one event of the run runID, which is the id under which the run
// was requested; when it is "" the event's own run id counts. It reports whether
// anything changed. Events that say nothing about a pause cost a type switch.
func (s *Session) Observe(ev agui.Event, runID string) (changed bool) {
	switch e := ev.(type) {
	case *agui.RunStarted:
		if runID == "" {
			runID = e.RunID
		}
		s.begun.runID, s.begun.threadID = runID, e.ThreadID
		s.owed = nil // the agent has the request of this run
		return s.started(runID)
	case *agui.Custom:
		notice, ok := e.Notice()
		return ok && s.notice(notice, runID)
	case *agui.RunFinished:
		if runID == "" {
			runID = e.RunID
		}
		if s.foreign(e.ThreadID, runID) {
			return s.misdirected(e.Outcome, runID)
		}
		return s.finished(e.Outcome, runID)
	case *agui.RunError:
		return s.failed(runID)
	default:
		return false
	}
}

// RunEnded takes the end of a run's stream, after its last event. It reports
// whether anything changed.
func (s *Session) RunEnded(runID string, how Ended) (changed bool) {
	if how != EndedNotDispatched && (s.refused == nil || runID != s.refused.RunID) {
		s.owed = nil // the agent may have the request of this run
	}
	switch {
	case s.attempt != nil && runID == s.attempt.RunID:
		switch s.phase {
		case PhaseClaimed, PhaseResuming:
			switch {
			case how == EndedNotDispatched && s.attempt.again:
				return s.enter(s.attempt.from)
			case how == EndedNotDispatched:
				return s.enter(PhasePending)
			}
			return s.enter(PhaseUncertain)
		case PhaseAcknowledged:
			return s.enter(PhaseRecoveryRequired)
		}
	case s.phase == PhaseCollecting && ours(runID, s.runID):
		if how == EndedClean {
			s.prior = nil
			return s.enter(PhasePending)
		}
		return s.failed(runID)
	}
	return false
}

func (s *Session) started(runID string) bool {
	if s.attempt != nil && ours(runID, s.attempt.RunID) &&
		(s.phase == PhaseClaimed || s.phase == PhaseResuming) {
		return s.enter(PhaseAcknowledged)
	}
	return false
}

// foreign reports an end that names another thread than its run began on. It is no
// end of that run: it neither asks nor answers anything. (No measured runtime sends
// one.)
func (s *Session) foreign(threadID, runID string) bool {
	began := s.begun.threadID
	return runID == s.begun.runID && began != "" && threadID != "" && threadID != began
}

func (s *Session) notice(n agui.Notice, runID string) bool {
	if !s.signal(runID) {
		return false
	}
	s.setNotice(n)
	return true
}

func (s *Session) setNotice(n agui.Notice) {
	s.legacy, s.hasLegacy, s.shown = n, true, nil
	s.name(n.ToolCallID)
}

// name notes that the pause is about a tool call.
func (s *Session) name(toolCallID string) {
	if toolCallID == "" {
		return
	}
	if s.calls == nil {
		s.calls = map[string]bool{}
	}
	s.calls[toolCallID] = true
}

func (s *Session) finished(o *agui.Outcome, runID string) bool {
	if o != nil && o.Type == agui.OutcomeCancelled {
		return s.cancelled(runID)
	}
	if o != nil && o.Type == agui.OutcomeInterrupt {
		if err := checkBatch(o.Interrupts); err != nil {
			return s.refuse(o.Interrupts, runID, err)
		}
		if !s.signal(runID) {
			return false
		}
		s.merge(o.Interrupts)
		s.prior = nil
		s.enter(PhasePending)
		return true
	}
	switch {
	case s.attempt != nil && runID == s.attempt.RunID:
		return s.clear()
	case s.attempt != nil && runID == "" && s.phase == PhaseAcknowledged:
		return s.clear()
	case s.phase == PhaseCollecting && ours(runID, s.runID):
		s.prior = nil
		return s.enter(PhasePending)
	}
	return false
}

// cancelled ends a run that its operator stopped. A decision that declined
// everything is carried out by that; of any other one the outcome is not known.
func (s *Session) cancelled(runID string) bool {
	if s.attempt != nil && ours(runID, s.attempt.RunID) && s.attempt.declines &&
		(s.phase == PhaseClaimed || s.phase == PhaseResuming || s.phase == PhaseAcknowledged) {
		return s.clear()
	}
	return s.failed(runID)
}

// failed ends a run that broke off, failed, or was cancelled.
func (s *Session) failed(runID string) bool {
	switch {
	case s.attempt != nil && ours(runID, s.attempt.RunID):
		switch s.phase {
		case PhaseClaimed, PhaseResuming:
			return s.enter(PhaseUncertain)
		case PhaseAcknowledged:
			return s.enter(PhaseRecoveryRequired)
		}
	case s.phase == PhaseCollecting && ours(runID, s.runID):
		if s.prior != nil {
			s.attempt, s.prior = s.prior, nil
			return s.enter(PhaseRecoveryRequired)
		}
		return s.clear()
	}
	return false
}

// signal prepares the session for a sign of a pause of runID: it opens a new
// generation where one is due. False means the sign comes too late to count.
func (s *Session) signal(runID string) bool {
	switch {
	case s.attempt != nil:
		if ours(runID, s.runID) {
			return false
		}
		answered := s.attempt
		s.begin(runID)
		if runID == answered.RunID {
			s.prior = answered
		}
	case s.phase == PhaseNone:
		if runID != "" && slices.Contains(s.late, runID) {
			return false
		}
		s.begin(runID)
	case s.runID == "":
		s.runID = runID
	case !ours(runID, s.runID):
		if slices.Contains(s.late, runID) {
			return false
		}
		s.begin(runID)
	}
	return true
}

// merge adds a batch by id; an entry that comes again replaces the former.
func (s *Session) merge(batch []agui.Interrupt) {
	if s.place == nil {
		s.place = make(map[string]int, len(batch))
	}
	for _, it := range batch {
		s.name(it.ToolCallID)
		i, known := s.place[it.ID]
		switch {
		case known && i < len(s.native):
			s.native[i] = it
			continue
		case known:
			continue
		case len(s.native) < MaxPending:
			s.native = append(s.native, it)
		}
		s.place[it.ID] = len(s.place)
	}
	s.shown = nil
}
