package agenthost

import "encoding/json"

// Handover is the tool as which a parent's model sees a child agent. Make one with
// [NewHandover].
type Handover struct {
	// Input is the schema of the arguments, which the model's are checked against.
	Input Schema

	name, description string
	prompt            func(json.RawMessage) (string, error)
}

// NewHandover makes a handover of the function that words what the child is to do.
// The child sees that and nothing else of the conversation.
func NewHandover[In any](name, description string, prompt func(In) string) *Handover {
	return &Handover{name: name, description: description, Input: SchemaOf[In](), prompt: func(args json.RawMessage) (string, error) {
		var in In
		err := json.Unmarshal(args, &in)
		return prompt(in), err
	}}
}

// delegation is what a model gives a child that has no handover of its own.
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
