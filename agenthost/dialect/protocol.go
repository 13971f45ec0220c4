package dialect

import (
	"encoding/json"

	"cairn/agui"
)

// Protocol is plain AG-UI 1.0: text and tool calls as
// start, content and end events; the state as snapshots and patches; pauses in the
// outcome of RUN_FINISHED, answered by RunAgentInput.resume; child agents as
// SUBAGENT_* events. It is the default.
type Protocol struct{}

// NewWriter implements [Dialect].
func (Protocol) NewWriter(r Run) EventWriter {
	p := &protocol{run: r, calls: map[string]bool{}, results: map[string]string{}, children: map[string]*messageWriter{}}
	p.parent = &messageWriter{newID: r.NewID}
	for _, m := range r.Messages {
		for _, c := range m.ToolCalls {
			p.calls[c.ID] = true
		}
		if m.Role == agui.RoleTool {
			p.results[m.ToolCallID] = m.ID
		}
	}
	return p
}

// BatchesInterrupts implements [Dialect]: one resume answers all interrupts of a pause.
func (Protocol) BatchesInterrupts() bool { return true }

// InterruptID implements [Dialect].
func (Protocol) InterruptID(runID, toolCallID string) string { return runID + "::" + toolCallID }

// Answers implements [Dialect].
func (Protocol) Answers(in agui.RunAgentInput) ([]Answer, error) { return ProtocolAnswers(in.Resume) }

type protocol struct {
	run      Run
	parent   *messageWriter
	children map[string]*messageWriter // by the call that opened them
	calls    map[string]bool           // ids of the calls the client has
	results  map[string]string         // ids of the tool messages the client has, by call
	// open and pending are the calls that the client runs: those whose arguments are
	// still being sent, and those that wait for the client.
	open, pending []string
	waiting       []agui.Interrupt
}

func (p *protocol) Started() []agui.Event {
	return one(&agui.RunStarted{ThreadID: p.run.ThreadID, RunID: p.run.RunID, ProtocolVersion: agui.ProtocolVersion})
}

// Opened sends nothing: a state is sent before its first patch and at the run's end.
func (p *protocol) Opened(json.RawMessage) []agui.Event { return nil }

func (p *protocol) Finished(usage *agui.TokenUsage) []agui.Event {
	return p.end(usage, &agui.Outcome{Type: agui.OutcomeSuccess, PendingToolCallIDs: p.pending})
}

func (p *protocol) Interrupted(usage *agui.TokenUsage) []agui.Event {
	return p.end(usage, &agui.Outcome{Type: agui.OutcomeInterrupt, Interrupts: p.waiting})
}

func (p *protocol) end(usage *agui.TokenUsage, outcome *agui.Outcome) []agui.Event {
	return append(p.parent.close(), &agui.RunFinished{ThreadID: p.run.ThreadID, RunID: p.run.RunID,
		Outcome: outcome, Usage: counted(usage)})
}

// Failed closes what is open, the children first.
func (p *protocol) Failed(code, message string) []agui.Event {
	var evs []agui.Event
	for callID := range p.children {
		evs = append(evs, p.childFailed(callID, message)...)
	}
	for _, id := range p.open {
		evs = append(evs, &agui.ToolCallEnd{ToolCallID: id})
	}
	evs = append(evs, p.parent.close()...)
	return append(evs, &agui.RunError{Code: code, Message: message})
}

func (p *protocol) Step() { p.parent.step() }

func (p *protocol) Text(delta string) []agui.Event { return p.parent.text(delta) }

func (p *protocol) ToolCall(c Call) []agui.Event { return p.parent.call(c) }

// ToolResult sends the value as JSON text. A result that the client has already is sent
// under the id of its message.
func (p *protocol) ToolResult(callID string, result json.RawMessage) []agui.Event {
	id, known := p.results[callID]
	if !known {
		id = p.run.NewID()
		p.results[callID] = id
	}
	return append(p.parent.close(), &agui.ToolCallResult{MessageID: id, ToolCallID: callID,
		Role: agui.RoleTool, Content: agui.TextContent(string(result))})
}

func (p *protocol) Snapshot(state json.RawMessage) []agui.Event {
	return append(p.parent.close(), &agui.StateSnapshot{Snapshot: state})
}

func (p *protocol) Delta(patch json.RawMessage) []agui.Event {
	return one(&agui.StateDelta{Delta: patch})
}

func (p *protocol) Shared(state json.RawMessage) []agui.Event { return p.Snapshot(state) }

func (p *protocol) Concluded(text string) []agui.Event {
	p.Step()
	return p.Text(text)
}
