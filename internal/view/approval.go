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
	asked, several, agreed := v.asked(a), len(a.Pending) > 1, 0
	words := titled(asked)
	if c.OnlyDecline = v.onlyDecline(a); c.OnlyDecline {
		if c.Of = len(a.Pending); a == v.thread.Open() {
			c.Of = max(c.Of, v.thread.Interrupts.Count())
		}
		c.Over = components.Over{
			Note: "This card does not show all that is asked, so it can only be declined here.",
			URL:  v.hub.urls.Text(v.threadID, partName(a.Key, partAsked)),
		}
	}
	for i, p := range a.Pending[:len(asked)] {
		w, f := asked[i], asked[i].form
		r := components.ApprovalRequest{Tool: plaintext.Reveal(p.ToolName, maxName), Message: w.Message, Rows: w.Rows, Answers: !f.Asks}
		if several {
			r.Choice = components.NameOfChoice(i)
		}
		if c.Phase == "pending" && !c.OnlyDecline {
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
				r.Outcome, _ = outcomeOf(v.demo, v.thread, a, i)
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

// approvalPhase gives the card's phase and, once decided, its sentence. What a
// decision led to is said only from evidence: a normally finished run other than
// the one that asked, with a tool result that says so. A card of several requests is
// approved when one of them was, and each has its own sentence.
func (v *view) approvalPhase(a *agentclient.Approval) (phase, outcome string) {
	at := a.Phase
	if a.Left != "" {
		at = a.Left
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
			return "expired", ""
		case err != nil:
			return "recovery-required", "This page cannot answer the way the agent asks. Nothing was decided; you can go on with a new message."
		}
		return "pending", ""
	case interrupt.PhaseClaimed, interrupt.PhaseResuming, interrupt.PhaseAcknowledged:
		return "sending", ""
	case interrupt.PhaseUncertain:
		return "uncertain", "It is not known whether your decision reached the agent: no answer came back. It may or may not have taken effect."
	case interrupt.PhaseRecoveryRequired:
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
	sentence, _ := outcomeOf(v.demo, v.thread, a, 0)
	return phase, sentence
}

// outcomeOf is what the decision on one request led to, "" while the run that carries it
// goes on; proven is true when that run shows it.
func outcomeOf(demo demos.Demo, t *agentclient.Session, a *agentclient.Approval, request int) (sentence string, proven bool) {
	d := a.Own()
	if !d.Finished && d.RunID == t.Run.ID && t.Run.Open {
		return "", false
	}
	verdict := d.Each[request]
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
