// Package refund is the refund desk, and an example of an agent that asks a person
// after its model has answered: the model drafts, a step of the service's own asks and
// issues. This file puts the agent together; tools.go has what the model may do,
// approval.go what it may not. Nothing here moves money.
package refund

import (
	"github.com/google/jsonschema-go/jsonschema"

	"cairn/agenthost"
	"cairn/agenthost/dialect"
)

// The desk is served twice, once for each of the two ways in which LangGraph's bridge
// asks: POST /agent/langgraph and POST /agent/langgraph-native.
const (
	Topic       = "langgraph"
	NativeTopic = "langgraph-native"
)

const policy = "Duplicate charges are refunded in full within 60 days. " +
	"Chargebacks are refunded once, after the bank's claim is attached. " +
	"Unused subscription time is refunded by the day within 14 days of the renewal. " +
	"Every refund is approved by an operator."

const instructions = `You are the refund desk of a small software company. Answer in one or two short sentences.
- For a refund that names an amount, a customer id and a reason, call draft_refund and say nothing before it.
- When one of the three is missing, ask for it. Draft one refund at a time.
- For facts about a customer, call lookup_customer.
- For a question about the refund policy, delegate to the refund_researcher with task, then answer in one sentence.
- After a draft, say in one sentence that it waits for an operator. You cannot approve anything yourself.`

// New makes the desk as [Topic] has it, or native as [NativeTopic] has it.
func New(native bool) *agenthost.Agent {
	return &agenthost.Agent{
		Name:         Topic,
		Instructions: instructions,
		Tools:        []*agenthost.Tool{lookupCustomer(), draftRefund()},
		Children:     []*agenthost.Agent{researcher()},
		Shared:       agenthost.SchemaOf[State](),
		After:        approval(),
		Dialect:      dialect.LangGraph{Native: native},
	}
}

// State is shared with the page. A thread without a draft has none.
type State struct {
	Refund *Refund `json:"refund,omitempty"`
}

// Refund is a draft and what became of it.
type Refund struct {
	Draft
	Status Status `json:"status"`
	ID     string `json:"refund_id,omitempty"` // of an issued one
}

// Status is how a refund stands.
type Status string

const (
	Pending   Status = "pending" // drafted; a person is asked
	Issued    Status = "issued"
	Cancelled Status = "cancelled"
)

// Task is what the desk sends its specialist, in the words by which LangGraph's bridge
// knows a delegation.
type Task struct {
	Description string `json:"description" jsonschema:"What is to be found out"`
	Subagent    string `json:"subagent_type"`
}

func researcher() *agenthost.Agent {
	const name = "refund_researcher"
	handover := agenthost.NewHandover("task", "Ask a specialist: the refund_researcher knows what the refund policy says.",
		func(t Task) string { return t.Description })
	handover.Input = agenthost.SchemaOf[Task](func(s *jsonschema.Schema) {
		within(s.Properties["description"], 2000)
		s.Properties["subagent_type"].Enum = []any{name}
	})
	return &agenthost.Agent{
		Name:        name,
		Description: "Knows what the refund policy says.",
		Instructions: "You are the refund researcher. You look up what the refund policy says: " + policy +
			"\nAnswer with at most three short bullets and nothing else.",
		As: handover,
	}
}

// within bounds a text: not empty and at most so many characters.
func within(s *jsonschema.Schema, most int) {
	s.MinLength, s.MaxLength = jsonschema.Ptr(1), jsonschema.Ptr(most)
}
