package view

import (
	"errors"
	"fmt"
	"time"

	"cairn/agentclient"
	"cairn/agentclient/interrupt"
	"cairn/components"
	"cairn/demos"
	"cairn/internal/plaintext"
)

func (v *view) approvalCard(a *agentclient.Approval) components.ApprovalCard {
	c := components.ApprovalCard{Action: v.hub.urls.Decide(v.threadID, a.Generation)}
	c.Phase, c.Outcome = v.approvalPhase(a)
	c.Word = cornerWord(a, c.Phase)
	asked, several, agreed := v.asked(a), len(a.Pending) > 1, 0
	words := titled(asked)
	if c.OnlyDecline = v.onlyDecline(a); c.OnlyDecline {
		if c.Of = len(a.Pending); a == v.thread.Open() {
			c.Of = max(c.Of, v.thread.Interrupts.Count())
		}
		c.Over = components.Over{
			Note: "This card does not show all that is asked.",
			URL:  v.hub.urls.Text(v.threadID, partName(a.Key, partAsked)),
		}
		if c.Phase == "pending" {
			c.Over.Note = "This card does not show all that is asked, so it can only be declined here."
		}
	}
	for i, p := range a.Pending[:len(asked)] {
		w, f := asked[i], asked[i].form
		r := components.ApprovalRequest{Tool: plaintext.Reveal(p.ToolName, maxName), Message: w.Message, Rows: w.Rows, Answers: !f.Asks}
		if several {
			r.Choice = components.NameOfChoice(i)
		}
		switch {
		case c.Phase != "pending" || c.OnlyDecline:
		case !several && f.Choices() != nil:
			for _, option := range f.Choices() {
				r.Choices = append(r.Choices, plaintext.Reveal(option, maxName))
			}
		default:
			r.Groups = groupsOf(i, f)
		}
		if d := a.Own(); d != nil {
			verdict := d.Each[i]
			r.Decided = "declined"
			if verdict.Approved {
				r.Decided, r.Said = "approved", f.Said(verdict.Answer)
				if w.Said != nil {
					r.Said = w.Said(verdict.Answer)
				}
			}
			if several && settled(c.Phase) {
				r.Outcome = v.outcome(a, i)
			}
		}
		c.Requests = append(c.Requests, r)
	}
	if d := a.Own(); d != nil {
		for _, verdict := range d.Each {
			if verdict.Approved {
				agreed++
			}
		}
	}
	c.Title, c.Hint = words.Title, words.Hint
	if words.Title == answerTitle && settled(c.Phase) { // nothing was approved
		c.Word = "answered"
		if c.Phase == "declined" {
			c.Word = "not answered"
		}
	}
	switch {
	case c.Phase == "declined":
		c.Title = words.Declined
	case c.Phase == "approved" && agreed < len(a.Pending):
		c.Title = "Your decisions"
		c.Word = fmt.Sprintf("%d of %d approved", agreed, len(a.Pending))
	case c.Phase == "approved":
		c.Title = words.Approved
	}
	return c
}

func settled(phase string) bool { return phase == "approved" || phase == "declined" }

// approvalPhase returns the card's phase and, once decided, its sentence. The sentence
// states the result of a decision only with evidence: a normally finished run other than
// the one that asked, with a tool result that confirms it. A card of several requests is
// approved when one of them was, and each has its own sentence.
func (v *view) approvalPhase(a *agentclient.Approval) (phase, outcome string) {
	at := a.Phase
	if a.Left != "" {
		at = a.Left
	}
	if a.Refused != nil {
		return refusedPhase(a, at)
	}
	switch at {
	case interrupt.PhaseCollecting:
		return "collecting", ""
	case interrupt.PhasePending:
		if a.Decision != nil {
			return "uncertain", "Your decision did not reach the agent, so nothing has happened yet. You can send it again below."
		}
		switch err := v.thread.Interrupts.Answerable(agentclient.Answer(a.Pending, true), time.Now()); {
		case a.Left != "":
			return "expired", "You went on without deciding this."
		case errors.Is(err, interrupt.ErrExpired):
			return "expired", "This request ran out of time. Nothing was decided; you can go on with a new message."
		case errors.Is(err, interrupt.ErrTooMany):
			return cannotAnswer, fmt.Sprintf("The agent asks for %d things at once, more than can be answered. %s", v.thread.Interrupts.Count(), goOn)
		case err != nil:
			return cannotAnswer, "This page cannot answer the way the agent asks. " + goOn
		}
		return "pending", ""
	case interrupt.PhaseClaimed, interrupt.PhaseResuming, interrupt.PhaseAcknowledged:
		return "sending", ""
	case interrupt.PhaseUncertain:
		return "uncertain", "It is not known whether your decision reached the agent: no answer came back. It may or may not have taken effect."
	case interrupt.PhaseRecoveryRequired:
		if d := a.Own(); d != nil && d.Cancelled {
			return "recovery-required", "You decided, and then the agent cancelled its work. It is not known whether your decision took effect. You can go on with a new message."
		}
		return "recovery-required", ""
	}
	d := a.Own()
	if d == nil {
		return "expired", "The agent went on without a decision. Nothing was approved here."
	}
	phase = "declined"
	for i := range a.Pending {
		if d.Each[i].Approved {
			phase = "approved"
		}
	}
	if len(a.Pending) != 1 {
		return phase, ""
	}
	return phase, v.outcome(a, 0)
}

