// Package refund is the refund desk, an example of an agent that asks the user after its
// model has answered: the model drafts, and a tool that the service calls asks and issues.
// This file has the agent, tools.go the model's tools and approval.go the tool of the
// service. Nothing here moves money.
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

// New returns the desk for [Topic], or for [NativeTopic] when native is true.
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

// Refund is a draft with its decision.
type Refund struct {
	Draft
	Status Status `json:"status"`
	ID     string `json:"refund_id,omitempty"` // of an issued one
}

// Status is the state of a refund.
type Status string

const (
	Pending   Status = "pending" // drafted; waits for the user
	Issued    Status = "issued"
	Cancelled Status = "cancelled"
)

// Task has the arguments of a delegation, with the names that LangGraph's bridge
// recognizes.
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

// within limits a text: not empty and at most most characters.
func within(s *jsonschema.Schema, most int) {
	s.MinLength, s.MaxLength = jsonschema.Ptr(1), jsonschema.Ptr(most)
}
