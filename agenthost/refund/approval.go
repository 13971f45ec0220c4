package refund

import (
	"context"
	"encoding/json"
	"fmt"

	"cairn/agenthost"
)

// Question is shown to the user who decides.
type Question struct {
	Kind string `json:"kind"` // always "refund_approval"
	Draft
}

// approval is the step after the model's answer: a draft waits for the user, and without a
// draft there is no text. It only writes the state, so running it twice for one decision
// issues once. A payment service behind it needs a key stored with the draft, not the
// call's IdempotencyKey: when a decision is lost and the user writes on, the question about
// the same draft has another key.
func approval() *agenthost.Tool {
	tool := agenthost.NewTool("approval", "Ask an operator about a drafted refund.",
		func(_ context.Context, call agenthost.Call[State]) (any, error) {
			r := call.Args.Refund
			if r == nil || r.Status != Pending {
				return nil, nil
			}
			if call.Resume == nil {
				return nil, agenthost.Suspend(Question{"refund_approval", r.Draft})
			}
			after, word := decide(r.Draft, call.Resume)
			call.Share("refund", after)
			return word, nil
		})
	tool.Resume = agenthost.SchemaOf[any]() // anything but an approval declines
	tool.Idempotent = true
	return tool
}

// decide returns the decided refund and a sentence about it.
// {"approved":true} issues what was drafted and {"approved":true,"amount":n} issues n.
// Anything else cancels, and so does an amount out of bounds.
func decide(d Draft, answer *agenthost.Resume) (Refund, string) {
	amount, ok := approved(d.Amount, answer)
	if !ok {
		return Refund{Draft: d, Status: Cancelled}, "Refund cancelled by operator. No charge issued."
	}
	d.Amount = amount
	r := Refund{Draft: d, Status: Issued, ID: "re_demo_" + d.Customer[max(0, len(d.Customer)-6):]}
	return r, fmt.Sprintf("Refund of $%.2f issued to `%s`. Refund ID: `%s`", amount, d.Customer, r.ID)
}

// approved returns the amount, in whole cents, that may be issued.
func approved(drafted float64, answer *agenthost.Resume) (amount float64, ok bool) {
	var members map[string]any // unlike a struct, a map has exact names
	if answer.Cancelled || json.Unmarshal(answer.Payload, &members) != nil || members["approved"] != true {
		return 0, false
	}
	amount = drafted
	if said, edited := members["amount"]; edited {
		if amount, ok = said.(float64); !ok {
			return 0, false
		}
	}
	amount = cents(amount)
	return amount, MinUSD <= amount && amount <= MaxUSD
}
