package expense

import (
	"context"
	"fmt"

	"github.com/google/jsonschema-go/jsonschema"

	"cairn/agenthost"
	"cairn/agenthost/dialect"
)

// MaxAmountUSD is the most that one expense can be.
const MaxAmountUSD = 100_000

// Inquiry names the category to look up.
type Inquiry struct {
	Category string `json:"category" jsonschema:"meals, travel, equipment, software or other"`
}

func lookupExpensePolicy() *agenthost.Tool {
	tool := agenthost.NewTool("lookup_expense_policy", "The expense policy for a category: meals, travel, equipment, software or other.",
		func(_ context.Context, call agenthost.Call[Inquiry]) (any, error) {
			return Policy(call.Args.Category), nil
		})
	tool.Input = agenthost.SchemaOf[Inquiry](func(s *jsonschema.Schema) {
		s.Properties["category"].MaxLength = jsonschema.Ptr(60)
	})
	return tool
}

// Expense is an expense to file.
type Expense struct {
	Vendor    string  `json:"vendor"`
	Category  string  `json:"category"`
	AmountUSD float64 `json:"amount_usd" jsonschema:"US dollars"`
	Memo      string  `json:"memo,omitempty" jsonschema:"What it was for, in a few words"`
}

// Filing is the argument of submit_expense.
type Filing struct {
	Expense Expense `json:"expense"`
}

// Approval is the user's answer. Expense is set when the user changed it.
type Approval struct {
	Approved bool     `json:"approved" jsonschema:"Whether the expense is approved."`
	Expense  *Expense `json:"expense,omitempty" jsonschema:"The expense with the person's changes."`
}

// submitExpense shows the expense, waits for the user, and records it or does not. Running
// it twice returns the same result, because recording only changes the state.
func submitExpense() *agenthost.Tool {
	tool := agenthost.NewTool("submit_expense", "Submit an expense for reimbursement. A person has to approve it first.",
		func(_ context.Context, call agenthost.Call[Filing]) (any, error) {
			filed := call.Args.Expense
			if call.Resume == nil {
				call.Share("expense", filed)
				return nil, agenthost.Suspend(call.Args)
			}
			var answer Approval
			if err := call.Resume.Decode(&answer); err != nil {
				return nil, err
			}
			if !answer.Approved {
				return dialect.Rejected, nil
			}
			if answer.Expense != nil {
				filed = *answer.Expense
				call.Share("expense", filed)
			}
			return fmt.Sprintf("Expense recorded: $%.2f to %s (%s), queued for reimbursement.",
				filed.AmountUSD, filed.Vendor, filed.Category), nil
		})
	tool.Input = agenthost.SchemaOf[Filing](func(s *jsonschema.Schema) { isSensible(s.Properties["expense"]) })
	tool.Resume = agenthost.SchemaOf[Approval](func(s *jsonschema.Schema) { isSensible(s.Properties["expense"]) })
	tool.Idempotent = true
	return tool
}

func isSensible(expense *jsonschema.Schema) {
	p := expense.Properties
	p["vendor"].MinLength, p["vendor"].MaxLength = jsonschema.Ptr(1), jsonschema.Ptr(120)
	p["category"].Enum = []any{"meals", "travel", "equipment", "software", "other"}
	p["amount_usd"].ExclusiveMinimum, p["amount_usd"].Maximum = jsonschema.Ptr(0.0), jsonschema.Ptr(float64(MaxAmountUSD))
	p["memo"].MaxLength = jsonschema.Ptr(300)
}
