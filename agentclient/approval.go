package agentclient

import (
	"slices"

	"cairn/agentclient/interrupt"
)

// Approval is one question the agent paused for; it is an entry of the
// conversation and stays there after the decision.
type Approval struct {
	Key        int // its entry
	Generation int
	// PausedRun is the run that asked.
	PausedRun string
	// Pending is what was asked, kept after it was answered.
	Pending []interrupt.Pending
	// Phase is the session's phase while the question is open, PhaseNone after.
	Phase interrupt.Phase
	// Left is the phase in which the person went on without knowing what came of
	// the decision, empty when they did not.
	Left interrupt.Phase
	// Refused is why nobody can answer what the agent asked, nil when it can be answered.
	// On an approval with a decision it is about what the run of that decision asked.
	Refused error
	// Decision is nil until the person decided.
	Decision *Decision

	calls []string // the calls it is about, also those that Pending does not list
}

// Approvals are all questions of the thread, oldest first.
func (s *Session) Approvals() []*Approval { return s.approvals }

// Open is the question that is not settled yet, nil when there is none.
func (s *Session) Open() *Approval {
	if n := len(s.approvals); n > 0 && s.approvals[n-1].Phase != interrupt.PhaseNone {
		return s.approvals[n-1]
	}
	return nil
}

// syncApprovals brings the approvals in line with the session after it changed.
func (s *Session) syncApprovals(runID string) {
	phase, gen := s.Interrupts.Phase(), s.Interrupts.Generation()
	for _, a := range s.approvals {
		want := interrupt.PhaseNone
		if a.Generation == gen {
			want = phase
		}
		if a.Phase != want || (a.Generation == gen && a.Decision == nil) {
			if a.Phase != want && want == interrupt.PhaseNone {
				s.tell(Effect{Kind: EffectSettled, Approval: a})
			}
			a.Phase = want
			if a.Generation == gen && a.Decision == nil && phase != interrupt.PhaseNone {
				a.Pending = s.aboutCalls(s.Interrupts.Pending())
				a.Decision = s.inherited()
				s.takeOver(a)
			}
			s.touch(a.Key)
		}
	}
	known := len(s.approvals) > 0 && s.approvals[len(s.approvals)-1].Generation >= gen
	if phase == interrupt.PhaseNone || known {
		return
	}
	s.addApproval(&Approval{Generation: gen, PausedRun: runID, Pending: s.aboutCalls(s.Interrupts.Pending()), Phase: phase})
}

func (s *Session) addApproval(a *Approval) {
	s.approvals = append(s.approvals, a)
	a.Key = s.mark(a)
	s.tell(Effect{Kind: EffectAsked, Approval: a})
	s.takeOver(a)
}

// syncRefused notes on its approval that nobody can answer what a run asked. There is an
// approval already when a notice came before, or when the run carried a decision.
func (s *Session) syncRefused(runID string) {
	no := s.Interrupts.Refused()
	if no == nil || no.RunID != runID {
		return
	}
	i := slices.IndexFunc(s.approvals, func(a *Approval) bool { return a.Generation == no.Generation })
	if i < 0 {
		s.addApproval(&Approval{Generation: no.Generation, PausedRun: runID, Pending: s.aboutCalls(no.Pending), Phase: interrupt.PhaseNone, Refused: no.Err, calls: no.Calls})
		return
	}
	a := s.approvals[i]
	if a.Decision == nil {
		a.Pending = s.aboutCalls(no.Pending)
	}
	a.Refused, a.calls = no.Err, no.Calls
	s.touch(a.Key)
	s.takeOver(a)
}

// refused reports whether the run asked what nobody can answer.
func (s *Session) refused(runID string) bool {
	no := s.Interrupts.Refused()
	return no != nil && no.RunID == runID
}

// maxLookedBack bounds how many entries are searched for the call that a request is
// about, and maxAbout the requests whose calls are searched for.
const (
	maxLookedBack = 2000
	maxAbout      = 100
)

// aboutCalls is what is asked, with the calls it is about. A question that names its tool
// but not the call (measured) is about the latest call of that tool without a
// result; of several such questions the last is about the last call, and so on backwards.
func (s *Session) aboutCalls(pending []interrupt.Pending) []interrupt.Pending {
	all := slices.Clone(pending)
	taken := map[string]bool{}
	for _, p := range all {
		taken[p.ToolCallID] = true
	}
	entries, left := s.Conversation.Entries(), maxAbout
	entries = entries[max(0, len(entries)-maxLookedBack):]
	for i, p := range slices.Backward(all) {
		if p.ToolCallID != "" || p.ToolName == "" {
			continue
		}
		if left--; left < 0 {
			break
		}
		for _, e := range slices.Backward(entries) {
			if c := e.ToolCall; c != nil && c.Name == p.ToolName && !c.HasResult && !taken[c.ID] {
				all[i].ToolCallID, taken[c.ID] = c.ID, true
				break
			}
		}
	}
	return all
}

// takeOver reports the entries of the calls that the approval stands for. All that the
// pause names are known once it is whole.
func (s *Session) takeOver(a *Approval) {
	s.asked = nil
	if a.Phase == interrupt.PhasePending {
		a.calls = s.Interrupts.Calls()
	}
	nested := false
	touch := func(callID string) {
		if key := s.Conversation.CallKey(callID); key != 0 {
			s.touch(key)
			nested = nested || s.Conversation.Entry(key).Nested()
		}
	}
	for _, p := range a.Pending {
		touch(p.ToolCallID)
	}
	for _, id := range a.calls {
		touch(id)
	}
	if !nested {
		return
	}
	entries := s.Conversation.Entries() // a subagent's call is drawn by the subagent
	for _, e := range entries[max(0, len(entries)-maxLookedBack):] {
		if e.Subagent != nil {
			s.touch(e.Key)
		}
	}
}
