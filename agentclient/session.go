package agentclient

import (
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"cairn/agentclient/conversation"
	"cairn/agentclient/interrupt"
	"cairn/agui"
)

// Session is one thread: the conversation, the open question, the run. A program feeds
// it what happens and asks it what to show, to store and to send.
//
// What happens are records: [Session.Send], [Session.Decide], [Session.Retry] and
// [Session.Regenerate] check what a person asks for and return the records to store,
// [Session.Begin] folds them and returns what to send, [Session.Apply] folds the events
// of the answer, and [Session.End] how the run ended. [Session.Fold] does the same for
// records that were stored before.
//
// It does no I/O and reads no clock: the same records make the same session. It
// is not safe for concurrent use.
type Session struct {
	// Conversation is what to show, to read only.
	Conversation *conversation.Conversation
	// Interrupts is what the agent paused for, to read only.
	Interrupts *interrupt.Session
	// Messages counts the user's messages.
	Messages int
	// Records counts the records, Skipped those of them that did not fold, and Bytes
	// what the others hold.
	Records int64
	Skipped int
	Bytes   int
	// Run is the last run, zero before the first.
	Run Run

	threadID  string
	events    agui.Decoder
	users     map[string]string // message id -> text
	over      bool              // the last run has ended
	terminal  bool              // its terminal event is here
	skip      map[string]bool   // runs that were repeated; their messages are not sent
	replaced  map[string]bool   // of those, the ones that are not shown either
	approvals []*Approval
	asked     map[string]asked // approvals by the calls that they are about, nil when stale
	before    json.RawMessage  // the shared state when the last run began
	size      int
	effects   []Effect
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
	Key int // its entry
	// Record is the number of the record with it, counted from 1: it names this
	// failure among others.
	Record int64
	RunID  string
	End    EndData
	// Decision and ToolRan say what the run may have done: carried a decision, called a
	// tool, whether its result is here or not. MaybeDone is true when the decision may
	// have reached the agent, in this run or before.
	Decision, ToolRan, MaybeDone bool
	// Latest is true while nothing was started after it.
	Latest bool
}

// Retryable reports whether the run can be repeated without any effect happening
// twice: it carried no decision and called no tool.
func (f *Failure) Retryable() bool { return !f.Decision && !f.ToolRan }

// SessionConfig is what a session is about.
type SessionConfig struct {
	// ThreadID is the thread that requests name.
	ThreadID string
	// Transport is the way that decisions travel; empty is interrupt.TransportAuto.
	Transport interrupt.Transport
	// Profile is where the agent's requests say what they ask.
	Profile interrupt.Profile
}

// NewSession returns a thread in which nothing has happened.
func NewSession(c SessionConfig) *Session {
	orDefault(&c.Transport, interrupt.TransportAuto)
	return &Session{
		Conversation: conversation.New(),
		Interrupts:   interrupt.New(c.Transport, c.Profile),
		threadID:     c.ThreadID,
		users:        map[string]string{},
		skip:         map[string]bool{},
		replaced:     map[string]bool{},
		events:       agui.Decoder{Owns: true}, // records never change
	}
}

// ThreadID returns the thread that requests name.
func (s *Session) ThreadID() string { return s.threadID }

// userText returns the text of a user message and whether the id is taken.
func (s *Session) userText(id string) (string, bool) {
	text, ok := s.users[id]
	return text, ok
}

// Size returns about how many bytes the session takes in memory.
func (s *Session) Size() int { return s.size }

// Fold folds the next record. One that cannot be read or does not fit what came before
// is an error and changes nothing. The effects are valid until the next call.
func (s *Session) Fold(r Record) ([]Effect, error) {
	s.effects = s.effects[:0]
	var err error
	switch r.Kind {
	case RecordUser:
		err = s.foldUser(r)
	case RecordRun:
		err = s.foldRun(r)
	case RecordEvent:
		s.foldEvent(r)
	case RecordClaim:
		err = s.foldClaim(r)
	case RecordEnd:
		err = s.foldEnd(r)
	default:
		err = fmt.Errorf("unknown kind %q", r.Kind)
	}
	s.Records++
	if err != nil {
		s.Skipped++
		return nil, fmt.Errorf("record %d: %w", s.Records, err)
	}
	s.Bytes += len(r.Data)
	return s.effects, nil
}

// Apply folds an event of the open run. The effects are valid until the next call.
func (s *Session) Apply(ev agui.Event) []Effect {
	effects, _ := s.Fold(Record{Kind: RecordEvent, RunID: s.Run.ID, Event: ev}) // an event always folds
	return effects
}

func (s *Session) foldUser(r Record) error {
	var d UserData
	if err := json.Unmarshal(r.Data, &d); err != nil {
		return err
	}
	if a := s.Open(); a != nil {
		phase := a.Phase
		if s.Interrupts.Abandon() {
			a.Left = phase
			s.syncApprovals(r.RunID)
			s.takeOver(a)
		}
	} else if n := len(s.approvals); n > 0 && s.approvals[n-1].Refused != nil && s.approvals[n-1].Left == "" {
		s.approvals[n-1].Left = interrupt.PhasePending
		s.touch(s.approvals[n-1].Key)
	}
	s.users[d.ID] = d.Text
	s.Messages++
	s.size += 2 * len(d.Text)
	s.add(s.Conversation.AddMessage(agui.Message{ID: d.ID, Role: agui.RoleUser, Content: agui.TextContent(d.Text)}))
	return nil
}

