// Package expense is the expense copilot: it knows the policy, fills in an expense as the
// state shared with the page, and records it when the user has approved. Nothing is paid
// and there is no ledger: recording only changes the state.
//
// It has the same parts as package trip, with another dialect, and a tool writes the state
// from its arguments.
package expense

import (
	"fmt"

	"cairn/agenthost"
	"cairn/agenthost/dialect"
)

// Topic is where the service serves the copilot: POST /agent/maf.
const Topic = "maf"

const instructions = `You are an expense copilot. Answer in one short sentence.
- To file an expense, call submit_expense at once and say nothing before it; the person approves it in their own window.
- When the vendor, the category or the amount is missing, ask for it.
- For the limit of a category, call lookup_expense_policy.
- When asked to research the policy, call research_policy first, and submit only after that.
- After submit_expense, say what became of the expense.`

// State is the state that the page shows beside the chat.
type State struct {
	Expense Expense `json:"expense"`
}

// New returns the copilot.
func New() *agenthost.Agent {
	return &agenthost.Agent{
		Name:         "expense_approval_copilot",
		Instructions: instructions,
		Tools:        []*agenthost.Tool{lookupExpensePolicy(), submitExpense()},
		Children:     []*agenthost.Agent{policyResearcher()},
		Shared:       agenthost.SchemaOf[State](),
		Dialect: dialect.AgentFramework{Predict: []dialect.Prediction{
			{StateKey: "expense", Tool: "submit_expense", ToolArgument: "expense"}}},
	}
}

// Question is the category and the amount to research the policy for.
type Question struct {
	Category string  `json:"category" jsonschema:"meals, travel, equipment, software or other"`
	Amount   float64 `json:"amount" jsonschema:"US dollars"`
}

// policyResearcher is a child agent. Its arguments are a category and an amount. Its prompt
// has the policy, so that it cannot invent one.
func policyResearcher() *agenthost.Agent {
	return &agenthost.Agent{
		Name:        "policy_researcher",
		Description: "Researches the travel and expense policy for an expense.",
		Instructions: `You research the travel and expense policy for an expense copilot.
Answer with exactly three short bullets: the limit, the receipt, the risk. Nothing else.`,
		As: agenthost.NewHandover("research_policy",
			"Have a specialist research the policy for an expense of this category and amount in US dollars.",
			func(q Question) string {
				return fmt.Sprintf("%s, $%.2f. %s", q.Category, q.Amount, Policy(q.Category))
			}),
	}
}
