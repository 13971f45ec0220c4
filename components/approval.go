package components

import (
	"net/url"
	"strconv"
	"strings"

	"github.com/a-h/templ"
)

// ApprovalCard asks for a decision and later shows its result.
type ApprovalCard struct {
	Key, Title string
	// Phase is collecting, pending, sending, approved, declined, uncertain,
	// recovery-required or expired: data-phase.
	Phase string
	// Word is the phase's word in the card's corner, "" for its own.
	Word string
	// Requests are what is asked, at least one; they are answered in one post. Of is how
	// many were asked, when that is more than are shown.
	Requests []ApprovalRequest
	Of       int
	// OnlyDecline is true when the card does not show all that is asked, so that it can
	// only be declined as a whole.
	OnlyDecline bool
	// Over is set when there is more than the card shows.
	Over Over
	// Hint stands beside the buttons: "Nothing is booked until you approve."
	Hint string
	// Action is where the decision is posted: decision=approve|cancel for all of the
	// requests, or decision=each and a choice for each of several, with the fields.
	Action string
	// Error is the reason why a decision was refused; BadField names the field it is about.
	Error, BadField string
	// Outcome is the sentence after a decision ("Booked. Confirmation TP-0288.").
	Outcome string
}

// ApprovalRequest is one thing an agent asks for.
type ApprovalRequest struct {
	// Message is the agent's text, Rows are the facts to decide on. Without either
	// Tool is named.
	Rows          []Field
	Message, Tool string
	// Groups are the fields of its form, none when it is yes or no.
	Groups []InputGroup
	// Choices are the answers to choose from, each of which is a button that posts
	// [ValueOfChoice]; there are no Groups then.
	Choices []string
	// Answers is true when it is no yes or no but asks for something.
	Answers bool
	// Choice names the field of its own decision when there are several requests, and
	// Chosen is what it holds: approve, cancel or nothing.
	Choice, Chosen string
	// Decided is approved or declined after the decision, Said what was approved beside
	// yes, and Outcome what came of it when there are several.
	Decided, Said, Outcome string
}

// InputGroup is fields that belong together, with a legend, or those on their own.
type InputGroup struct {
	Legend, Help string
	Inputs       []Input
}

// Input is one field of a form.
type Input struct {
	// Kind is text, area, date, email, number, check, select or json.
	Kind string
	// Name is unique in the card, and short.
	Name, Label, Help string
	Value             string // of a select, the number of the option
	Required          bool
	Signed            bool // a number that may be negative
	Options           []string
}

// NameOfChoice is the field that holds the decision on one of several requests, and
// NameOfField a field of a request's form. Ids of the agent's are in neither.
func NameOfChoice(request int) string { return "q" + strconv.Itoa(request) + "-decision" }

func NameOfField(request, field int) string {
	return "q" + strconv.Itoa(request) + "-f" + strconv.Itoa(field)
}

// ValueOfChoice is the decision that chooses an answer of the only request.
func ValueOfChoice(choice int) string { return chooses + strconv.Itoa(choice) }

// ChoiceOf is the answer that a decision chooses; ok is false when it chooses none.
func ChoiceOf(decision string) (choice string, ok bool) { return strings.CutPrefix(decision, chooses) }

const chooses = "choose-"

// Refused is the card as it was posted, with the sentence why that was not taken.
func (a ApprovalCard) Refused(posted url.Values, sentence, field string) ApprovalCard {
	a.Error, a.BadField = sentence, field
	requests := make([]ApprovalRequest, len(a.Requests))
	for i, r := range a.Requests {
		r.Chosen = posted.Get(r.Choice)
		groups := make([]InputGroup, len(r.Groups))
		for j, g := range r.Groups {
			inputs := make([]Input, len(g.Inputs))
			for k, in := range g.Inputs {
				in.Value = strings.ToValidUTF8(posted.Get(in.Name), "�")
				inputs[k] = in
			}
			g.Inputs = inputs
			groups[j] = g
		}
		r.Groups = groups
		requests[i] = r
	}
	a.Requests = requests
	return a
}

// asking is true while a decision can be taken.
func (a ApprovalCard) asking() bool { return a.Phase == "pending" }

