package agenthost

import "encoding/json"

// Handover is the tool that a parent's model calls to delegate to a child agent. Create
// one with [NewHandover].
type Handover struct {
	// Input is the schema of the arguments, which the model's are checked against.
	Input Schema

	name, description string
	prompt            func(json.RawMessage) (string, error)
}

// NewHandover returns a handover whose function writes the prompt for the child. The
// child sees the prompt and nothing else of the conversation.
func NewHandover[In any](name, description string, prompt func(In) string) *Handover {
	return &Handover{name: name, description: description, Input: SchemaOf[In](), prompt: func(args json.RawMessage) (string, error) {
		var in In
		if err := json.Unmarshal(args, &in); err != nil {
			return "", err
		}
		return prompt(in), nil
	}}
}

// read checks the model's arguments and returns the prompt for the child.
func (h *Handover) read(args json.RawMessage) (prompt string, err error) {
	if err := h.Input.Check(args); err != nil {
		return "", err
	}
	return h.prompt(args)
}

// delegation has the arguments of a child that has no handover of its own.
type delegation struct {
	Prompt string `json:"prompt" jsonschema:"What the agent is to do, with everything it needs to know"`
}

var plainHandover = NewHandover("", "", func(d delegation) string { return d.Prompt })

func (a *Agent) handover() *Handover {
	if a.As != nil {
		return a.As
	}
	h := *plainHandover
	h.name, h.description = "agent-"+a.Name, a.Description
	return &h
}
