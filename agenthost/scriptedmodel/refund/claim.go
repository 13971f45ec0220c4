package refund

import (
	"regexp"
	"strconv"
	"strings"

	"cairn/agenthost/scriptedmodel/script"
)

// claim is what a message asks for.
type claim struct {
	refund, policy, lookup bool

	amount   float64 // US dollars; 0 when it was not said
	customer string
	reason   string
	manners  string
}

// missing is the question for what a draft lacks, or nothing.
func (c claim) missing() string {
	switch {
	case c.amount == 0 && c.customer == "":
		return askBoth
	case c.amount == 0:
		return askAmount
	case c.customer == "":
		return askCustomer
	}
	return ""
}

// facts are the draft's members; what was not said is left out.
func (c claim) facts() map[string]any {
	out := map[string]any{"is_refund": c.refund}
	if c.amount > 0 {
		out["amount"], out["amount_usd"] = c.amount, c.amount
	}
	if c.customer != "" {
		out["customer_id"], out["customer"] = c.customer, c.customer
	}
	if c.refund {
		out["reason"] = c.reason
	}
	return out
}

// hear reads the user's message, and what it completes when the model had asked.
func hear(t script.Turn) claim {
	c := read(t.User)
	c.manners = manners().Answer(t.User)
	if t.Before == "" || c.policy || c.manners != "" || c.refund && c.missing() == "" {
		return c
	}
	whole := read(t.Heard())
	if c.amount > 0 {
		whole.amount = c.amount
	} else if n, ok := script.BareAmount(t.User); ok && strings.HasPrefix(t.Asked, "How much") {
		whole.amount = n
	}
	if c.customer != "" {
		whole.customer = c.customer
	}
	return whole
}

var (
	customerID   = regexp.MustCompile(`\bcus_[A-Za-z0-9_]{1,40}\b`)
	customerNo   = regexp.MustCompile(`(?i)\bcustomer (?:id |number |no\.? )?#?([A-Za-z]*-?\d[A-Za-z0-9-]{0,30})\b`)
	refundAmount = regexp.MustCompile(`(?i)\brefund(?: of)? (\d[\d,]*(?:\.\d{1,2})?)\b`)
	forReason    = regexp.MustCompile(`(?i)\bfor (?:the |an? |our )?([a-z][a-z ]{2,60})[.!]?$`)
	saidReason   = regexp.MustCompile(`(?i)\b(?:because(?: of)?|reason(?: is|:)?|since|due to) ([^.;!?]{3,100})`)
)

// reasons are told by a word or phrase.
var reasons = []struct {
	reason string
	words  []string
}{
	{"Duplicate charge", []string{"duplicate", "duplicates", "charged twice", "double charge", "double charged", "charged double", "billed twice", "twice"}},
	{"Chargeback", []string{"chargeback", "chargebacks", "charge back", "disputed", "dispute"}},
	{"Damaged item", []string{"damaged", "broken", "defective", "faulty"}},
	{"Item never arrived", []string{"never arrived", "not delivered", "didn't arrive", "lost in the mail", "missing package"}},
	{"Late delivery", []string{"late", "delayed", "delay"}},
	{"Wrong item", []string{"wrong item", "wrong product", "wrong size", "wrong"}},
	{"Cancelled order", []string{"cancelled", "canceled", "cancel", "cancellation"}},
	{"Returned item", []string{"returned", "return", "returns", "sent back"}},
	{"Overcharged", []string{"overcharged", "overcharge", "too much"}},
}

// noReason is the reason of a draft when none was said.
const noReason = "Customer request"

func read(text string) claim {
	text = script.Plain(text)
	said := script.Listen(text)
	c := claim{reason: noReason}
	c.amount, _ = script.Amount(text)
	if m := refundAmount.FindStringSubmatch(text); m != nil && c.amount == 0 {
		c.amount, _ = strconv.ParseFloat(strings.ReplaceAll(m[1], ",", ""), 64)
	}
	c.customer = customerID.FindString(text)
	if m := customerNo.FindStringSubmatch(text); m != nil && c.customer == "" {
		c.customer = m[1]
	}
	known := false
	for _, r := range reasons {
		if said.Has(r.words...) {
			c.reason, known = r.reason, true
			break
		}
	}
	for _, p := range []*regexp.Regexp{forReason, saidReason} { // what is said as one counts most
		if m := p.FindStringSubmatch(text); m != nil && !known && !script.Has(m[1], "customer", "me", "us") {
			c.reason = script.Capital(strings.TrimSpace(m[1]))
		}
	}
	c.policy = said.Has("policy", "policies", "rules", "allowed", "eligible", "how long", "can we refund", "research")
	c.refund = (said.Has("refund", "refunds", "reimburse", "pay back", "money back", "chargeback", "credit") || c.customer != "" && c.amount > 0) &&
		!said.Has("don't refund", "do not refund")
	if c.policy && c.missing() != "" {
		c.refund = false // a question about refunds asks for none
	}
	c.lookup = !c.refund && !c.policy && (c.customer != "" || said.Has("customer")) &&
		said.Has("look up", "lookup", "who", "who's", "plan", "charges", "charged", "show", "what", "tell me", "find", "check", "details", "facts", "about")
	return c
}
