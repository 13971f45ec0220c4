package refund

import (
	"fmt"

	"cairn/agenthost/scriptedmodel/script"
)

// rule is what the shop's policy says about one reason.
type rule struct{ reason, window, amount, proof string }

var rules = []rule{
	{"Duplicate charge", "any time within 180 days", "the second charge in full", "both charges on the statement"},
	{"Chargeback", "within 120 days of the charge", "in full, unless the bank has paid already", "the bank's case number"},
	{"Damaged item", "within 30 days of delivery", "in full, with the shipping", "a photo of the damage"},
	{"Item never arrived", "from 10 days after shipping", "in full, with the shipping", "the carrier's tracking"},
	{"Late delivery", "within 14 days of delivery", "the shipping only", "the carrier's tracking"},
}

func ruleFor(reason string) rule {
	for _, r := range rules {
		if r.reason == reason {
			return r
		}
	}
	return rule{reason, "within 30 days of the charge", "in full, less the shipping", "the order's number"}
}

// advise is the researcher's answer: three bullets on the case asked for.
func advise(t script.Turn) script.Reply {
	r := ruleFor(read(t.User).reason)
	return script.Reply{Text: fmt.Sprintf("- **When:** %s\n- **How much:** %s\n- **Proof:** %s", r.window, r.amount, r.proof)}
}

func policySentence(c claim) string {
	r := ruleFor(c.reason)
	return fmt.Sprintf("%s: refunded %s, %s, with %s.", r.reason, r.amount, r.window, r.proof)
}
