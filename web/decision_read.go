package web

import (
	"errors"
	"fmt"
	"maps"
	"net/url"

	"cairn/components"
	"cairn/internal/form"
	"cairn/internal/runner"
	"cairn/internal/view"
)

// unfit is the reason why a posted form is no decision: a sentence with the correction, and the
// field it is about, "" when it is about none.
type unfit struct{ text, field string }

func (u *unfit) Error() string { return u.text }

// readDecision reads a posted form as the verdicts on what is asked, one for each request
// in their order. The error is an [*unfit].
func readDecision(q view.Question, posted url.Values) ([]runner.Verdict, error) {
	all := posted.Get("decision")
	if !q.Answerable { // the runner returns why it refuses
		return alike(q.Asked, all == "approve"), nil
	}
	if q.OnlyDecline {
		if all != "cancel" {
			return nil, &unfit{text: "This page does not show all that is asked, so it can only decline."}
		}
		return alike(q.Asked, false), nil
	}
	posted = withChoice(q, posted)
	if err := known(q, posted); err != nil {
		return nil, err
	}
	each := make([]runner.Verdict, len(q.Requests))
	for i, r := range q.Requests {
		get := func(field int) (string, bool) {
			values, there := posted[components.NameOfField(i, field)]
			if !there {
				return "", false
			}
			return values[0], true
		}
		switch chosen(posted, i, len(q.Requests)) {
		case "approve":
			if r.NoRoom {
				return nil, &unfit{fmt.Sprintf("Request %d asks for more than yes or no, and this page has no room for its form. You can decline it.", i+1), components.NameOfChoice(i)}
			}
			answer, err := r.Form.Read(get)
			if err != nil {
				return nil, unfitField(err, i, len(q.Requests))
			}
			each[i] = runner.Verdict{Approved: true, Answer: answer}
		case "cancel":
			each[i] = runner.Verdict{Answer: r.Form.Decline(get)}
		default:
			return nil, undecided(r.Form, i, len(q.Requests))
		}
	}
	return each, nil
}

// withChoice is the form as posted, in which a button that is an answer reads like the
// field it fills in.
func withChoice(q view.Question, posted url.Values) url.Values {
	choice, ok := components.ChoiceOf(posted.Get("decision"))
	if !ok || len(q.Requests) != 1 || q.Requests[0].Form.Choices() == nil {
		return posted
	}
	filled := maps.Clone(posted)
	filled["decision"] = []string{"approve"}
	filled[components.NameOfField(0, 0)] = []string{choice}
	return filled
}

// alike is the same verdict on each of n requests, in no other words than yes or no.
func alike(n int, approved bool) []runner.Verdict {
	v := runner.Verdict{Approved: approved}
	nothing := func(int) (string, bool) { return "", false }
	if approved {
		v.Answer, _ = form.Plain().Read(nothing) // it has no field that could be wrong
	} else {
		v.Answer = form.Plain().Decline(nothing)
	}
	each := make([]runner.Verdict, n)
	for i := range each {
		each[i] = v
	}
	return each
}

// chosen is the decision on a request: that on all of them, or its own.
func chosen(posted url.Values, request, of int) string {
	if all := posted.Get("decision"); all != "each" || of < 2 {
		return all
	}
	return posted.Get(components.NameOfChoice(request))
}

func undecided(f form.Form, request, of int) error {
	yes := "Approve"
	switch {
	case f.Choices() != nil:
		yes = "an answer"
	case !f.Asks:
		yes = "Send"
	}
	if of < 2 {
		return &unfit{text: fmt.Sprintf("Please choose %s or Cancel.", yes)}
	}
	return &unfit{fmt.Sprintf("Please choose %s or Decline for request %d.", yes, request+1), components.NameOfChoice(request)}
}

func unfitField(err error, request, of int) error {
	var p *form.Problem
	if !errors.As(err, &p) {
		return err
	}
	u := &unfit{text: p.Text}
	if p.Field >= 0 {
		u.field = components.NameOfField(request, p.Field)
	}
	if of > 1 {
		u.text = fmt.Sprintf("Request %d: %s", request+1, p.Text)
	}
	return u
}

// known refuses what was not on the form.
func known(q view.Question, posted url.Values) error {
	names := map[string]bool{"decision": true}
	for i, r := range q.Requests {
		if len(q.Requests) > 1 {
			names[components.NameOfChoice(i)] = true
		}
		for n := range r.Form.Fields {
			names[components.NameOfField(i, n)] = true
		}
	}
	for name, values := range posted {
		if len(values) != 1 || !names[name] {
			return &unfit{text: "This form has changed or holds what nobody asked for. Please reload the page."}
		}
	}
	return nil
}
