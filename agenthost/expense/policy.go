package expense

import (
	"fmt"
	"strings"
)

// rule is the policy for a category, in whole US dollars.
type rule struct{ limit, receiptAbove int }

var rules = map[string]rule{
	"meals":     {300, 25},
	"travel":    {1500, 0},
	"equipment": {800, 0},
	"software":  {500, 0},
}

// Policy returns the policy for a category, in one sentence.
func Policy(category string) string {
	name := strings.ToLower(strings.TrimSpace(category))
	r, known := rules[name]
	if !known {
		if name == "" {
			name = "this"
		}
		return fmt.Sprintf("There is no limit of its own for %s: the general limit is $200 with a receipt.", name)
	}
	receipt := "for every amount"
	if r.receiptAbove > 0 {
		receipt = fmt.Sprintf("above $%d", r.receiptAbove)
	}
	return fmt.Sprintf("The limit for %s is $%d; a receipt is needed %s.", name, r.limit, receipt)
}
