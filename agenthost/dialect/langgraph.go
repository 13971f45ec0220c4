package dialect

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"strings"

	"cairn/agui"
	"cairn/internal/jsontext"
)

// LangGraph sends events as ag-ui-langgraph 0.0.47 does for a graph whose nodes are desk,
// which asks the model, tools, and approval, which follows the answer and may pause
// (testdata/transcripts/langgraph and langgraph-native). It sends no RAW events and no
// rawEvent, and one message has one id everywhere. A state that the model writes is sent
// when it is whole, because the bridge sends no STATE_DELTA.
type LangGraph struct {
	// Native asks in the outcome of RUN_FINISHED, as the bridge does with
	// emit_interrupt_outcome and without its legacy event. Otherwise it asks with
	// CUSTOM on_interrupt, which names no id.
	Native bool
}

// NewWriter implements [Dialect].
func (l LangGraph) NewWriter(r Run) EventWriter {
	return &langgraph{run: r, native: l.Native, client: map[string]*openCall{}, children: map[string]*langgraphChild{},
		sent: conversationSize(r.Messages)}
}

// BatchesInterrupts implements [Dialect]. An answer without an id can only be to one
// question.
func (LangGraph) BatchesInterrupts() bool { return false }

// InterruptID implements [Dialect]. LangGraph's ids are 32 hex digits.
func (LangGraph) InterruptID(runID, toolCallID string) string {
	sum := sha256.Sum256([]byte(runID + "\x00" + toolCallID))
	return hex.EncodeToString(sum[:16])
}

// Answers implements [Dialect]. Either form of a question takes either form of an answer,
// and the protocol's resume wins over forwardedProps.command (measured by hand). The
// command's value may be JSON text of itself.
func (LangGraph) Answers(in agui.RunAgentInput) ([]Answer, error) {
	if len(in.Resume) > 0 {
		return ProtocolAnswers(in.Resume)
	}
	var props struct {
		Command json.RawMessage `json:"command"`
	}
	if len(in.ForwardedProps) == 0 || in.ForwardedProps[0] != '{' {
		return nil, nil
	}
	if err := json.Unmarshal(in.ForwardedProps, &props); err != nil {
		return nil, errors.New("forwardedProps is malformed")
	}
	if absent(props.Command) {
		return nil, nil
	}
	var command struct {
		Resume json.RawMessage `json:"resume"`
	}
	if err := json.Unmarshal(props.Command, &command); err != nil {
		return nil, errors.New("forwardedProps.command is malformed")
	}
	if absent(command.Resume) {
		return nil, nil
	}
	var text string
	if json.Unmarshal(command.Resume, &text) == nil && json.Valid([]byte(text)) {
		if inner := json.RawMessage(strings.TrimSpace(text)); !absent(inner) {
			command.Resume = inner
		}
	}
	return []Answer{{Payload: command.Resume}}, nil
}

// langgraphDetail is the bridge's metadata of an interrupt.
type langgraphDetail struct {
	Raw       json.RawMessage `json:"raw"`
	NS        *string         `json:"ns"`
	Resumable *bool           `json:"resumable"`
	When      *string         `json:"when"`
}

// noReason is the reason of an interrupt whose payload names none.
const noReason = "langgraph:interrupt"

// outcome returns the outcome of a run that pauses. The reason is taken from the payload,
// and there is neither the call nor a schema (measured, langgraph-native 05).
func (m *langgraph) outcome() *agui.Outcome {
	var list []agui.Interrupt
	for _, s := range m.pauses {
		in := agui.Interrupt{
			ID: LangGraph{}.InterruptID(m.run.RunID, s.Call.ID), Reason: noReason, ExpiresAt: s.ExpiresAt,
			Metadata: map[string]json.RawMessage{"langgraph": jsontext.Must(langgraphDetail{Raw: s.Payload})},
		}
		var members map[string]json.RawMessage
		if json.Unmarshal(s.Payload, &members) == nil {
			var reason string
			if !absent(members["reason"]) && json.Unmarshal(members["reason"], &reason) == nil {
				in.Reason = reason
			}
		}
		list = append(list, in)
	}
	return &agui.Outcome{Type: agui.OutcomeInterrupt, Interrupts: list}
}

// notices returns the legacy events of a pause: the value is JSON text of the payload, or
// the payload when it is text.
func (m *langgraph) notices() []agui.Event {
	var evs []agui.Event
	for _, s := range m.pauses {
		value := s.Payload
		if value[0] != '"' {
			value = jsontext.Must(string(value))
		}
		evs = append(evs, &agui.Custom{Name: agui.NoticeName, Value: value})
	}
	return evs
}
