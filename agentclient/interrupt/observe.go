package interrupt

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"cairn/agui"
)

// Ended says how a run's stream came to its end.
type Ended string

const (
	// EndedClean: the stream ended in order, with or without a terminal event.
	EndedClean Ended = "clean"
	// EndedNotDispatched: the request is known not to have left.
	EndedNotDispatched Ended = "not-dispatched"
	// EndedBroken: anything else — cut, stalled, refused, or stopped by its reader.
	EndedBroken Ended = "broken"
)

// ErrBadBatch reports an interrupt outcome that is no pause: empty, an entry
// without an id, or one id twice. A run that ends with it has failed.
var ErrBadBatch = errors.New("invalid interrupt outcome")

// CheckBatch applies the rules of [ErrBadBatch].
func CheckBatch(batch []agui.Interrupt) error {
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
		return s.started(runID)
	case *agui.Custom:
		if e.Name != noticeName {
			return false
		}
		return s.notice(e.Value, runID)
	case *agui.RunFinished:
		if runID == "" {
			runID = e.RunID
		}
		if s.foreign(e.ThreadID, runID) {
			return s.failed(runID)
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

func (s *Session) notice(value json.RawMessage, runID string) bool {
	if !s.signal(runID) {
		return false
	}
	s.setNotice(value)
	return true
}

func (s *Session) setNotice(value json.RawMessage) {
	s.legacy, s.hasLegacy, s.shown = decodeNotice(value), true, nil
	s.address.callID, s.address.runID = "", ""
	var v map[string]json.RawMessage // names are exact
	if json.Unmarshal(s.legacy, &v) == nil {
		s.address.callID, s.address.runID = stringOf(v["toolCallId"]), stringOf(v["runId"])
	}
}

func (s *Session) finished(o *agui.Outcome, runID string) bool {
	if o != nil && o.Type == agui.OutcomeCancelled {
		return s.failed(runID)
	}
	if o != nil && o.Type == agui.OutcomeInterrupt {
		if CheckBatch(o.Interrupts) != nil {
			return s.failed(runID)
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
		i, known := s.place[it.ID]
		switch {
		case known && i >= 0:
			s.native[i] = it
		case known:
		case len(s.native) == MaxPending:
			s.place[it.ID] = -1
		default:
			s.place[it.ID] = len(s.native)
			s.native = append(s.native, it)
		}
	}
	s.shown = nil
}

// decodeNotice undoes the one layer of JSON text that producers of the older
// convention put around the value. Text that is not JSON stays what it is.
func decodeNotice(value json.RawMessage) json.RawMessage {
	var text string
	if len(value) > 0 && value[0] == '"' && json.Unmarshal(value, &text) == nil && json.Valid([]byte(text)) {
		return json.RawMessage(text)
	}
	if len(value) == 0 {
		return json.RawMessage("null")
	}
	return value
}
