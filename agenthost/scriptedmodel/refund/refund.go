// Package refund is the script of the refund desk and of its policy researcher:
// drafts of refunds for a person to approve, and what the policy says.
package refund

import (
	"cmp"
	"strings"

	"cairn/agenthost/scriptedmodel/script"
)

const (
	toolCustomer = "lookup_customer"
	toolDraft    = "draft_refund"
	toolResearch = "research_refund_policy"
	toolTask     = "task" // delegates by the specialist's name

	specialist = "refund_researcher"
)

// The desk's sentences when there is nothing to draft.
const (
	NotUnderstood = "I am the built-in scripted model and only know refunds to draft and the refund policy; set OPENAI_API_KEY to use a real one."
	askBoth       = "How much should I refund, and to which customer?"
	askAmount     = "How much should I refund?"
	askWho        = "Which customer should I look up? An id begins with cus_."
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
		Tools: []string{toolCustomer, toolDraft, toolResearch}, Names: []string{"refund desk", "refund assistant", "refund agent"}, Topic: "refund", Is: asksForDraft, Answer: answer,
		Specialist: []string{"refund researcher", "refund policy researcher", "research the refund policy"}, Advise: advise,
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
	if t.Two && t.Offers(toolCustomer) {
		return script.Together(t, []script.Act{lookup("cus_a8x2k"), lookup("cus_z19fp")})
	}
	c := hear(t)
	reply := script.Play(t, acts(t, c))
	reply.Facts = c.facts()
	return reply
}

func acts(t script.Turn, c claim) []script.Act {
	switch {
	case c.policy && t.Offers(toolResearch, toolTask):
		out := []script.Act{research(t, c)}
		if c.refund {
			out = append(out, draft(t, c)...)
		}
		return out
	case c.policy && !c.refund:
		return script.Say(strings.Join(relevant(policy, t.User)[:1], " ") + ".")
	case c.refund:
		if question := c.missing(); question != "" {
			return script.Say(question)
		}
		return draft(t, c)
	case c.lookup && c.customer == "":
		return script.Say(askWho)
	case c.lookup:
		return []script.Act{lookup(c.customer)}
	case c.manners != "":
		return script.Say(c.manners)
	}
	return script.Say(NotUnderstood)
}

// draft calls the tool that takes a draft and acknowledges it. The tool may be
// gone by the time its result is here; without one the words are all there is.
func draft(t script.Turn, c claim) []script.Act {
	said := "I have drafted a refund of " + script.Dollars(c.amount) + " to " + c.customer + " (" + c.reason + "); it waits for an operator's approval."
	name := ""
	if tool, ok := draftTool(t); ok {
		name = tool.Name
	}
	for _, s := range t.Steps {
		if strings.Contains(s.Args, `"customer_id"`) && strings.Contains(s.Args, `"amount"`) {
			name = s.Tool
		}
	}
	if name == "" {
		return script.Say(said)
	}
	return []script.Act{{
		Tool: name, Args: c.facts(),
		Report: func(s script.Step) string {
			res := script.ReadResult(s.Result)
			switch {
			case script.Has(res.Text, "not drafted", "not done"):
				return strings.TrimRight(script.OneLine(cmp.Or(res.Failure, res.Text)), ".") + "."
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

func lookup(customer string) script.Act {
	return script.Act{
		Tool: toolCustomer, Args: map[string]any{"customer_id": customer},
		Report: func(s script.Step) string {
			res := script.ReadResult(s.Result)
			if res.Failure != "" {
				return script.Failed("I could not look up "+customer, res.Failure)
			}
			name, _ := res.Fields["name"].(string)
			plan, _ := res.Fields["plan"].(string)
			if name == "" || plan == "" {
				return strings.TrimRight(script.OneLine(res.Text), ".") + "."
			}
			out := customer + " is " + name + " on the " + plan + " plan"
			var charges []string
			list, _ := res.Fields["last_charges"].([]any)
			for _, v := range list {
				if n, ok := v.(float64); ok {
					charges = append(charges, script.Dollars(n))
				}
			}
			if len(charges) > 0 {
				out += ", last charged " + script.And(charges)
			}
			return script.OneLine(out) + "."
		},
	}
}

func research(t script.Turn, c claim) script.Act {
	about := c.reason
	if about == noReason { // leave it to the specialist to make something of the words
		about = strings.TrimRight(script.OneLine(t.User), " .?!")
	}
	prompt := "What does the refund policy say about: " + about + "? Answer in 3 bullets."
	args := map[string]any{
		"reason": c.reason, "prompt": prompt, "topic": c.reason, "customer_id": c.customer,
		"description": prompt, "subagent_type": specialist,
	}
	tool := toolResearch
	if !t.Offers(toolResearch) {
		tool = toolTask
	}
	if c.amount > 0 {
		args["amount"] = c.amount
	}
	return script.Act{
		Tool: tool, Prompt: prompt, Args: args,
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
