package demos

import (
	"math"

	"cairn/agentclient/jsonpatch"
	"cairn/components"
)

// refundPanel is the refund beside the chat. Other members of the state, of which
// LangChain's messages are the largest, are not shown.
type refundPanel struct {
	refund stablePanel[refund]
	last   cached[refund]
}

// How a refund stands, as the service says it.
const (
	refundDrafted   = "pending"
	refundIssued    = "issued"
	refundCancelled = "cancelled"
)

type refund struct {
	Customer string   `json:"customer_id"`
	Amount   *float64 `json:"amount"`
	Reason   string   `json:"reason"`
	Status   string   `json:"status"`
	ID       string   `json:"refund_id"`
}

func readRefund(v jsonpatch.Value) refund {
	f := fieldsOf(v)
	r := refund{
		Customer: f.text("customer_id"), Amount: f.number("amount"), Reason: f.text("reason"), Status: f.text("status"), ID: f.text("refund_id"),
	}
	if f.other {
		return refund{}
	}
	return r
}

// complete implements part.
func (r refund) complete() refund {
	if r.Customer == "" || r.Amount == nil {
		return refund{}
	}
	return r
}

// follows implements part.
func (r refund) follows(refund) bool { return r.Customer != "" && r.Amount != nil }

// same reports whether two are the same amount to the same customer.
func (r refund) same(other refund) bool {
	return r.Customer != "" && r.Customer == other.Customer &&
		r.Amount != nil && other.Amount != nil && cents(*r.Amount) == cents(*other.Amount)
}

// Update implements Panel. A state without the member says nothing about the refund: a
// snapshot at a node's end has only what that node wrote (measured), and it is the last
// one when a run breaks off.
func (p *refundPanel) Update(s Shared) {
	state := s.State
	member := state.Member("refund")
	live := p.last.of(member, readRefund)
	if state.Kind() == jsonpatch.KindObject && member.Kind() == jsonpatch.KindNone {
		live = p.refund.shown
	}
	p.refund.update(live, s.Running)
}

// View implements Panel.
func (p *refundPanel) View() components.Panel {
	r := p.refund.shown
	body := components.Facts{Empty: "No refund drafted yet. When the agent drafts one, it appears here."}
	v := components.Panel{
		Heading: "Shared state — refund", Summary: "No refund drafted yet", TestID: "refund-state", Updating: p.refund.updating(),
	}
	if r.Customer != "" {
		body.Title, body.Mark = "Refund", r.mark()
		body.Rows = []components.Field{{Label: "Customer", Value: clip(r.Customer)}, {Label: "Amount", Value: clip(usd(*r.Amount))}}
		if r.Reason != "" {
			body.Rows = append(body.Rows, components.Field{Label: "Reason", Value: clip(r.Reason)})
		}
		if r.ID != "" {
			body.Rows = append(body.Rows, components.Field{Label: "Refund ID", Value: clip(r.ID)})
		}
		v.Summary = withMark(clip(usd(*r.Amount))+" · "+clip(r.Customer), body.Mark)
	}
	v.Body = components.FactsView(body)
	return v
}

func (r refund) mark() components.Mark {
	switch r.Status {
	case refundDrafted:
		return components.Mark{Word: "drafted", Tone: components.ToneWait}
	case refundIssued:
		return components.Mark{Word: "issued", Tone: components.ToneDone}
	case refundCancelled:
		return components.Mark{Word: "cancelled", Tone: components.ToneOff}
	}
	return components.Mark{Word: clipTo(r.Status, maxWord), Tone: components.ToneOther}
}

// cents is an amount as it is compared.
func cents(v float64) float64 { return math.Round(v * 100) }