// fields is true when there is something to fill in.
func (a ApprovalCard) fields() bool {
	if a.OnlyDecline {
		return false
	}
	for _, r := range a.Requests {
		if len(r.Groups) > 0 || len(r.Choices) > 0 || len(a.Requests) > 1 {
			return true
		}
	}
	return false
}

// bad is true for the field that the error is about.
func (a ApprovalCard) bad(in Input) bool { return a.BadField != "" && in.Name == a.BadField }

func (a ApprovalCard) several() bool { return a.of() > 1 }

func (r ApprovalRequest) verb() string {
	if r.Answers {
		return "Send"
	}
	return "Approve"
}

// choices are the answers that are a button each.
func (a ApprovalCard) choices() []string {
	if len(a.Requests) != 1 {
		return nil
	}
	return a.Requests[0].Choices
}

func verbOf(a ApprovalCard) string {
	if len(a.Requests) == 0 {
		return "Approve"
	}
	return a.Requests[0].verb()
}

// described returns the ARIA attributes that link a field to its help and error texts.
func described(a ApprovalCard, id string, in Input) templ.OrderedAttributes {
	var ids []string
	if in.Help != "" {
		ids = append(ids, id+"-help")
	}
	var all templ.OrderedAttributes
	if a.bad(in) {
		ids = append(ids, a.Key+"-error")
		all = append(all, templ.KV[string, any]("aria-invalid", "true"))
	}
	if len(ids) > 0 {
		all = append(all, templ.KV[string, any]("aria-describedby", strings.Join(ids, " ")))
	}
	return all
}

// keyboard is the one that a phone shows for a number: some keypads have no minus.
func keyboard(in Input) string {
	if in.Signed {
		return "text"
	}
	return "decimal"
}

func (a ApprovalCard) of() int { return max(a.Of, len(a.Requests)) }

func requestTitle(n, of int) string {
	return "Request " + strconv.Itoa(n+1) + " of " + strconv.Itoa(of)
}

// decidedSentence returns the decision on a request. It returns "" while there is none, and
// when the card's own title states it.
func decidedSentence(r ApprovalRequest, several bool) string {
	switch {
	case r.Decided == "approved" && r.Answers:
		return strings.TrimSuffix("Answered: "+r.Said, ": ") + "."
	case r.Decided == "approved" && r.Said != "":
		return "Approved with " + r.Said + "."
	case !several || r.Outcome != "": // which states it
		return ""
	case r.Decided == "approved":
		return "Approved."
	case r.Decided == "declined":
		return "Declined."
	}
	return ""
}

func approvalGlyph(phase string) string {
	switch phase {
	case "approved":
		return "✓"
	case "declined":
		return "✕"
	case "uncertain", "recovery-required":
		return "?"
	case "expired":
		return "–"
	}
	return "◆"
}

func approvalWord(a ApprovalCard) string {
	if a.Word != "" {
		return a.Word
	}
	switch a.Phase {
	case "collecting":
		return "arriving"
	case "pending":
		return "needs you"
	case "sending":
		return "sending"
	case "uncertain":
		return "no answer"
	case "recovery-required":
		return "not finished"
	}
	return a.Phase
}

func approvalHint(a ApprovalCard) string {
	switch a.Phase {
	case "collecting":
		return "Still arriving. You can decide in a moment."
	case "sending":
		return "Sending your decision…"
	}
	return a.Hint
}

// approvalOutcome returns the text for the phase and claims no more than it. The booking
// itself is stated by Outcome, which the caller sets from evidence.
func approvalOutcome(a ApprovalCard) string {
	if a.Outcome != "" {
		return a.Outcome
	}
	if a.several() && (a.Phase == "approved" || a.Phase == "declined") {
		return "" // each request has its own
	}
	switch a.Phase {
	case "approved":
		return "You approved this."
	case "declined":
		return "You declined this."
	case "uncertain":
		return "Your decision was sent, but no answer came back. It may or may not have taken effect."
	case "recovery-required":
		return "The agent took your decision but did not finish, so it is not known whether it took effect."
	case "expired":
		return "This request ran out of time. Nothing was decided."
	}
	return ""
}