// cannotAnswer is the phase of a card that asks what nobody can answer, and goOn what can
// be done then.
const (
	cannotAnswer = "recovery-required"
	goOn         = "Nothing was decided. You can go on with a new message; the request is then left without an answer."
)

// refusedPhase is approvalPhase for what nobody can answer.
func refusedPhase(a *agentclient.Approval, at interrupt.Phase) (phase, outcome string) {
	switch {
	case a.Decision != nil:
		phase = "recovery-required"
		if at == interrupt.PhaseUncertain {
			phase = "uncertain"
		}
		return phase, "The agent went on to ask for something that cannot be answered, so it is not known whether your decision took effect. You can go on with a new message."
	case a.Left != "":
		return "expired", "This could not be answered, and you went on without."
	case errors.Is(a.Refused, interrupt.ErrForeignPause):
		return cannotAnswer, "The agent ended its run in the name of another conversation, so what it asks cannot be answered here. " + goOn
	case len(a.Pending) == 0:
		return cannotAnswer, "The agent paused without saying what it waits for. " + goOn
	}
	return cannotAnswer, "The agent did not mark its requests in a way that lets them be answered one by one. " + goOn
}

// cornerWord is the word in the card's corner where the phase has none that fits, else "".
func cornerWord(a *agentclient.Approval, phase string) string {
	switch d := a.Own(); {
	case phase != cannotAnswer:
	case d != nil && d.Cancelled:
		return "cancelled"
	case a.Decision == nil:
		return "cannot be answered"
	}
	return ""
}

// outcome is outcomeOf for a card: an answer in words approves nothing.
func (v *view) outcome(a *agentclient.Approval, request int) string {
	sentence, _ := outcomeOf(v.demo, v.thread, a, request)
	d := a.Own()
	if w := v.asked(a); sentence != "" && !d.Cancelled && request < len(w) && !w[request].form.Asks && w[request].Title == answerTitle {
		if d.Each[request].Approved {
			return "Your answer was sent."
		}
		return "You did not answer."
	}
	return sentence
}

// outcomeOf is what the decision on one request led to, "" while the run that carries it
// goes on; proven is true when that run shows it.
func outcomeOf(demo demos.Demo, t *agentclient.Session, a *agentclient.Approval, request int) (sentence string, proven bool) {
	d := a.Own()
	if !d.Finished && d.RunID == t.Run.ID && t.Run.Open {
		return "", false
	}
	verdict := d.Each[request]
	switch {
	case d.Cancelled && verdict.Approved:
		return "You approved this, and then the agent cancelled its work. It is not known whether it was done.", false
	case d.Cancelled:
		return "You declined this, and the agent cancelled its work.", false
	}
	e := demos.Evidence{Asked: a.Pending[request], Answer: verdict.Answer, Results: d.Results[request]}
	if len(a.Pending) == 1 {
		e.Before, e.State = d.Before, d.State
	}
	sentence, proven = demo.Outcome(verdict.Approved, e)
	if proven && (!d.Finished || d.RunID == a.PausedRun) {
		return "The agent's run did not end normally, so this is not confirmed.", false
	}
	return sentence, proven
}
