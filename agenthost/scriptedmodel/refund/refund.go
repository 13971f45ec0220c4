// Package refund is the script of the refund desk and of its policy researcher:
// drafts of refunds for a person to approve, and what the policy says.
package refund

import (
	"strings"

	"cairn/agenthost/scriptedmodel/script"
)

const toolResearch = "research_refund_policy"

// What the desk says when there is nothing to draft.
const (
	NotUnderstood = "I am the built-in scripted model and only know refunds to draft and the refund policy; set OPENAI_API_KEY to use a real one."
	askBoth       = "How much should I refund, and to which customer?"
	askAmount     = "How much should I refund?"
	askCustomer   = "Which customer should I refund? An id begins with cus_."
)

func manners() script.Manners {
	return script.Manners{
		Hello:   "Hello! Tell me the customer, the amount and the reason, and I will draft a refund.",
		Help:    "I can draft a refund for your approval and look up what the refund policy says.",
		Thanks:  "You're welcome!",
		Nothing: "All right, nothing was refunded.",
	}
}

// Demo is the refund desk's.
func Demo() script.Demo {
	return script.Demo{
		Tools: []string{toolResearch}, Names: []string{"refund desk", "refund assistant", "refund agent"}, Topic: "refund", Is: asksForDraft, Answer: answer,
		Specialist: "refund researcher", Advise: advise,
	}
}

// asksForDraft reports a turn that wants a structured draft, as a tool's arguments
// or as the answer's format.
func asksForDraft(t script.Turn) bool {
	_, ok := draftTool(t)
	return ok || t.Format != nil && isDraft(*t.Format)
}

// draftTool is a tool whose arguments are a draft, whatever it is called.
func draftTool(t script.Turn) (script.Tool, bool) {
	for _, x := range t.Tools {
		if isDraft(x.Schema) {
			return x, true
		}
	}
	return script.Tool{}, false
}

func isDraft(s script.Schema) bool {
	_, customer := s.Property("customer_id")
	_, amount := s.Property("amount")
	return customer && amount
}

// answer is the desk's.
func answer(t script.Turn) script.Reply {
	c := hear(t)
	reply := script.Play(t, acts(t, c))
	reply.Facts = c.facts()
	return reply
}

func acts(t script.Turn, c claim) []script.Act {
	switch {
	case c.policy && t.Offers(toolResearch):
		out := []script.Act{research(c)}
		if c.refund && c.missing() == "" {
			out = append(out, draft(t, c)...)
		}
		return out
	case c.policy && !c.refund:
		return script.Say(policySentence(c))
	case c.refund:
		if question := c.missing(); question != "" {
			return script.Say(question)
		}
		return draft(t, c)
	case c.manners != "":
		return script.Say(c.manners)
	}
	return script.Say(NotUnderstood)
}

// draft calls the tool that takes a draft, if there is one, and acknowledges.
func draft(t script.Turn, c claim) []script.Act {
	said := "I have drafted a refund of " + script.Dollars(c.amount) + " to " + c.customer + " (" + c.reason + "); it needs your approval."
	tool, ok := draftTool(t)
	if !ok {
		return script.Say(said)
	}
	return []script.Act{{
		Tool: tool.Name, Args: c.facts(),
		Report: func(s script.Step) string {
			res := script.ReadResult(s.Result)
			switch {
			case res.Declined():
				return "The refund was cancelled, so nothing was paid out."
			case res.Failure != "":
				return script.Failed("I could not draft the refund", res.Failure)
			case script.Has(res.Text, "issued", "refund id", "refunded"):
				return strings.TrimRight(script.OneLine(res.Text), ".") + "."
			}
			return said
		},
	}}
}

func research(c claim) script.Act {
	prompt := "What does the refund policy say about this case: " + c.reason + "? Answer in 3 bullets."
	args := map[string]any{"reason": c.reason, "prompt": prompt, "topic": c.reason, "case": c.reason, "customer_id": c.customer}
	if c.amount > 0 {
		args["amount"] = c.amount
	}
	return script.Act{
		Tool: toolResearch, Prompt: prompt, Args: args,
		Report: func(s script.Step) string {
			res := script.ReadResult(s.Result)
			bullets := script.Bullets(res)
			switch {
			case res.Failure != "":
				return script.Failed("I could not research the policy", res.Failure)
			case len(bullets) == 0:
				return "The researcher found nothing."
			}
			return strings.TrimRight(script.OneLine("The refund policy: "+strings.Join(bullets, "; ")), ".") + "."
		},
	}
}