func (s *Session) foldRun(r Record) error {
	var d RunData
	if err := json.Unmarshal(r.Data, &d); err != nil {
		return err
	}
	if f := s.Run.Failure; f != nil && f.Latest {
		f.Latest = false
		s.touch(f.Key)
	}
	if d.Replaces != "" {
		s.replace(d.Replaces)
	}
	s.before = s.Conversation.State()
	s.Run = Run{ID: r.RunID, Open: true, StartedAt: r.At, Decision: d.Reason == ReasonDecision, Replaces: d.Replaces}
	if d.Skip != "" {
		s.skip[d.Skip] = true
	}
	s.over, s.terminal = false, false
	s.tell(Effect{Kind: EffectRun})
	s.add(s.Conversation.BeginRun(r.RunID))
	return nil
}

func (s *Session) foldEvent(r Record) {
	ev := r.Event
	if ev == nil {
		var err error
		if ev, err = s.events.Decode(r.Data); err != nil {
			ev = agui.ReadMalformed(r.Data, err)
		}
	}
	if s.over {
		return // of a run that somebody else has closed
	}
	s.size += sizeOf(ev, len(r.Data))
	if !s.Conversation.Retells(ev) && s.counts(ev) {
		s.noteResults(r.RunID, ev)
		if s.Interrupts.Observe(ev, r.RunID) {
			s.syncApprovals(r.RunID)
			s.syncRefused(r.RunID)
		}
	}
	s.add(s.Conversation.Apply(ev))
}

// counts reports whether an event may ask or answer anything: after the terminal event of
// a run, only an error may, or another run.
func (s *Session) counts(ev agui.Event) bool {
	was := s.terminal
	switch ev.(type) {
	case *agui.RunStarted:
		s.terminal = false
		return true
	case *agui.RunError:
		s.terminal = true
		return true
	case *agui.RunFinished:
		s.terminal = true
	}
	return !was
}

func (s *Session) foldEnd(r Record) error {
	var d EndData
	if err := json.Unmarshal(r.Data, &d); err != nil {
		return err
	}
	if d.Outcome == OutcomeFinished && s.Conversation.Run().Status == conversation.RunRunning {
		d.Outcome = OutcomeTruncated // what ended was another run, told again
	}
	if d.Outcome != OutcomeFinished {
		s.add(s.Conversation.EndRun(d.Outcome.run()))
	}
	finished := d.Outcome == OutcomeFinished && s.Conversation.Run().Status != conversation.RunFailed && !s.refused(r.RunID)
	s.settleApproval(r.RunID, finished, d.Outcome != OutcomeNotSent)
	if s.Interrupts.RunEnded(r.RunID, d.Outcome.ended()) {
		s.syncApprovals(r.RunID)
	}
	s.Run.Open, s.over = false, true
	s.tell(Effect{Kind: EffectRun})
	if d.Outcome == OutcomeFinished && s.Conversation.Run().Status == conversation.RunFailed && !s.refused(r.RunID) {
		run := s.Conversation.Run()
		d = EndData{Outcome: OutcomeFailed, Code: run.Error.Code, Detail: run.Error.Message}
	}
	if d.Outcome == OutcomeFinished && s.Conversation.Run().Status == conversation.RunCancelled && !s.Run.Decision {
		d = EndData{Outcome: OutcomeCancelled}
	}
	s.settleReplaced(d)
	if d.Outcome != OutcomeFinished && d.Outcome != OutcomeStopped {
		s.Run.Failure = &Failure{
			Record: s.Records + 1, RunID: r.RunID, End: d, Decision: s.Run.Decision, MaybeDone: s.decisionLeft(r.RunID),
			ToolRan: toolRan(s.Conversation.Entries(), r.RunID), Latest: true,
		}
		s.Run.Failure.Key = s.mark(s.Run.Failure)
	}
	return nil
}

// toolRan reports whether a tool of the run was called: what it did is not known where
// the run broke off before its result.
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

// entrySize is about what an entry takes besides its text.
const entrySize = 512

// sizeOf returns about how much an event adds to what a session holds: what its deltas add,
// and of others all that they were, since ids and names that are kept keep it.
func sizeOf(ev agui.Event, bytes int) int {
	switch e := ev.(type) {
	case *agui.TextMessageContent:
		return len(e.Delta)
	case *agui.ReasoningMessageContent:
		return len(e.Delta)
	case *agui.ToolCallArgs:
		return len(e.Delta)
	case *agui.TextMessageEnd, *agui.ToolCallEnd, *agui.ReasoningMessageEnd, *agui.Raw, *agui.Malformed:
		return 0
	case *agui.MessagesSnapshot:
		return 2*bytes + entrySize*len(e.Messages)
	}
	return 2*bytes + entrySize
}
