package expense

import (
	"slices"
	"strings"

	"cairn/agenthost/scriptedmodel/script"
)

// claim is what a message asks for.
type claim struct {
	file, policy, research, cancel bool
	implied                        bool // to be filed because it looks like it

	vendor     string
	amount     float64 // US dollars; 0 when it was not said
	categories []string
	memo       string
	manners    string
}

// expense is the tool's argument, in the order a form has.
type expense struct {
	Vendor   string  `json:"vendor"`
	Category string  `json:"category"`
	Amount   float64 `json:"amount_usd"`
	Memo     string  `json:"memo"`
}

func (c claim) expense() expense { return expense{c.vendor, c.category(), c.amount, c.memo} }

// category is the first that was named; what fits none is "other".
func (c claim) category() string {
	if len(c.categories) == 0 {
		return "other"
	}
	return c.categories[0]
}

// missing is the question for what a submission lacks, or nothing.
func (c claim) missing() string {
	switch {
	case c.amount == 0 && c.vendor == "":
		return askBoth
	case c.amount == 0:
		return askAmount
	case c.vendor == "":
		return askVendor
	}
	return ""
}

// hear reads the user's message, and what it completes when the model had asked.
func hear(t script.Turn) claim {
	c := read(t.User)
	c.manners = manners().Answer(t.User)
	if t.Before == "" || c.file && !c.implied || c.policy || c.research || c.cancel || c.manners != "" {
		return c
	}
	whole := read(t.Heard())
	whole.research = false // was done before the question
	if c.amount > 0 {
		whole.amount = c.amount
	} else if n, ok := script.BareAmount(t.User); ok && strings.Contains(t.Asked, "How much") {
		whole.amount = n
	}
	if c.vendor != "" {
		whole.vendor = c.vendor
	} else if v := short(strings.Trim(script.Plain(t.User), " .!\"")); whole.vendor == "" && strings.HasSuffix(t.Asked, askVendor) && v != "" {
		whole.vendor = v
	}
	return whole
}

func read(text string) claim {
	text = script.Plain(text)
	said := script.Listen(text)
	c := claim{categories: categories(text), vendor: vendor(text), memo: memo(text)}
	c.amount, _ = script.Amount(text)
	c.cancel = said.Has("cancel", "undo", "take back", "delete", "withdraw") && said.Has("expense", "claim", "submission", "it")
	c.policy = said.Has("policy", "policies", "limit", "limits", "allowed", "allow", "rules", "maximum", "cap", "receipt", "receipts", "how much can", "can i spend", "covered")
	c.research = said.Has("research", "researcher", "look into", "in detail")
	c.file = said.Has("file", "submit", "claim", "reimburse", "log", "record", "expense my", "expense a", "expense an", "expense the", "expense our", "i paid", "we paid", "i spent", "we spent", "i bought", "we bought") &&
		!said.Has("don't", "do not", "did i file", "have i filed")
	if c.policy && !c.research && said.Has("what", "what's", "how much", "is there", "are", "which", "can i") && !(c.amount > 0 && c.vendor != "") {
		c.file = false
	}
	c.implied = !c.file && !c.policy && !c.research && c.amount > 0 && c.vendor != ""
	c.file = c.file || c.implied
	return c
}

// kind is a category and what tells it.
type kind struct {
	category string
	words    []string
}

var kinds = []kind{
	{"meals", strings.Fields("meals meal dinner dinners lunch lunches breakfast brunch coffee restaurant catering food drinks snacks pizza")},
	{"travel", strings.Fields("travel flight flights hotel hotels taxi taxis train trains cab uber lyft airfare conference mileage parking trip airbnb rail")},
	{"equipment", strings.Fields("equipment monitor monitors laptop laptops keyboard mouse desk chair headset headphones display hardware computer phone tablet webcam printer dock")},
	{"software", strings.Fields("software license licence licenses subscription subscriptions saas app plugin")},
}

// categories are those a message names, in its order.
func categories(text string) []string {
	var out []string
	for _, w := range script.Words(text) {
		for _, k := range kinds {
			if slices.Contains(k.words, w) && !slices.Contains(out, k.category) {
				out = append(out, k.category)
			}
		}
	}
	return out
}
