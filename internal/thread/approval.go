package thread

import (
	"encoding/json"
	"fmt"
	"slices"

	"cairn/agentclient/conversation"
	"cairn/agentclient/interrupt"
	"cairn/agui"
	"cairn/internal/threadlog"
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
	// show what came of a decision there alone (measured: LangGraph). Before is the
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

// Approved reports that every request was approved.
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
func (t *Thread) Approvals() []*Approval { return t.approvals }

// Open is the question that is not settled yet, nil when there is none.
func (t *Thread) Open() *Approval {
	if n := len(t.approvals); n > 0 && t.approvals[n-1].Phase != interrupt.PhaseNone {
		return t.approvals[n-1]
	}
	return nil
}

// Asked reports whether an approval is about the call, so that its result is shown there.
// A call that the pause names and the approval does not list has no result there.
func (t *Thread) Asked(toolCallID string) bool {
	in := t.askedIn(toolCallID)
	if in.approval == nil || in.listed {
		return in.listed
	}
	e := t.Conversation.Entry(t.Conversation.CallKey(toolCallID))
	return e != nil && e.ToolCall != nil && !e.ToolCall.HasResult
}

// Unanswered reports whether the call waits for an answer that will not come: nobody can
// give it, or the user went on without.
func (t *Thread) Unanswered(toolCallID string) bool {
	a := t.askedIn(toolCallID).approval
	return a != nil && (a.Refused != nil || a.Left != "")
}

// asked is the last approval that is about a call, and whether it lists the call.
type asked struct {
	approval *Approval
	listed   bool
}

func (t *Thread) askedIn(toolCallID string) asked {
	if t.asked == nil {
		t.asked = map[string]asked{}
		for _, a := range t.approvals {
			for _, id := range a.calls {
				t.asked[id] = asked{a, false}
			}
			for _, p := range a.Pending {
				t.asked[p.ToolCallID] = asked{a, true}
			}
		}
		delete(t.asked, "")
	}
	return t.asked[toolCallID]
}

// syncApprovals brings the approvals in line with the session after it changed.
func (t *Thread) syncApprovals(runID string) {
	phase, gen := t.Interrupts.Phase(), t.Interrupts.Generation()
	for _, a := range t.approvals {
		want := interrupt.PhaseNone
		if a.Generation == gen {
			want = phase
		}
		if a.Phase != want || (a.Generation == gen && a.Decision == nil) {
			a.Phase = want
			if a.Generation == gen && a.Decision == nil && phase != interrupt.PhaseNone {
				a.Pending = t.aboutCalls(t.Interrupts.Pending())
				a.Decision = t.inherited()
				t.takeOver(a)
			}
			t.touch(a.Key)
		}
	}
	known := len(t.approvals) > 0 && t.approvals[len(t.approvals)-1].Generation >= gen
	if phase == interrupt.PhaseNone || known {
		return
	}
	t.addApproval(&Approval{Generation: gen, PausedRun: runID, Pending: t.aboutCalls(t.Interrupts.Pending()), Phase: phase})
}

func (t *Thread) addApproval(a *Approval) {
	t.approvals = append(t.approvals, a)
	a.Key = t.mark(a)
	t.takeOver(a)
}

// syncRefused notes on its approval that nobody can answer what a run asked. There is an
// approval already when a notice came before, or when the run carried a decision.
func (t *Thread) syncRefused(runID string) {
	no := t.Interrupts.Refused()
	if no == nil || no.RunID != runID {
		return
	}
	i := slices.IndexFunc(t.approvals, func(a *Approval) bool { return a.Generation == no.Generation })
	if i < 0 {
		t.addApproval(&Approval{Generation: no.Generation, PausedRun: runID, Pending: t.aboutCalls(no.Pending), Phase: interrupt.PhaseNone, Refused: no.Err, calls: no.Calls})
		return
	}
	a := t.approvals[i]
	if a.Decision == nil {
		a.Pending = t.aboutCalls(no.Pending)
	}
	a.Refused, a.calls = no.Err, no.Calls
	t.touch(a.Key)
	t.takeOver(a)
}

// refused reports whether the run asked what nobody can answer.
func (t *Thread) refused(runID string) bool {
	no := t.Interrupts.Refused()
	return no != nil && no.RunID == runID
}

// maxLookedBack bounds how many entries are searched for the call that a request is
// about, and maxAbout the requests whose calls are searched for.
const (
	maxLookedBack = 2000
	maxAbout      = 100
)

// aboutCalls is what is asked, with the calls it is about. A question that names its tool
// but not the call (measured: Strands) is about the latest call of that tool without a
// result; of several such questions the last is about the last call, and so on backwards.
func (t *Thread) aboutCalls(pending []interrupt.Pending) []interrupt.Pending {
	all := slices.Clone(pending)
	taken := map[string]bool{}
	for _, p := range all {
		taken[p.ToolCallID] = true
	}
	entries, left := t.Conversation.Entries(), maxAbout
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
func (t *Thread) takeOver(a *Approval) {
	t.asked = nil
	if a.Phase == interrupt.PhasePending {
		a.calls = t.Interrupts.Calls()
	}
	nested := false
	touch := func(callID string) {
		if key := t.Conversation.CallKey(callID); key != 0 {
			t.touch(key)
			nested = nested || t.Conversation.Entry(key).Nested()
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
	entries := t.Conversation.Entries() // a subagent's call is drawn by the subagent
	for _, e := range entries[max(0, len(entries)-maxLookedBack):] {
		if e.Subagent != nil {
			t.touch(e.Key)
		}
	}
}

func (t *Thread) applyClaim(row threadlog.Row) error {
	var d ClaimData
	if err := json.Unmarshal(row.Data, &d); err != nil {
		return err
	}
	a := t.Open()
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
	var wire interrupt.Wire
	var err error
	switch {
	case d.Again && t.Interrupts.Retryable(): // the request is known not to have left
		var at interrupt.Attempt
		at, err = t.Interrupts.Retry(d.Generation, row.At)
		wire = at.Wire
	case d.Again:
		wire, err = t.Interrupts.Resend(row.RunID)
	default:
		wire, err = t.Interrupts.Claim(d.Generation, row.RunID, d.Resume, row.At)
	}
	if err != nil {
		return err
	}
	now := &Decision{Generation: of, Each: each, RunID: row.RunID, Wire: wire, Results: make([][]string, len(each)), Before: t.Conversation.State()}
	if was := a.Decision; was != nil { // what was sent before may have done it
		now.Sent, now.Before, now.had = was.Sent, was.Before, was.had
	} else {
		now.had = t.had(a.Pending)
	}
	a.Decision = now
	t.syncApprovals(row.RunID)
	t.touch(a.Key)
	return nil
}

// noteResults keeps what a tool gave on the approval it answers. A result that only
// a snapshot of the messages has counts too (measured: the Agent Framework, when
// declined).
func (t *Thread) noteResults(runID string, ev agui.Event) {
	if !slices.ContainsFunc(t.approvals, func(a *Approval) bool { return a.Decision != nil && a.Decision.RunID == runID }) {
		return // nearly every run; a snapshot's messages are then not read twice
	}
	switch e := ev.(type) {
	case *agui.ToolCallResult:
		t.noteResult(runID, e.ToolCallID, e.Content.Text(), false)
	case *agui.MessagesSnapshot:
		for _, m := range e.Messages {
			if m.Role == agui.RoleTool {
				t.noteResult(runID, m.ToolCallID, m.Content.Text(), true)
			}
		}
	}
}

// had are the results that the calls have now, "" for none.
func (t *Thread) had(pending []interrupt.Pending) []string {
	all := make([]string, len(pending))
	for i, p := range pending {
		if e := t.Conversation.Entry(t.Conversation.CallKey(p.ToolCallID)); e != nil && e.ToolCall != nil && e.ToolCall.HasResult {
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

func (t *Thread) noteResult(runID, toolCallID, text string, retold bool) {
	for _, a := range t.approvals {
		d := a.Decision
		if d == nil || d.RunID != runID || d.Generation != a.Generation || toolCallID == "" {
			continue
		}
		about := func(p interrupt.Pending) bool { return p.ToolCallID == toolCallID }
		i := slices.IndexFunc(a.Pending, about)
		if i < 0 || slices.ContainsFunc(a.Pending[i+1:], about) {
			continue // what one call gave does not say which of several requests it shows
		}
		if len(text) > maxResult || len(d.Results[i]) == maxResults {
			continue // no evidence that a page could show
		}
		if result := decodeOnce(text); !(retold && result == d.had[i]) && !slices.Contains(d.Results[i], result) {
			d.Results[i] = append(d.Results[i], result)
			t.touch(a.Key)
		}
	}
}

func (t *Thread) settleApproval(runID string, finished, sent bool) {
	for _, a := range t.approvals {
		if d := a.Decision; d != nil && d.RunID == runID {
			d.Cancelled = finished && t.Conversation.Run().Status == conversation.RunCancelled
			d.Finished, d.Sent, d.State = finished && !d.Cancelled, d.Sent || sent, t.Conversation.State()
			t.touch(a.Key)
		}
	}
}

// decisionLeft reports that the decision a run carried may have reached the agent.
func (t *Thread) decisionLeft(runID string) bool {
	return slices.ContainsFunc(t.approvals, func(a *Approval) bool {
		return a.Decision != nil && a.Decision.RunID == runID && a.Decision.Sent
	})
}

// inherited is the decision whose own run paused again and then broke off: the
// session then holds that decision, not an answer to the newer question.
func (t *Thread) inherited() *Decision {
	at, ok := t.Interrupts.Attempt()
	if !ok {
		return nil
	}
	for _, a := range t.approvals {
		if a.Decision != nil && a.Decision.RunID == at.RunID {
			a.Left = interrupt.PhaseRecoveryRequired
			t.touch(a.Key)
			return a.Decision
		}
	}
	return nil
}

// decodeOnce removes exactly one JSON layer from a result that is a JSON string
// (measured: Mastra encodes a string result once more); anything else is as it is.
func decodeOnce(s string) string {
	var inner string
	if len(s) > 1 && s[0] == '"' && json.Unmarshal([]byte(s), &inner) == nil {
		return inner
	}
	return s
}
