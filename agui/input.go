package agui

import "encoding/json"

// RunAgentInput is the body of a run request (section 2.1). Tools, Context and
// ForwardedProps are always written, because producers before 1.0 require them.
type RunAgentInput struct {
	ThreadID        string          `json:"threadId"`
	RunID           string          `json:"runId"`
	ProtocolVersion string          `json:"protocolVersion,omitempty"`
	ParentRunID     string          `json:"parentRunId,omitempty"`
	State           json.RawMessage `json:"state,omitempty"`
	Messages        []Message       `json:"messages"`
	Tools           []Tool          `json:"tools" agui:"optional"`
	Context         []ContextItem   `json:"context" agui:"optional"`
	ForwardedProps  json.RawMessage `json:"forwardedProps" agui:"optional"`
	Resume          []ResumeEntry   `json:"resume,omitempty"`
}

// UnmarshalJSON reads names as exact.
func (in *RunAgentInput) UnmarshalJSON(b []byte) error { return unmarshal(b, in) }

// Tool is a tool the client offers to run itself.
type Tool struct {
	Name        string                     `json:"name"`
	Description string                     `json:"description"`
	Parameters  json.RawMessage            `json:"parameters,omitempty"`
	Metadata    map[string]json.RawMessage `json:"metadata,omitempty"`
}

// ContextItem is a piece of context for the agent.
type ContextItem struct {
	Description string `json:"description"`
	Value       string `json:"value"`
}
