package dialect

import (
	"encoding/json"
	"errors"

	"cairn/agui"
)

// InterruptID implements [Dialect].
func (Mastra) InterruptID(runID, toolCallID string) string { return runID + "::" + toolCallID }

// Answers implements [Dialect]. forwardedProps.command answers one interrupt and
// wins over the protocol's resume (measured transcript 139).
func (m Mastra) Answers(in agui.RunAgentInput) ([]Answer, error) {
	var props struct {
		Command *struct {
			Resume         json.RawMessage `json:"resume"`
			InterruptEvent json.RawMessage `json:"interruptEvent"`
		} `json:"command"`
	}
	if len(in.ForwardedProps) > 0 && in.ForwardedProps[0] == '{' {
		if err := json.Unmarshal(in.ForwardedProps, &props); err != nil {
			return nil, errors.New("forwardedProps.command is malformed")
		}
	}
	if c := props.Command; c != nil && (!absent(c.Resume) || !absent(c.InterruptEvent)) {
		a, err := m.command(c.Resume, c.InterruptEvent)
		return []Answer{a}, err
	}
	return ProtocolAnswers(in.Resume)
}

// command returns the answer to an interrupt event. The event may be the
// JSON text of itself (measured transcript 62).
func (m Mastra) command(resume, event json.RawMessage) (Answer, error) {
	if absent(resume) {
		return Answer{}, errors.New("forwardedProps.command.resume is missing")
	}
	if absent(event) {
		return Answer{}, errors.New("forwardedProps.command.interruptEvent is missing")
	}
	if event[0] == '"' {
		var text string
		if err := json.Unmarshal(event, &text); err != nil {
			return Answer{}, errors.New("interruptEvent is malformed")
		}
		event = json.RawMessage(text)
	}
	var of struct {
		ToolCallID string `json:"toolCallId"`
		RunID      string `json:"runId"`
	}
	if err := json.Unmarshal(event, &of); err != nil {
		return Answer{}, errors.New("interruptEvent is malformed")
	}
	if of.ToolCallID == "" || of.RunID == "" {
		return Answer{}, errors.New("interruptEvent needs toolCallId and runId")
	}
	a := Answer{Interrupt: m.InterruptID(of.RunID, of.ToolCallID), RunID: of.RunID, Payload: resume}
	if string(resume) == "false" { // Mastra's form of a cancelled answer
		a.Cancelled, a.Payload = true, nil
	}
	return a, nil
}
