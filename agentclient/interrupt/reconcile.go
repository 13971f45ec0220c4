package interrupt

import (
	"encoding/json"
	"errors"
	"fmt"

	"cairn/agui"
)

// ErrNotUncertain reports a reconciliation of a pause whose fate is known.
var ErrNotUncertain = errors.New("the decision's fate is not in doubt")

// Verdict is what an authority outside found out about a decision in doubt.
type Verdict string

const (
	// VerdictUnknown: nothing could be found out; the session stays blocked.
	VerdictUnknown Verdict = "unknown"
	// VerdictPending: the decision did not arrive; it may be retried, unchanged.
	VerdictPending Verdict = "pending"
	// VerdictAcknowledged: it arrived and its run is going on.
	VerdictAcknowledged Verdict = "acknowledged"
	// VerdictCompleted: its run is over; it may have paused again.
	VerdictCompleted Verdict = "completed"
)

// Batch is a pause as an authority reports it.
type Batch struct {
	RunID  string
	Native []agui.Interrupt
	// Legacy is the value of the notice, nil when there was none.
	Legacy json.RawMessage
}

// Reconcile adopts a verdict on the decision of generation gen, which must be
// uncertain or in need of recovery. A next pause goes only with
// [VerdictCompleted]; it gets a generation of its own, so that no decision before
// it can answer it. On an error nothing has changed.
func (s *Session) Reconcile(gen int, v Verdict, next *Batch) error {
	switch {
	case gen != s.gen:
		return fmt.Errorf("%w: of pause %d, not %d", ErrStale, gen, s.gen)
	case s.phase != PhaseUncertain && s.phase != PhaseRecoveryRequired:
		return ErrNotUncertain
	case next != nil && v != VerdictCompleted:
		return fmt.Errorf("%w: verdict %q with a next pause", ErrBadDecision, v)
	}
	switch v {
	case VerdictUnknown:
	case VerdictPending:
		s.enter(PhasePending)
	case VerdictAcknowledged:
		s.enter(PhaseAcknowledged)
	case VerdictCompleted:
		if next == nil {
			s.clear()
			return nil
		}
		if len(next.Native) > 0 || next.Legacy == nil {
			if err := checkBatch(next.Native); err != nil {
				return err
			}
		}
		s.begin(next.RunID)
		if next.Legacy != nil {
			s.setNotice(agui.ReadNotice(next.Legacy))
		}
		s.merge(next.Native)
		s.enter(PhasePending)
	default:
		return fmt.Errorf("%w: unknown verdict %q", ErrBadDecision, v)
	}
	return nil
}
