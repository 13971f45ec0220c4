package demos

import (
	"encoding/json"
	"strings"

	"cairn/agentclient/interrupt"
	"cairn/components"
)

// LangGraph is the refund desk, in the dialect of LangGraph.
func LangGraph() Demo {
	dialect := LangGraphDialect()
	return Demo{
		Slug:        "langgraph",
		Name:        "Refund desk",
		Runtime:     dialect.Runtime,
		Agent:       "the refund desk",
		Heading:     "Which charge went wrong?",
		Lead:        "A desk that looks up customers, drafts refunds by the policy, and asks before it issues one.",
		Placeholder: "Ask the refund desk…",
		Suggestions: []components.Suggestion{
			{Label: "Refund a duplicate charge", Description: "$47.50 to cus_a8x2k, with your approval", Text: "Refund the duplicate charge of $47.50 to customer cus_a8x2k"},
			{Label: "Refund a chargeback", Description: "$129.00 to cus_z19fp, with your approval", Text: "Process a refund for customer cus_z19fp: chargeback of $129.00"},
			{Label: "Ask about the refund policy", Description: "Another agent looks it up", Text: "Research the refund policy for a duplicate charge"},
		},
		Transport:   dialect.Transport,
		Profile:     dialect.Profile,
		NewPanel:    func() Panel { return new(refundPanel) },
		Approval:    refundApproval,
		Outcome:     refundOutcome,
		ToolSummary: refundToolSummary,
		Code: []CodeFile{
			{Path: "agenthost/refund/refund.go", Note: "the refund desk inside this process: instructions and the second agent"},
			{Path: "agenthost/refund/approval.go", Note: "the step after the model's answer: it pauses and issues"},
			{Path: "agenthost/dialect/langgraph.go", Note: "how it speaks as this runtime does"},
			{Path: "runtimes/langgraph/desk.py", Note: "the refund desk on the real runtime: a graph with a node that pauses"},
			{Path: "runtimes/langgraph/refund.py", Note: "customers, drafts and decisions, without a model"},
			{Path: "runtimes/langgraph/bridge.py", Note: "the bridge and its options"},
			{Path: "demos/langgraph.go", Note: "this demo: suggestions, approval, evidence"},
			{Path: "demos/profiles.go", Note: "where this runtime, and three others, put what is asked"},
			{Path: "demos/refund.go", Note: "the refund beside the chat"},
			{Path: "demos/stable.go", Note: "what a panel holds back while a run goes on"},
		},
	}
}

func askedRefund(p interrupt.Pending) (r refund, ok bool) {
	if json.Unmarshal(p.Payload, &r) != nil {
		return refund{}, false
	}
	kind, _ := member[string](p.Payload, "kind")
	return r, r.complete() != (refund{}) && (kind == "" || kind == "refund_approval")
}

// refundForm lets the amount be changed: what the service would refuse cannot be sent.
var refundForm = json.RawMessage(`{
	"type": "object",
	"properties": {
		"approved": {"type": "boolean"},
		"amount": {"type": "number", "title": "Amount to refund", "exclusiveMinimum": 0, "maximum": 100000, "multipleOf": 0.01}
	}
}`)

// refundSaid is the amount of an answer that changes it.
func refundSaid(answer json.RawMessage) string {
	if amount, _ := member[*float64](answer, "amount"); amount != nil {
		return "amount " + usd(*amount)
	}
	return ""
}

// refundApproval words the question that the graph pauses with.
func refundApproval(p interrupt.Pending) Approval {
	r, ok := askedRefund(p)
	if !ok {
		return Approval{}
	}
	a := Approval{
		Title: "Refund approval required", Approved: "Refund approved", Declined: "Refund declined",
		Hint: "Nothing is refunded until you approve.",
		Rows: []components.Field{{Label: "Amount", Value: usd(*r.Amount)}, {Label: "Customer", Value: r.Customer}},
		Form: refundForm, Said: refundSaid,
	}
	if r.Reason != "" {
		a.Rows = append(a.Rows, components.Field{Label: "Reason", Value: r.Reason})
	}
	return a
}

// refundOutcome reads the decision's effect from the shared state at the run's end,
// for this runtime sends no tool's result (measured); what the state says of another
// refund, or of another amount than was approved, counts for nothing, and neither does
// what it said before.
func refundOutcome(approved bool, e Evidence) (string, bool) {
	r, _ := member[refund](e.State, "refund")
	asked, ok := askedRefund(e.Asked)
	if amount, _ := member[*float64](e.Answer, "amount"); approved && amount != nil {
		asked.Amount = amount
	}
	before, _ := member[refund](e.Before, "refund")
	if !ok || !r.same(asked) || r.same(before) && r.Status == before.Status && r.ID == before.ID {
		r = refund{}
	}
	issued := r.Status == refundIssued && r.ID != ""
	switch {
	case approved && issued:
		return "Refunded. " + usd(*r.Amount) + " to " + r.Customer + ", refund " + r.ID + ".", true
	case approved:
		return "You approved, but the agent's state does not confirm a refund.", false
	case r.Status == refundIssued:
		return "You declined, but the agent's state shows it as refunded. Please check the payment.", false
	case r.Status == refundCancelled:
		return "Declined. Nothing was refunded.", true
	default:
		return "You declined. The agent's state does not say that nothing was refunded.", false
	}
}

// refundToolSummary reads what draft_refund was given and what lookup_customer found.
func refundToolSummary(tool, args, result string) string {
	switch tool {
	case "draft_refund":
		var r refund
		if json.Unmarshal([]byte(args), &r) != nil || r.complete() == (refund{}) || !strings.HasPrefix(result, "Draft saved") {
			return ""
		}
		return clip(usd(*r.Amount) + " to " + r.Customer + ", drafted")
	case "lookup_customer":
		var c struct {
			Name    string    `json:"name"`
			Plan    string    `json:"plan"`
			Charges []float64 `json:"last_charges"`
		}
		if json.Unmarshal([]byte(result), &c) != nil || c.Name == "" {
			return ""
		}
		s := c.Name
		if c.Plan != "" {
			s += " — " + c.Plan + " plan"
		}
		if len(c.Charges) > 0 {
			var charges []string
			for _, v := range c.Charges[:min(len(c.Charges), 4)] {
				charges = append(charges, usd(v))
			}
			s += ", last charged " + list(charges)
		}
		return clip(s)
	}
	return ""
}
