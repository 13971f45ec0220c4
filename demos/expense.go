package demos

import (
	"cairn/agentclient/interrupt"
	"cairn/agentclient/jsonpatch"
	"cairn/components"
)

// expensePanel is the expense beside the chat. Its state has no status; how it stands
// is shown once the decision on it is proven.
type expensePanel struct {
	expense stablePanel[expense]
	decided []Decided

	last cached[expense]
}

// expense is what is filed. Note is nil while it is being written.
type expense struct {
	Vendor   string   `json:"vendor"`
	Category string   `json:"category"`
	Amount   *float64 `json:"amount_usd"`
	Note     *string  `json:"memo"`
}

func readExpense(v jsonpatch.Value) expense {
	f := fieldsOf(v)
	e := expense{Vendor: f.text("vendor"), Category: f.text("category"), Amount: f.number("amount_usd"), Note: f.maybe("memo")}
	if f.other {
		return expense{}
	}
	return e
}

// Memo is the note, "" without one.
func (e expense) Memo() string {
	if e.Note == nil {
		return ""
	}
	return *e.Note
}

// complete implements part.
func (e expense) complete() expense {
	if e.Vendor == "" {
		return expense{}
	}
	return e
}

// follows implements part: no value is missing that is shown, and none is the shown
// one cut short.
func (e expense) follows(shown expense) bool {
	return e.Vendor != "" && (e.Amount != nil || shown.Amount == nil) &&
		!cutShort(e.Vendor, shown.Vendor) && !cutShort(e.Category, shown.Category) && !cutShort(e.Memo(), shown.Memo())
}

// same reports whether two are about one expense.
func (e expense) same(other expense) bool {
	return e.Vendor == other.Vendor && e.Category == other.Category && e.Memo() == other.Memo() &&
		e.Amount != nil && other.Amount != nil && cents(*e.Amount) == cents(*other.Amount)
}

// Update implements Panel. An amount whose digits may still be arriving is held back:
// the memo comes after it.
func (p *expensePanel) Update(s Shared) {
	live := p.last.of(s.State.Member("expense"), readExpense)
	if s.Running && live.Note == nil {
		live.Amount = nil
	}
	p.expense.update(live, s.Running)
	p.decided = s.Decided
}

// View implements Panel.
func (p *expensePanel) View() components.Panel {
	e := p.expense.shown
	body := components.Facts{Empty: "No expense yet. As the agent fills one in, it appears here."}
	v := components.Panel{
		Heading: "Shared state — expense", Summary: "No expense yet", TestID: "expense-state", Updating: p.expense.updating(),
	}
	if e.Vendor != "" {
		body.Title = "Expense"
		body.Mark = mark(p.decided, "recorded", func(q interrupt.Pending) bool {
			asked, ok := askedExpense(q)
			return ok && asked.same(e)
		})
		body.Rows = append(body.Rows, components.Field{Label: "Vendor", Value: clip(e.Vendor)})
		if e.Category != "" {
			body.Rows = append(body.Rows, components.Field{Label: "Category", Value: clip(e.Category)})
		}
		v.Summary = withMark(e.Vendor, body.Mark)
		if e.Amount != nil {
			body.Rows = append(body.Rows, components.Field{Label: "Amount", Value: clip(usd(*e.Amount))})
			v.Summary = withMark(clip(usd(*e.Amount))+" · "+clip(e.Vendor), body.Mark)
		}
		if e.Memo() != "" {
			body.Rows = append(body.Rows, components.Field{Label: "Memo", Value: clip(e.Memo())})
		}
	}
	v.Body = components.FactsView(body)
	return v
}
