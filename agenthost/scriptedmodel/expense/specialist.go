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
	advice   string
}

var rules = []rule{
	{"meals", 300, "receipts are needed above $25", "name the attendees in the memo"},
	{"travel", 1500, "every receipt is needed", "book the standard fare where there is one"},
	{"equipment", 800, "every receipt is needed", "it stays the company's and goes on its list"},
	{"software", 500, "every receipt is needed", "check first whether there is a licence already"},
	{"general", 200, "receipts are needed above $25", "say in the memo what it was for"},
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
	return script.Reply{Text: fmt.Sprintf("- **Limit:** %s\n- **Receipts:** %s\n- **Advice:** %s", verdict, r.receipt, r.advice)}
}
