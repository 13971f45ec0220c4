package dialect

import (
	"encoding/json"

	"cairn/agui"
	"cairn/internal/jsontext"
)

// Mastra sends events as @ag-ui/mastra 1.1 does behind a host that streams child agents:
// chunks for text, whole tool calls, both interrupt signals.
type Mastra struct{}

// NewWriter implements [Dialect].
func (Mastra) NewWriter(r Run) EventWriter {
	return &mastra{run: r, children: map[string]*mastraChild{}}
}

// BatchesInterrupts implements [Dialect]. Of two suspending calls the bridge sends the
// second when the first has its answer (measured transcripts 67 to 69).
func (Mastra) BatchesInterrupts() bool { return false }

// draft07 begins a resume schema with the dialect of JSON Schema that Mastra names.
const draft07 = `{"$schema":"http://json-schema.org/draft-07/schema#",`

type mastra struct {
	run Run
	// turn is the id of the assistant message the model is writing. Text that
	// follows a tool call of the turn goes to "<turn>-agui-text", because the
	// call's parent message is complete by then (measured transcript 03).
	turn               string
	calledTool         bool
	saidText, stepOver bool
	waiting            []agui.Interrupt
	children           map[string]*mastraChild
}

func (m *mastra) Started() []agui.Event {
	return one(&agui.RunStarted{ThreadID: m.run.ThreadID, RunID: m.run.RunID})
}

func (m *mastra) Opened(json.RawMessage) []agui.Event { return nil }

func (m *mastra) Finished(usage *agui.TokenUsage) []agui.Event {
	return one(&agui.RunFinished{ThreadID: m.run.ThreadID, RunID: m.run.RunID, Usage: counted(usage)})
}

// counted returns a run's tokens in the form of RUN_FINISHED.
func counted(usage *agui.TokenUsage) []agui.TokenUsage {
	if usage == nil {
		return nil
	}
	return []agui.TokenUsage{*usage}
}

// Interrupted sends no token counts, as the bridge does (measured transcript 06).
func (m *mastra) Interrupted(*agui.TokenUsage) []agui.Event {
	return one(&agui.RunFinished{ThreadID: m.run.ThreadID, RunID: m.run.RunID,
		Outcome: &agui.Outcome{Type: agui.OutcomeInterrupt, Interrupts: m.waiting}})
}

// Failed closes the child that was still at work, then the run.
func (m *mastra) Failed(code, message string) []agui.Event {
	var evs []agui.Event
	for callID := range m.children {
		evs = append(evs, m.ChildStep(callID)...)
		evs = append(evs, &agui.SubagentError{Base: agui.Base{SubagentRunID: childRunID(callID)}, Message: message})
	}
	return append(evs, &agui.RunError{Code: code, Message: message})
}

func (m *mastra) Step() { m.stepOver = true }

// parent returns the message that a tool call belongs to. A call after the turn's
// "-agui-text" opens a new turn, so that no message id is used again.
func (m *mastra) parent() string {
	if m.turn == "" || m.calledTool && m.saidText {
		m.newTurn()
	}
	m.stepOver, m.calledTool, m.saidText = false, true, false
	return m.turn
}

func (m *mastra) newTurn() { m.turn, m.calledTool, m.saidText = m.run.NewID(), false, false }

func (m *mastra) Text(delta string) []agui.Event {
	if m.turn == "" || m.stepOver && m.saidText {
		m.newTurn()
	}
	m.stepOver, m.saidText = false, true
	id, role := m.turn, agui.RoleAssistant
	if m.calledTool {
		id += "-agui-text"
	}
	return one(&agui.TextMessageChunk{MessageID: &id, Role: &role, Delta: &delta})
}

func (m *mastra) ToolCall(c Call) []agui.Event {
	return callEvents(c, m.parent(), "")
}

// callEvents opens and closes a call with its arguments in one piece, as the
// bridge does for tools of the server.
func callEvents(c Call, parent, subagent string) []agui.Event {
	base := agui.Base{SubagentRunID: subagent}
	return []agui.Event{
		&agui.ToolCallStart{Base: base, ToolCallID: c.ID, ToolCallName: c.Name, ParentMessageID: parent},
		&agui.ToolCallArgs{Base: base, ToolCallID: c.ID, Delta: string(c.Args)},
		&agui.ToolCallEnd{Base: base, ToolCallID: c.ID},
	}
}

// ToolResult writes the value as JSON text, so a string is encoded once more.
func (m *mastra) ToolResult(callID string, result json.RawMessage) []agui.Event {
	return one(&agui.ToolCallResult{MessageID: m.run.NewID(), ToolCallID: callID,
		Role: agui.RoleTool, Content: agui.TextContent(string(result))})
}

func (m *mastra) ClientCall(callID, name string) []agui.Event {
	return one(&agui.ToolCallStart{ToolCallID: callID, ToolCallName: name, ParentMessageID: m.parent()})
}

func (m *mastra) ClientArgs(callID, delta string) []agui.Event {
	return one(&agui.ToolCallArgs{ToolCallID: callID, Delta: delta})
}

func (m *mastra) ClientCallEnd(callID string) []agui.Event {
	return one(&agui.ToolCallEnd{ToolCallID: callID})
}

// suspendDetail is the description of a suspended call in both signals.
type suspendDetail struct {
	Type           string          `json:"type"`
	ToolCallID     string          `json:"toolCallId,omitempty"`
	ToolName       string          `json:"toolName"`
	SuspendPayload json.RawMessage `json:"suspendPayload"`
	Args           json.RawMessage `json:"args"`
	ResumeSchema   string          `json:"resumeSchema"`
	RunID          string          `json:"runId"`
}

// Suspended does not send the call: there is no TOOL_CALL_* until it has a result
// (measured transcript 10). The CUSTOM value is a JSON string.
func (m *mastra) Suspended(s Suspension) []agui.Event {
	schema := withDraft(s.ResumeSchema)
	detail := suspendDetail{Type: "mastra_suspend", ToolName: s.Call.Name, SuspendPayload: s.Payload,
		Args: s.Call.Args, ResumeSchema: string(schema), RunID: m.run.RunID}
	m.waiting = append(m.waiting, agui.Interrupt{
		ID:             Mastra{}.InterruptID(m.run.RunID, s.Call.ID),
		Reason:         "mastra:tool_suspend",
		ToolCallID:     s.Call.ID,
		ResponseSchema: schema,
		ExpiresAt:      s.ExpiresAt,
		Metadata:       map[string]json.RawMessage{"mastra": jsontext.Must(detail)},
	})
	detail.ToolCallID = s.Call.ID
	return one(&agui.Custom{Name: agui.NoticeName, Value: jsontext.Must(string(jsontext.Must(detail)))})
}

func withDraft(schema json.RawMessage) json.RawMessage {
	if len(schema) < 3 || schema[0] != '{' {
		return json.RawMessage(draft07 + `"type":"object"}`)
	}
	return append(json.RawMessage(draft07), schema[1:]...)
}

func (m *mastra) Snapshot(state json.RawMessage) []agui.Event {
	return one(&agui.StateSnapshot{Snapshot: state})
}

func (m *mastra) Delta(patch json.RawMessage) []agui.Event {
	return one(&agui.StateDelta{Delta: patch})
}

func (m *mastra) Shared(state json.RawMessage) []agui.Event { return m.Snapshot(state) }

func (m *mastra) Concluded(text string) []agui.Event {
	m.Step()
	return m.Text(text)
}

func one(ev agui.Event) []agui.Event { return []agui.Event{ev} }
