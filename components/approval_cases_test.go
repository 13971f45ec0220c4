package components

import (
	"net/url"
	"strings"
	"testing"

	"github.com/a-h/templ"
	"golang.org/x/net/html"
)

// testForm is a request with a field of every kind.
func testForm() ApprovalCard {
	a := testApproval("pending")
	a.Requests[0].Groups = []InputGroup{
		{Inputs: []Input{
			{Kind: "number", Name: "q0-f0", Label: "Amount", Help: "In dollars.", Value: "47.50", Required: true},
			{Kind: "select", Name: "q0-f1", Label: "Size", Value: "1", Options: []string{"small", "large"}},
			{Kind: "check", Name: "q0-f2", Label: "Tell them", Help: "By mail.", Value: "on"},
		}},
		{Legend: "Arguments", Help: "What it will be called with.", Inputs: []Input{
			{Kind: "text", Name: "q0-f3", Label: "Site", Value: "North Pines", Required: true},
			{Kind: "area", Name: "q0-f4", Label: "Note", Value: "\ntwo\nlines"},
			{Kind: "json", Name: "q0-f5", Label: "Tags", Value: "[\n  1\n]", Required: true},
			{Kind: "date", Name: "q0-f6", Label: "Day"},
			{Kind: "email", Name: "q0-f7", Label: "Mail"},
		}},
	}
	return a
}

func testTwo(phase string) ApprovalCard {
	return ApprovalCard{Key: "p", Title: "Expense approval required", Phase: phase, Action: "/t/1/interrupts/1", Requests: []ApprovalRequest{
		{Tool: "submit_expense", Rows: []Field{{"Vendor", "Blue Finch Bistro"}}, Choice: NameOfChoice(0)},
		{Tool: "submit_expense", Message: "Which one?", Choice: NameOfChoice(1), Answers: true,
			Groups: []InputGroup{{Inputs: []Input{{Kind: "text", Name: NameOfField(1, 0), Label: "Your answer", Required: true}}}}},
	}}
}

// formCases are the states of a card that is filled in.
func formCases() map[string]templ.Component {
	edited := testApproval("approved")
	edited.Outcome = "Booked. Confirmation TP-0288."
	edited.Requests[0].Decided, edited.Requests[0].Said = "approved", "nights 3"
	mixed := testTwo("approved")
	mixed.Word = "1 of 2 approved"
	mixed.Requests[0].Decided, mixed.Requests[0].Outcome = "declined", "Declined. Nothing was submitted."
	mixed.Requests[1].Decided, mixed.Requests[1].Said = "approved", "your answer “both”"
	return map[string]templ.Component{
		"approval_two":          ApprovalView(testTwo("pending")),
		"approval_two_refused":  ApprovalView(testTwo("pending").Refused(url.Values{"q0-decision": {"approve"}, "q1-f0": {"<i>both"}}, "Please choose Send or Decline for request 2.", "q1-decision")),
		"approval_form":         ApprovalView(testForm()),
		"approval_form_refused": ApprovalView(testForm().Refused(url.Values{"q0-f0": {"-1"}, "q0-f3": {"A\xff"}}, "Amount must be more than 0.", "q0-f0")),
		"approval_edited":       ApprovalView(edited),
		"approval_mixed":        ApprovalView(mixed),
	}
}

// TestFormHostileTextEscaped: what a schema says is text wherever it stands, and
// is never an id, a name or a pattern that a browser would run.
func TestFormHostileTextEscaped(t *testing.T) {
	const words = `"><b>forged</b></textarea></option></select><i onclick=x>`
	var inputs []Input
	for _, kind := range []string{"text", "area", "date", "email", "number", "check", "select", "json"} {
		inputs = append(inputs, Input{Kind: kind, Name: NameOfField(0, len(inputs)), Label: words, Help: words, Value: words, Options: []string{words}})
	}
	a := testTwo("pending")
	a.Error = words
	a.Requests[0].Groups = []InputGroup{{Legend: words, Help: words, Inputs: inputs}}
	decided := testTwo("approved")
	decided.Word, decided.Requests[0].Decided, decided.Requests[0].Said, decided.Requests[1].Outcome = words, "approved", words, words
	for _, card := range []ApprovalCard{a, decided} {
		out := render(t, ApprovalView(card))
		if !strings.Contains(out, "forged") {
			t.Error("nothing of the hostile words is shown: the test proves nothing")
		}
		each(t, out, func(n *html.Node) {
			if n.Data == "b" || n.Data == "i" {
				t.Errorf("hostile words became <%s>", n.Data)
			}
			for _, attr := range n.Attr {
				if attr.Key != "value" && attr.Key != "min" && strings.Contains(attr.Val, "forged") || attr.Key == "pattern" {
					t.Errorf("<%s %s=%q>", n.Data, attr.Key, attr.Val)
				}
			}
		})
	}
}
