package dialect

import (
	"encoding/json"
	"strings"

	"cairn/agui"
)

// Strands sends events as ag-ui-strands 1.0 for Python does: the state is always sent
// whole, never as a patch; every message and call that ends is followed by all messages so
// far; and a pause is only in the run's outcome.
type Strands struct{}

// NewWriter implements [Dialect].
func (Strands) NewWriter(r Run) EventWriter {
	s := &strands{run: r, calls: map[string]bool{}, results: map[string]int{},
		client: map[string]*clientCall{}, children: map[string]*strandsChild{}}
	s.messages = make([]agui.Message, 0, len(r.Messages)+8)
	for _, m := range r.Messages {
		s.add(m)
	}
	return s
}

// BatchesInterrupts implements [Dialect]: all interrupts of a pause are in one outcome.
func (Strands) BatchesInterrupts() bool { return true }

// InterruptID implements [Dialect]. The bridge ends it with a digest of the
// interrupt's name; here the run's id distinguishes pauses of calls with one id.
func (Strands) InterruptID(runID, toolCallID string) string {
	return "v1:tool_call:" + toolCallID + ":" + runID
}

// Answers implements [Dialect].
func (Strands) Answers(in agui.RunAgentInput) ([]Answer, error) { return ProtocolAnswers(in.Resume) }

type strands struct {
	run Run
	// messages are the client's and those of this run, as snapshots have them.
	messages []agui.Message
	size     int             // of messages, in bytes
	shown    int             // bytes of the snapshots so far
	owed     bool            // the last snapshot was not sent
	calls    map[string]bool // ids of the calls in messages
	results  map[string]int  // index in messages of a call's first result
	// open is the message being written, empty when there is none.
	open     string
	text     strings.Builder
	client   map[string]*clientCall // calls of the client that still stream
	waiting  []agui.Interrupt
	children map[string]*strandsChild
	// state is the newest state, for the run's end.
	state json.RawMessage
}

// clientCall is a call that still streams.
type clientCall struct {
	parent, name string
	args         strings.Builder
}

func (s *strands) add(m agui.Message) {
	s.size += messageSize(m)
	for _, c := range m.ToolCalls {
		s.calls[c.ID] = true
	}
	if _, known := s.results[m.ToolCallID]; !known && m.ToolCallID != "" {
		s.results[m.ToolCallID] = len(s.messages)
	}
	s.messages = append(s.messages, m)
}

func (s *strands) Started() []agui.Event {
	return one(&agui.RunStarted{ThreadID: s.run.ThreadID, RunID: s.run.RunID, ProtocolVersion: agui.ProtocolVersion})
}

// Opened sends the thread's state and the client's messages.
func (s *strands) Opened(state json.RawMessage) []agui.Event {
	return append(s.Shared(state), s.all()...)
}

func (s *strands) Finished(usage *agui.TokenUsage) []agui.Event {
	return s.end(usage, &agui.Outcome{Type: agui.OutcomeSuccess})
}

func (s *strands) Interrupted(usage *agui.TokenUsage) []agui.Event {
	return s.end(usage, &agui.Outcome{Type: agui.OutcomeInterrupt, Interrupts: s.waiting})
}

// end sends the state again, changed or not.
func (s *strands) end(usage *agui.TokenUsage, outcome *agui.Outcome) []agui.Event {
	ev := &agui.RunFinished{ThreadID: s.run.ThreadID, RunID: s.run.RunID, Outcome: outcome, Usage: counted(usage)}
	evs := s.closeText()
	if s.owed {
		evs = append(evs, &agui.MessagesSnapshot{Messages: s.messages})
	}
	return append(evs, s.wholeState(), ev)
}

// wholeState returns a snapshot of the state, {} for a thread without one.
func (s *strands) wholeState() agui.Event {
	if absent(s.state) {
		s.state = json.RawMessage("{}")
	}
	return &agui.StateSnapshot{Snapshot: s.state}
}

// Failed closes what is open, the children first.
func (s *strands) Failed(code, message string) []agui.Event {
	var evs []agui.Event
	for callID := range s.children {
		evs = append(evs, s.brokeChild(callID, message)...)
	}
	evs = append(evs, s.closeText()...)
	return append(evs, &agui.RunError{Code: code, Message: message})
}

// Step sends nothing: the next event ends the text.
func (s *strands) Step() {}

func (s *strands) Text(delta string) []agui.Event {
	var evs []agui.Event
	if s.open == "" {
		s.open = s.run.NewID()
		evs = append(evs, &agui.TextMessageStart{MessageID: s.open, Role: agui.RoleAssistant})
	}
	s.text.WriteString(delta)
	return append(evs, &agui.TextMessageContent{MessageID: s.open, Delta: delta})
}

// closeText ends the message being written and sends all messages.
func (s *strands) closeText() []agui.Event {
	if s.open == "" {
		return nil
	}
	id := s.open
	s.add(agui.Message{ID: id, Role: agui.RoleAssistant, Content: agui.TextContent(s.text.String())})
	s.open = ""
	s.text.Reset()
	return append(one(&agui.TextMessageEnd{MessageID: id}), s.all()...)
}

// Snapshot sends nothing: the run's end sends the whole state.
func (s *strands) Snapshot(state json.RawMessage) []agui.Event {
	s.state = state
	return nil
}

// Delta sends nothing: this bridge sends no patches.
func (s *strands) Delta(json.RawMessage) []agui.Event { return nil }

func (s *strands) Shared(state json.RawMessage) []agui.Event {
	s.state = state
	return one(s.wholeState())
}

func (s *strands) Concluded(text string) []agui.Event {
	return append(s.closeText(), s.Text(text)...)
}
