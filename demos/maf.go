package demos

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"cairn/agentclient/interrupt"
	"cairn/components"
)

// AgentFramework is the expense copilot, in the dialect of Microsoft Agent Framework.
func AgentFramework() Demo {
	dialect := AgentFrameworkDialect()
	return Demo{
		Slug:        "maf",
		Name:        "Expense copilot",
		Runtime:     dialect.Runtime,
		Agent:       "the expense copilot",
		Heading:     "What did you spend?",
		Lead:        "A copilot that knows the expense policy, fills in the expense, and asks before it submits anything.",
		Placeholder: "Ask the expense copilot…",
		Suggestions: []components.Suggestion{
			{Label: "File a team dinner", Description: "$220 at Blue Finch Bistro, with your approval", Text: "File a team dinner expense: $220 at Blue Finch Bistro, 6 attendees"},
			{Label: "File a monitor purchase", Description: "$340 at Pixel Peak Displays, with your approval", Text: "File a monitor purchase: $340 from Pixel Peak Displays, 27-inch"},
			{Label: "Ask about conference travel", Description: "Another agent looks into the policy first", Text: "I want to file $900 of conference travel; research the policy first"},
		},
		Transport:   dialect.Transport,
		Profile:     dialect.Profile,
		NewPanel:    func() Panel { return new(expensePanel) },
		Approval:    expenseApproval,
		Outcome:     expenseOutcome,
		ToolSummary: expenseToolSummary,
		Code: []CodeFile{
			{Path: "agenthost/expense/expense.go", Note: "the copilot inside this process: instructions and the second agent"},
			{Path: "agenthost/expense/tools.go", Note: "its tools, and the pause"},
			{Path: "agenthost/dialect/maf.go", Note: "how it speaks as this runtime does"},
			{Path: "runtimes/maf/copilot.py", Note: "the copilot on the real runtime: tools, the approval and the second agent"},
			{Path: "runtimes/maf/policy.py", Note: "the policy, and what an expense is"},
			{Path: "runtimes/maf/subagents.py", Note: "how the second agent's words get on the wire"},
			{Path: "demos/maf.go", Note: "this demo: suggestions, approval, evidence"},
			{Path: "demos/profiles.go", Note: "where this runtime, and three others, put what is asked"},
			{Path: "demos/expense.go", Note: "the expense beside the chat"},
			{Path: "demos/stable.go", Note: "what a panel holds back while a run goes on"},
		},
	}
}

// askedExpense reads what submit_expense would be called with.
func askedExpense(p interrupt.Pending) (e expense, ok bool) {
	e, _ = member[expense](p.Payload, "expense")
	return e, e.Vendor != "" && e.Amount != nil && about(p, "submit_expense")
}

// expenseApproval words the question that submit_expense pauses with.
func expenseApproval(p interrupt.Pending) Approval {
	e, ok := askedExpense(p)
	if !ok {
		return Approval{}
	}
	a := Approval{
		Title: "Expense approval required", Approved: "Expense approved", Declined: "Expense declined",
		Hint: "Nothing is submitted until you approve.",
		Rows: []components.Field{{Label: "Amount", Value: usd(*e.Amount)}, {Label: "Vendor", Value: e.Vendor}},
	}
	if e.Category != "" {
		a.Rows = append(a.Rows, components.Field{Label: "Category", Value: e.Category})
	}
	if e.Memo() != "" {
		a.Rows = append(a.Rows, components.Field{Label: "Memo", Value: e.Memo()})
	}
	return a
}

// An answer of the tool begins with recorded. The framework's own answer in place of a
// tool's that was not approved has rejected in it, and names no expense (measured).
const (
	recorded = "Expense recorded: "
	rejected = "rejected by user"
)

// expenseOutcome reads the decision's effect from the results: one records the expense
// that was asked about, and none is a rejection.
func expenseOutcome(approved bool, e Evidence) (string, bool) {
	has := func(holds func(string) bool) bool { return slices.ContainsFunc(e.Results, holds) }
	anyRecorded := has(func(r string) bool { return strings.HasPrefix(r, recorded) })
	anyRejected := has(func(r string) bool { return strings.Contains(r, rejected) })
	x, ok := askedExpense(e.Asked)
	ok = ok && has(func(r string) bool {
		return strings.HasPrefix(r, fmt.Sprintf("%s$%.2f to %s (", recorded, *x.Amount, x.Vendor))
	})
	switch {
	case approved && ok && !anyRejected:
		return "Recorded. " + usd(*x.Amount) + " to " + x.Vendor + " is queued for reimbursement.", true
	case approved:
		return "You approved, but the agent's answer does not confirm that the expense was recorded.", false
	case anyRecorded:
		return "You declined, but the agent reports a recorded expense. Please check with finance.", false
	case anyRejected:
		return "Declined. Nothing was submitted.", true
	default:
		return "You declined. The agent did not say that nothing was submitted.", false
	}
}

// expenseToolSummary: a policy is a sentence already.
func expenseToolSummary(tool, _, result string) string {
	if tool != "lookup_expense_policy" || strings.HasPrefix(result, "{") || strings.HasPrefix(result, "[") {
		return ""
	}
	var inner string
	if json.Unmarshal([]byte(result), &inner) == nil {
		result = inner
	}
	return clip(strings.TrimSpace(result))
}
