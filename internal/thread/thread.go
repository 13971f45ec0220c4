// Package thread folds the rows of a thread's log into what the thread is now:
// the conversation, the open question, the run. It does no I/O and reads no
// clock, so any process that has the rows comes to the same answer; the runner
// decides from it and the view draws it.
package thread

import (
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"cairn/agentclient/conversation"
	"cairn/agentclient/interrupt"
	"cairn/agui"
	"cairn/internal/threadlog"
)

// Thread is a thread as of row Seq. It is not safe for concurrent use.
type Thread struct {
	Conversation *conversation.Conversation
	Interrupts   *interrupt.Session
	// Seq is the sequence number of the last row folded.
	Seq int64
	// Messages counts the user's messages.
	Messages int
	// Bytes is how much data the rows hold.
	Bytes int
	// Skipped are the rows that could not be folded, for the operator.
	Skipped []error
	// Run is the last run, zero before the first.
	Run Run

	events    agui.Decoder
	users     map[string]string // message id -> text
	over      bool              // the run that goes on has said its last
	skip      map[string]bool   // runs that were repeated; their messages are not sent
	replaced  map[string]bool   // of those, the ones that are not shown either
	approvals []*Approval
	asked     map[string]asked // approvals by the calls that they are about, nil when stale
	before    json.RawMessage  // the shared state when the last run began
	changes   Changes
}

// Run is one request to the agent.
type Run struct {
	ID        string
	Open      bool
	StartedAt time.Time
	// Decision is true when the run carried an answer to an interrupt.
	Decision bool
	// Replaces is the run whose answer this one's takes the place of, empty when none.
	Replaces string
	// Failure is set when the run ended badly.
	Failure *Failure
}

// Failure is a run that ended badly; it is an entry of the conversation.
type Failure struct {
	Key   int   // its entry
	Seq   int64 // the row that recorded it: names this failure among others
	RunID string
	End   EndData
	// Decision and ToolRan say what the run may have done: carried a decision, called a
	// tool, whether its result is here or not. MaybeDone is true when the decision may
	// have reached the agent, in this run or before.
	Decision, ToolRan, MaybeDone bool
	// Latest is true while nothing was started after it.
	Latest bool
}

// Retryable reports that the run can be repeated without any effect happening
// twice: it carried no decision and called no tool.
func (f *Failure) Retryable() bool { return !f.Decision && !f.ToolRan }

// Changes says what rows changed. Keys are entries of the conversation.
type Changes struct {
	Keys                  []int
	State, Run, Structure bool
}

// New makes an empty thread whose interrupts are answered over the transport.
func New(t interrupt.Transport, p interrupt.Profile) *Thread {
	return &Thread{
		Conversation: conversation.New(),
		Interrupts:   interrupt.New(t, p),
		users:        map[string]string{},
		skip:         map[string]bool{},
		replaced:     map[string]bool{},
		events:       agui.Decoder{Owns: true}, // rows never change
	}
}

// UserText gives the text of a user message and whether the id is taken.
func (t *Thread) UserText(id string) (string, bool) {
	text, ok := t.users[id]
	return text, ok
}

// Blocked reports that a question waits for its answer at now, so a plain message
// is refused. One that was answered with the answer lost or not delivered, and one
// that cannot be answered, blocks nothing: the person may go on and leave it.
func (t *Thread) Blocked(now time.Time) bool {
	switch t.Interrupts.Phase() {
	case interrupt.PhaseNone, interrupt.PhaseUncertain, interrupt.PhaseRecoveryRequired:
		return false
	case interrupt.PhasePending:
		return waits(t.Interrupts, now)
	}
	return true
}

// Apply folds the next row. Rows come in order; a gap or a row that cannot be
// read is an error and changes nothing. The result is valid until the next call.
func (t *Thread) Apply(row threadlog.Row) (Changes, error) {
	if row.Seq != t.Seq+1 {
		return Changes{}, fmt.Errorf("row %d after row %d", row.Seq, t.Seq)
	}
	t.changes = Changes{Keys: t.changes.Keys[:0]}
	var err error
	switch row.Kind {
	case threadlog.KindUser:
		err = t.applyUser(row)
	case threadlog.KindRun:
		err = t.applyRun(row)
	case threadlog.KindEvent:
		t.applyEvent(row)
	case threadlog.KindClaim:
		err = t.applyClaim(row)
	case threadlog.KindEnd:
		err = t.applyEnd(row)
	default:
		err = fmt.Errorf("unknown kind %q", row.Kind)
	}
	if err != nil {
		return Changes{}, fmt.Errorf("row %d: %w", row.Seq, err)
	}
	t.Seq = row.Seq
	t.Bytes += len(row.Data)
	return t.changes, nil
}

