package agentclient

import (
	"encoding/json"
	"fmt"
	"slices"

	"cairn/agentclient/conversation"
	"cairn/agentclient/interrupt"
	"cairn/agui"
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

// Decision is the person's answer and what came of it.
type Decision struct {
	// Generation is that of the question it was given to. An approval may hold the
	// decision on the one before it; see [Approval.Own].
	Generation int
	// Each is the verdict on each of what was pending, in its order.
	Each []Verdict
	// RunID is the run that carried it.
	RunID string
	// Wire is what was sent, for an explicit repeat.
	Wire interrupt.Wire
	// Results are, for each of what was pending, the results in the run of the call
	// that it asked about, in order, as text with one JSON layer removed.
	Results [][]string
	// State is the shared state when the run had ended, nil before. Some runtimes
	// show what came of a decision there alone (measured). Before is the
	// state when the decision was taken, which shows nothing of what came of it.
	Before, State json.RawMessage
	// had are the results that the calls had when the decision was taken: a runtime may
	// use an id again, and a snapshot tells all that ever was.
	had []string
	// Finished is true when the run ended normally, and Cancelled when its operator
	// stopped it.
	Finished, Cancelled bool
	// Sent is true once the decision may have reached the agent.
	Sent bool
}

// Approved reports whether every request was approved.
func (d *Decision) Approved() bool { return approved(d.Each) }

// Own is the decision that was given to this question, nil when there is none: one that
// it holds of the question before it says nothing of what this one asks.
func (a *Approval) Own() *Decision {
	if a.Decision == nil || a.Decision.Generation != a.Generation {
		return nil
	}
	return a.Decision
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

// Asked reports whether an approval is about the call, so that its result is shown there.
// A call that the pause names and the approval does not list has no result there.
func (s *Session) Asked(toolCallID string) bool {
	in := s.askedIn(toolCallID)
	if in.approval == nil || in.listed {
		return in.listed
	}
	e := s.Conversation.Entry(s.Conversation.CallKey(toolCallID))
	return e != nil && e.ToolCall != nil && !e.ToolCall.HasResult
}

// Unanswered reports whether the call waits for an answer that will not come: nobody can
// answer, or the user went on without.
func (s *Session) Unanswered(toolCallID string) bool {
	a := s.askedIn(toolCallID).approval
	return a != nil && (a.Refused != nil || a.Left != "")
}

// asked is the last approval that is about a call, and whether it lists the call.
type asked struct {
	approval *Approval
	listed   bool
}

func (s *Session) askedIn(toolCallID string) asked {
	if s.asked == nil {
		s.asked = map[string]asked{}
		for _, a := range s.approvals {
			for _, id := range a.calls {
				s.asked[id] = asked{a, false}
			}
			for _, p := range a.Pending {
				s.asked[p.ToolCallID] = asked{a, true}
			}
		}
		delete(s.asked, "")
	}
	return s.asked[toolCallID]
}

// rename keeps approvals at the calls that they were about.
func (s *Session) rename(r conversation.Renamed) {
	s.asked = nil
	for _, a := range s.approvals {
		for i := range a.Pending {
			if a.Pending[i].ToolCallID == r.From {
				a.Pending[i].ToolCallID = r.To
				s.touch(a.Key)
			}
		}
		for i, id := range a.calls {
			if id == r.From {
				a.calls[i] = r.To
			}
		}
	}
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

func (s *Session) foldClaim(r Record) error {
	var d ClaimData
	if err := json.Unmarshal(r.Data, &d); err != nil {
		return err
	}
	a := s.Open()
	if a == nil || a.Generation != d.Generation {
		return fmt.Errorf("claim of generation %d, which is not open", d.Generation)
	}
	each, of := d.Each, d.Generation
	switch {
	case d.Again && a.Decision != nil:
		each, of = a.Decision.Each, a.Decision.Generation
	case each == nil:
		each = Alike(len(a.Pending), d.Approved)
	case len(each) != len(a.Pending):
		return fmt.Errorf("%w: %d verdicts on %d requests", interrupt.ErrBadDecision, len(each), len(a.Pending))
	}
	wire, err := claimed(s.Interrupts, r, d)
	if err != nil {
		return err
	}
	now := &Decision{Generation: of, Each: each, RunID: r.RunID, Wire: wire, Results: make([][]string, len(each)), Before: s.Conversation.State()}
	if was := a.Decision; was != nil { // what was sent before may have done it
		now.Sent, now.Before, now.had = was.Sent, was.Before, was.had
	} else {
		now.had = s.had(a.Pending)
	}
	a.Decision = now
	s.syncApprovals(r.RunID)
	s.touch(a.Key)
	return nil
}

// claimed takes the decision of a claim on the open pause and returns what is sent.
func claimed(pause *interrupt.Session, r Record, d ClaimData) (interrupt.Wire, error) {
	switch {
	case d.Again && pause.Retryable(): // the request is known not to have left
		at, err := pause.Retry(d.Generation, r.At)
		return at.Wire, err
	case d.Again:
		return pause.Resend(r.RunID)
	}
	return pause.Claim(d.Generation, r.RunID, d.Resume, r.At)
}

// noteResults keeps a tool's result on the approval it answers. A result that only
// a snapshot of the messages has counts too (measured).
func (s *Session) noteResults(runID string, ev agui.Event) {
	if !slices.ContainsFunc(s.approvals, func(a *Approval) bool { return a.Decision != nil && a.Decision.RunID == runID }) {
		return // nearly every run; a snapshot's messages are then not read twice
	}
	switch e := ev.(type) {
	case *agui.ToolCallResult:
		s.noteResult(runID, e.ToolCallID, e.Content.Text(), false)
	case *agui.MessagesSnapshot:
		for _, m := range e.Messages {
			if m.Role == agui.RoleTool {
				s.noteResult(runID, m.ToolCallID, m.Content.Text(), true)
			}
		}
	}
}

// had are the results that the calls have now, "" for none.
func (s *Session) had(pending []interrupt.Pending) []string {
	all := make([]string, len(pending))
	for i, p := range pending {
		if e := s.Conversation.Entry(s.Conversation.CallKey(p.ToolCallID)); e != nil && e.ToolCall != nil && e.ToolCall.HasResult {
			all[i] = decodeOnce(e.ToolCall.Result)
		}
	}
	return all
}

// maxResult bounds a result that is kept as evidence, in bytes, and maxResults how many
// are kept for one request.
const (
	maxResult  = 256 << 10
	maxResults = 16
)

func (s *Session) noteResult(runID, toolCallID, text string, retold bool) {
	for _, a := range s.approvals {
		d := a.Decision
		if d == nil || d.RunID != runID || d.Generation != a.Generation || toolCallID == "" {
			continue
		}
		about := func(p interrupt.Pending) bool { return p.ToolCallID == toolCallID }
		i := slices.IndexFunc(a.Pending, about)
		if i < 0 || slices.ContainsFunc(a.Pending[i+1:], about) {
			continue // the result of one call does not say which of several requests it shows
		}
		if len(text) > maxResult || len(d.Results[i]) == maxResults {
			continue // no evidence that a page could show
		}
		if result := decodeOnce(text); !(retold && result == d.had[i]) && !slices.Contains(d.Results[i], result) {
			d.Results[i] = append(d.Results[i], result)
			s.touch(a.Key)
		}
	}
}

func (s *Session) settleApproval(runID string, finished, sent bool) {
	for _, a := range s.approvals {
		if d := a.Decision; d != nil && d.RunID == runID {
			d.Cancelled = finished && s.Conversation.Run().Status == conversation.RunCancelled
			d.Finished, d.Sent, d.State = finished && !d.Cancelled, d.Sent || sent, s.Conversation.State()
			s.touch(a.Key)
		}
	}
}

// decisionLeft reports whether the decision a run carried may have reached the agent.
func (s *Session) decisionLeft(runID string) bool {
	return slices.ContainsFunc(s.approvals, func(a *Approval) bool {
		return a.Decision != nil && a.Decision.RunID == runID && a.Decision.Sent
	})
}

// inherited is the decision whose own run paused again and then broke off: the
// session then holds that decision, not an answer to the newer question.
func (s *Session) inherited() *Decision {
	at, ok := s.Interrupts.Attempt()
	if !ok {
		return nil
	}
	for _, a := range s.approvals {
		if a.Decision != nil && a.Decision.RunID == at.RunID {
			a.Left = interrupt.PhaseRecoveryRequired
			s.touch(a.Key)
			return a.Decision
		}
	}
	return nil
}

// decodeOnce removes exactly one JSON layer from a result that is a JSON string
// (measured); anything else is as it is.
func decodeOnce(s string) string {
	var inner string
	if len(s) > 1 && s[0] == '"' && json.Unmarshal([]byte(s), &inner) == nil {
		return inner
	}
	return s
}
