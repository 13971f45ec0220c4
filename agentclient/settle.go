package agentclient

import (
	"encoding/json"
	"fmt"
	"slices"

	"cairn/agentclient/conversation"
	"cairn/agentclient/interrupt"
	"cairn/agui"
)

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