func (t *Thread) applyUser(row threadlog.Row) error {
	var d UserData
	if err := json.Unmarshal(row.Data, &d); err != nil {
		return err
	}
	if a := t.Open(); a != nil {
		phase := a.Phase
		if t.Interrupts.Abandon() {
			a.Left = phase
			t.syncApprovals(row.RunID)
			t.takeOver(a)
		}
	} else if n := len(t.approvals); n > 0 && t.approvals[n-1].Refused != nil && t.approvals[n-1].Left == "" {
		t.approvals[n-1].Left = interrupt.PhasePending
		t.touch(t.approvals[n-1].Key)
	}
	t.users[d.ID] = d.Text
	t.Messages++
	t.add(t.Conversation.AddMessage(agui.Message{ID: d.ID, Role: agui.RoleUser, Content: agui.TextContent(d.Text)}))
	return nil
}

func (t *Thread) applyRun(row threadlog.Row) error {
	var d RunData
	if err := json.Unmarshal(row.Data, &d); err != nil {
		return err
	}
	if f := t.Run.Failure; f != nil && f.Latest {
		f.Latest = false
		t.touch(f.Key)
	}
	if d.Replaces != "" {
		t.replace(d.Replaces)
	}
	t.before = t.Conversation.Committed()
	t.Run = Run{ID: row.RunID, Open: true, StartedAt: row.At, Decision: d.Reason == ReasonDecision, Replaces: d.Replaces}
	if d.Skip != "" {
		t.skip[d.Skip] = true
	}
	t.over = false
	t.changes.Run = true
	t.add(t.Conversation.BeginRun(row.RunID))
	return nil
}

func (t *Thread) applyEvent(row threadlog.Row) {
	ev, err := t.events.Decode(row.Data)
	if err != nil {
		return // the client has reported it; the row stays for whoever reads the wire
	}
	if t.over {
		return // what follows the end of a run changes nothing
	}
	switch ev.(type) {
	case *agui.RunFinished, *agui.RunError:
		t.over = true
	}
	t.noteResults(row.RunID, ev)
	if t.Interrupts.Observe(ev, row.RunID) {
		t.syncApprovals(row.RunID)
		t.syncRefused(row.RunID)
	}
	t.add(t.Conversation.Apply(ev))
}

func (t *Thread) applyEnd(row threadlog.Row) error {
	var d EndData
	if err := json.Unmarshal(row.Data, &d); err != nil {
		return err
	}
	switch d.How {
	case EndClean:
	case EndStopped:
		t.add(t.Conversation.EndRun(conversation.EndStopped))
	case EndTruncated:
		t.add(t.Conversation.EndRun(conversation.EndTruncated))
	default:
		t.add(t.Conversation.EndRun(conversation.EndFailed))
	}
	finished := d.How == EndClean && t.Conversation.Run().Status != conversation.RunFailed && !t.refused(row.RunID)
	t.settleApproval(row.RunID, finished, d.How != EndNotSent)
	if t.Interrupts.RunEnded(row.RunID, d.How.ended()) {
		t.syncApprovals(row.RunID)
	}
	t.Run.Open = false
	t.changes.Run = true
	if d.How == EndClean && t.Conversation.Run().Status == conversation.RunFailed && !t.refused(row.RunID) {
		run := t.Conversation.Run()
		d = EndData{How: EndAgentError, Code: run.Error.Code, Detail: run.Error.Message}
	}
	t.settleReplaced(d)
	if d.How != EndClean && d.How != EndStopped {
		t.Run.Failure = &Failure{
			Seq: row.Seq, RunID: row.RunID, End: d, Decision: t.Run.Decision, MaybeDone: t.decisionLeft(row.RunID),
			ToolRan: toolRan(t.Conversation.Entries(), row.RunID), Latest: true,
		}
		t.Run.Failure.Key = t.mark(t.Run.Failure)
	}
	return nil
}

// toolRan reports that a tool of the run was called: what it did is not known where the
// run broke off before its result.
func toolRan(entries []*conversation.Entry, runID string) bool {
	return slices.ContainsFunc(entries, func(e *conversation.Entry) bool {
		switch {
		case e.Subagent != nil:
			return toolRan(e.Subagent.Entries, runID)
		case e.ToolCall != nil:
			return e.RunID == runID
		}
		return false
	})
}

// add merges the conversation's changes, which are valid only until its next call.
func (t *Thread) add(c conversation.Changes) {
	t.changes.Keys = append(t.changes.Keys, c.Keys...)
	t.changes.State = t.changes.State || c.State
	t.changes.Run = t.changes.Run || c.Run
	t.changes.Structure = t.changes.Structure || c.Structure
}

func (t *Thread) touch(key int) { t.changes.Keys = append(t.changes.Keys, key) }

// mark appends an entry of the thread's own to the conversation.
func (t *Thread) mark(m any) (key int) {
	c := t.Conversation.Mark(m)
	key = c.Keys[0]
	t.add(c)
	return key
}
