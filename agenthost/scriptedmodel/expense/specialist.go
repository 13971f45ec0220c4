package expense

import (
	"fmt"

	"cairn/agenthost/scriptedmodel/script"
)

// rule is what the company allows for one category.
type rule struct {
	category string
	limit    float64 // US dollars an expense
	receipt  string
	risk     string
}

var rules = []rule{
	{"meals", 300, "needed above $25", "it is sent back when the memo does not name the attendees"},
	{"travel", 1500, "needed for every amount", "fares above the standard class are not paid"},
	{"equipment", 800, "needed for every amount", "what is not on the company's list of equipment is not insured"},
	{"software", 500, "needed for every amount", "a licence the company has already is not paid twice"},
	{"other", 200, "needed for every amount", "it is sent back when the memo does not say what it was for"},
}

// advise is the researcher's answer: three bullets on the category asked for.
func advise(t script.Turn) script.Reply {
	c := read(t.User)
	r := rules[len(rules)-1]
	for _, x := range rules {
		if x.category == c.category() {
			r = x
		}
	}
	amount := c.amount
	verdict := "up to " + script.Dollars(r.limit) + " an expense"
	switch {
	case amount > r.limit:
		verdict += fmt.Sprintf(", so %s needs a manager's approval", script.Dollars(amount))
	case amount > 0:
		verdict += fmt.Sprintf(", so %s is within it", script.Dollars(amount))
	}
	return script.Reply{Text: fmt.Sprintf("- **Limit:** %s\n- **Receipt:** %s\n- **Risk:** %s", verdict, r.receipt, r.risk)}
}
