package interrupt

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"cairn/agui"
)

// Why a decision was not taken. Nothing has changed then.
var (
	// ErrNothingPending: no pause is open, or its run has not paused yet.
	ErrNothingPending = errors.New("nothing is waiting for a decision")
	// ErrStale: the decision was made on another pause than the present one.
	ErrStale = errors.New("the decision belongs to an earlier pause")
	// ErrAlreadyClaimed: this pause was decided.
	ErrAlreadyClaimed = errors.New("a decision was already taken")
	// ErrRetained: a decision was taken and did not leave; it can be retried, not replaced.
	ErrRetained = errors.New("the previous decision was not sent; retry it")
	// ErrExpired: the time to answer is over, or cannot be read.
	ErrExpired = errors.New("the time to decide is over")
	// ErrBadDecision: the decision does not fit what was asked.
	ErrBadDecision = errors.New("the decision does not fit what was asked")
	// ErrNotAddressable: the pause lacks what the transport needs to answer it.
	ErrNotAddressable = errors.New("the pause cannot be answered over this transport")
	// ErrTooMany: the pause asks more than MaxPending requests. It is an
	// ErrNotAddressable: the user can go on without an answer ([Session.Abandon]).
	ErrTooMany = fmt.Errorf("%w: more than %d requests at once", ErrNotAddressable, MaxPending)
)

// Attempt is a decision as it was taken: it is sent like this or not at all.
type Attempt struct {
	again    bool  // it repeats one that may have reached the agent
	from     Phase // where that one stood
	declines bool  // it says no to everything that was asked

	// RunID is the id of the run that carries the decision, minted before it was taken.
	RunID      string
	Generation int
	// Resume is the decision as given to Claim.
	Resume json.RawMessage
	// Wire is what the request carries.
	Wire Wire
}

func (a Attempt) clone() Attempt {
	a.Resume = bytes.Clone(a.Resume)
	a.Wire = a.Wire.clone()
	return a
}

// Claim takes a decision on the pause of generation gen, at the time now, to be
// carried by the run runID, and freezes it. Only one claim succeeds for a pause.
// The caller stores the claim before it sends the request.
//
// Resume is the decision in JSON, null included. Over the protocol transport a
// bare value answers the only interrupt; an array answers every pending one, each
// entry {"interruptId","status","payload"}. Over the command transports the value
// travels as it is.
func (s *Session) Claim(gen int, runID string, resume json.RawMessage, now time.Time) (Wire, error) {
	switch {
	case s.phase == PhaseNone:
		return Wire{}, ErrNothingPending
	case gen != s.gen:
		return Wire{}, fmt.Errorf("%w: of pause %d, not %d", ErrStale, gen, s.gen)
	case s.phase == PhaseCollecting:
		return Wire{}, ErrNothingPending
	case s.Retryable():
		return Wire{}, ErrRetained
	case s.phase != PhasePending:
		return Wire{}, ErrAlreadyClaimed
	case runID == "" || runID == s.runID || slices.Contains(s.late, runID):
		return Wire{}, fmt.Errorf("%w: run id %q is not new", ErrBadDecision, runID)
	case !json.Valid(resume):
		return Wire{}, fmt.Errorf("%w: it is not JSON", ErrBadDecision)
	}
	wire, err := s.wire(resume)
	if err != nil {
		return Wire{}, err
	}
	if err := s.checkExpiry(wire, now); err != nil {
		return Wire{}, err
	}
	a := Attempt{RunID: runID, Generation: gen, Resume: resume, Wire: wire, declines: declines(resume, wire)}.clone()
	s.attempt = &a
	s.enter(PhaseClaimed)
	return wire, nil
}

// Dispatched notes that the request of the claimed decision was handed to the
// network. It reports a change.
func (s *Session) Dispatched(runID string) bool {
	if s.attempt != nil && runID == s.attempt.RunID && s.phase == PhaseClaimed {
		return s.enter(PhaseResuming)
	}
	return false
}

// Release undoes a claim whose request was called off before it left. The
// pause can be decided afresh. It reports a change.
func (s *Session) Release(runID string) bool {
	if s.attempt != nil && runID == s.attempt.RunID && s.phase == PhaseClaimed {
		if s.attempt.again { // what it repeats may have arrived
			return s.enter(s.attempt.from)
		}
		s.attempt = nil
		return s.enter(PhasePending)
	}
	return false
}

// Retry claims the retained decision again, unchanged, when it is known that it
// never left. Its request must be the same to the byte, run id included.
func (s *Session) Retry(gen int, now time.Time) (Attempt, error) {
	switch {
	case s.phase == PhaseNone || s.phase == PhaseCollecting:
		return Attempt{}, ErrNothingPending
	case gen != s.gen:
		return Attempt{}, fmt.Errorf("%w: of pause %d, not %d", ErrStale, gen, s.gen)
	case s.phase != PhasePending:
		return Attempt{}, ErrAlreadyClaimed
	case s.attempt == nil:
		return Attempt{}, fmt.Errorf("%w: no decision was taken", ErrBadDecision)
	}
	if err := s.checkExpiry(s.attempt.Wire, now); err != nil {
		return Attempt{}, err
	}
	s.enter(PhaseClaimed)
	return s.attempt.clone(), nil
}

// checkExpiry refuses answers after their time. An interrupt that is cancelled
// rather than answered may be late (protocol section 3.4, rule 7).
func (s *Session) checkExpiry(w Wire, now time.Time) error {
	cancelled := make(map[string]bool, len(w.Resume))
	for _, e := range w.Resume {
		if e.Status == agui.ResumeCancelled {
			cancelled[e.InterruptID] = true
		}
	}
	for _, it := range s.native {
		if expired(it.ExpiresAt, now) && !cancelled[it.ID] {
			return fmt.Errorf("%w: interrupt %q", ErrExpired, it.ID)
		}
	}
	return nil
}

// expired reports whether an expiry is past at now. An expiry nobody can read
// counts as past; none at all never is.
func expired(at string, now time.Time) bool {
	if at == "" {
		return false
	}
	t, err := time.Parse(time.RFC3339, at)
	return err != nil || !t.After(now)
}

// declines reports whether a decision says no to everything that was asked: each entry
// is cancelled or answered by a no, and so is the value of a command.
func declines(resume json.RawMessage, w Wire) bool {
	if w.Resume == nil {
		return saysNo(resume)
	}
	for _, e := range w.Resume {
		if e.Status != agui.ResumeCancelled && !saysNo(e.Payload) {
			return false
		}
	}
	return true
}

// saysNo reports whether an answer is false, or an object whose member approved is.
func saysNo(answer json.RawMessage) bool {
	if string(bytes.TrimSpace(answer)) == "false" {
		return true
	}
	var members map[string]json.RawMessage // names are exact
	return json.Unmarshal(answer, &members) == nil && string(members["approved"]) == "false"
}
