package refund

import (
	"context"
	"fmt"
	"math"

	"github.com/google/jsonschema-go/jsonschema"

	"cairn/agenthost"
)

// Draft is a refund that waits for approval. The amount is in US dollars.
type Draft struct {
	Amount   float64 `json:"amount" jsonschema:"US dollars"`
	Customer string  `json:"customer_id" jsonschema:"The customer's id, such as: cus_a8x2k"`
	Reason   string  `json:"reason" jsonschema:"Why, in a few words"`
}

// MinUSD and MaxUSD bound a refund.
const (
	MinUSD = 0.01
	MaxUSD = 100_000
)

// cents rounds an amount to whole cents.
func cents(usd float64) float64 { return math.Floor(usd*100+0.5) / 100 }

// draftRefund stores the draft in the shared state, for the page and the approval.
func draftRefund() *agenthost.Tool {
	tool := agenthost.NewTool("draft_refund", "Draft a refund from the conversation. An operator has to approve it before it is issued.",
		func(_ context.Context, call agenthost.Call[Draft]) (any, error) {
			var before Refund
			if _, err := call.Shared("refund", &before); err != nil {
				return nil, err
			}
			draft := call.Args
			draft.Amount = cents(draft.Amount)
			if before.Status == Pending && before.Draft != draft {
				return nil, agenthost.Refuse("Not drafted: another refund waits for an operator's approval. One at a time.")
			}
			if known, ok := customer(draft.Customer); ok && draft.Amount > known.charged() {
				return nil, agenthost.Refuse(fmt.Sprintf("Not drafted: %s was charged $%.2f, so $%.2f is too much.", draft.Customer, known.charged(), draft.Amount))
			}
			call.Share("refund", Refund{Draft: draft, Status: Pending})
			return "Draft saved. It waits for an operator's approval.", nil
		})
	tool.Input = agenthost.SchemaOf[Draft](func(s *jsonschema.Schema) {
		amount := s.Properties["amount"]
		amount.Minimum, amount.Maximum = jsonschema.Ptr(MinUSD), jsonschema.Ptr(float64(MaxUSD))
		s.Properties["customer_id"].Pattern = `^cus_[A-Za-z0-9]{1,32}$`
		within(s.Properties["reason"], 300)
	})
	return tool
}

// Customer is a record of a customer. Charges are in US dollars.
type Customer struct {
	Name    string    `json:"name"`
	Plan    string    `json:"plan"`
	Charges []float64 `json:"last_charges"`
}

// charged returns the sum of the customer's last charges.
func (c Customer) charged() float64 {
	sum := 0.0
	for _, usd := range c.Charges {
		sum += usd
	}
	return sum
}

// customer returns one of the fixed customers.
func customer(id string) (Customer, bool) {
	switch id {
	case "cus_a8x2k":
		return Customer{"Alder & Finch", "Team", []float64{47.5, 47.5}}, true
	case "cus_z19fp":
		return Customer{"Brightwater Studio", "Business", []float64{129}}, true
	case "cus_m40qt":
		return Customer{"Cove Print Works", "Solo", []float64{12}}, true
	}
	return Customer{}, false
}

// CustomerID names a customer.
type CustomerID struct {
	ID string `json:"customer_id" jsonschema:"The customer's id, such as: cus_a8x2k"`
}

func lookupCustomer() *agenthost.Tool {
	tool := agenthost.NewTool("lookup_customer", "Look up a customer: name, plan and the last charges in US dollars.",
		func(_ context.Context, call agenthost.Call[CustomerID]) (any, error) {
			if c, ok := customer(call.Args.ID); ok {
				return c, nil
			}
			return map[string]string{"error": "no customer " + call.Args.ID}, nil
		})
	tool.Input = agenthost.SchemaOf[CustomerID](func(s *jsonschema.Schema) { within(s.Properties["customer_id"], 64) })
	return tool
}
