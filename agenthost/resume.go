package agenthost

import (
	"encoding/json"

	"cairn/agenthost/dialect"
	"cairn/agui"
)

// decision answers one interrupt.
type decision struct {
	key       InterruptKey // of the command form
	interrupt string       // of the protocol form: the interrupt's id
	cancelled bool
	payload   json.RawMessage
}

// parseResume finds the decisions in a request, nil when it is a plain message.
// forwardedProps.command, which answers one interrupt, wins over the protocol's
// resume, as in Mastra.
func parseResume(in agui.RunAgentInput) ([]decision, error) {
	var props struct {
		Command *struct {
			Resume         json.RawMessage `json:"resume"`
			InterruptEvent json.RawMessage `json:"interruptEvent"`
		} `json:"command"`
	}
	if len(in.ForwardedProps) > 0 && in.ForwardedProps[0] == '{' {
		if err := json.Unmarshal(in.ForwardedProps, &props); err != nil {
			return nil, invalidResume("forwardedProps.command is malformed.")
		}
	}
	if c := props.Command; c != nil && (!absent(c.Resume) || !absent(c.InterruptEvent)) {
		return parseCommand(c.Resume, c.InterruptEvent)
	}
	var list []decision
	for i, e := range in.Resume {
		d := decision{interrupt: e.InterruptID, cancelled: e.Status == agui.ResumeCancelled, payload: e.Payload}
		if !d.cancelled && absent(d.payload) {
			return nil, invalidResume("resume[%d].payload is missing.", i)
		}
		list = append(list, d)
	}
	return list, nil
}

func parseCommand(resume, event json.RawMessage) ([]decision, error) {
	if absent(resume) {
		return nil, invalidResume("forwardedProps.command.resume is missing.")
	}
	if absent(event) {
		return nil, invalidResume("forwardedProps.command.interruptEvent is missing.")
	}
	if event[0] == '"' { // JSON text of the event is accepted too
		var text string
		if err := json.Unmarshal(event, &text); err != nil {
			return nil, invalidResume("interruptEvent is malformed.")
		}
		event = json.RawMessage(text)
	}
	var key struct {
		ToolCallID string `json:"toolCallId"`
		RunID      string `json:"runId"`
	}
	if err := json.Unmarshal(event, &key); err != nil {
		return nil, invalidResume("interruptEvent is malformed.")
	}
	if key.ToolCallID == "" || key.RunID == "" {
		return nil, invalidResume("interruptEvent needs toolCallId and runId.")
	}
	d := decision{key: InterruptKey{key.RunID, key.ToolCallID}, payload: resume}
	if string(resume) == "false" { // Mastra's word for an answer refused
		d.cancelled, d.payload = true, nil
	}
	return []decision{d}, nil
}

func absent(v json.RawMessage) bool { return len(v) == 0 || string(v) == "null" }

// find gives the interrupt a decision is about; only those of the thread count.
func (d *decision) find(interrupts []Interrupt) (Interrupt, error) {
	sameRun := false
	for _, in := range interrupts {
		if d.interrupt == dialect.InterruptID(in.RunID, in.ToolCallID) || d.key == in.InterruptKey {
			return in, nil
		}
		sameRun = sameRun || d.key.RunID == in.RunID
	}
	if sameRun {
		return Interrupt{}, errWrongCall
	}
	return Interrupt{}, errNoInterrupt
}

// canonical is the decision as it is stored: equal decisions have equal bytes.
func (d *decision) canonical() (json.RawMessage, error) {
	if d.cancelled {
		return json.RawMessage(`{"cancelled":true}`), nil
	}
	v, err := decodeAny(d.payload)
	if err != nil {
		return nil, err
	}
	return encodeJSON(map[string]any{"payload": v})
}
