// Package expense is the script of the expense copilot and of its policy
// researcher: what a category allows, and expenses to submit.
package expense

import (
	"fmt"
	"strings"

	"cairn/agenthost/scriptedmodel/script"
)

const (
	toolLookup   = "lookup_expense_policy"
	toolSubmit   = "submit_expense"
	toolResearch = "research_policy"
)

// The copilot's sentences when there is nothing to look up or to submit.
const (
	NotUnderstood = "I am the built-in scripted model and only know expense policies and expenses to submit; set OPENAI_API_KEY to use a real one."
	cannotUndo    = "I cannot take back an expense, so nothing was changed."
	askBoth       = "How much was it, and who was the vendor?"
	askAmount     = "How much was it?"
	askVendor     = "Who was the vendor?"
	askCategory   = "Which category do you mean: meals, travel, equipment or software?"
)

func manners() script.Manners {
	return script.Manners{
		Hello:   "Hello! Shall I look up what a category allows, or file an expense?",
		Help:    "I can look up what a category allows, have a policy researched and submit an expense once you approve it.",
		Thanks:  "You're welcome!",
		Nothing: "All right, I have not submitted anything.",
	}
}

// Demo is the expense copilot's.
func Demo() script.Demo {
	return script.Demo{
		Tools: []string{toolLookup, toolSubmit, toolResearch}, Names: []string{"expense copilot", "expense approval", "expense assistant"}, Topic: "expense", Answer: answer,
		Specialist: []string{"policy researcher", "you research"}, Advise: advise,
	}
}

// answer is the copilot's.
func answer(t script.Turn) script.Reply {
	if t.Two {
		return script.Together(t, []script.Act{lookup("meals"), lookup("travel")})
	}
	c := hear(t)
	reply := script.Play(t, acts(t, c))
	reply.Facts = map[string]any{
		"vendor": c.vendor, "category": c.category(), "memo": c.memo, "expense": c.expense(),
	}
	if c.amount > 0 {
		reply.Facts["amount_usd"], reply.Facts["amount"] = c.amount, c.amount
	}
	return reply
}

func acts(t script.Turn, c claim) []script.Act {
	switch {
	case c.cancel:
		return script.Say(cannotUndo)
	case c.research && !c.file:
		return []script.Act{research(c)}
	case c.file:
		return filing(t, c)
	case c.policy && len(c.categories) == 0:
		return script.Say(askCategory)
	case c.policy:
		var out []script.Act
		for _, name := range c.categories {
			out = append(out, lookup(name))
		}
		return out
	case c.manners != "":
		return script.Say(c.manners)
	}
	return script.Say(NotUnderstood)
}

// filing submits, after the research if there is to be one. What is missing is
// asked for.
func filing(t script.Turn, c claim) []script.Act {
	var out []script.Act
	if c.research && t.Offers(toolResearch) {
		out = append(out, research(c))
	}
	if question := c.missing(); question != "" {
		return append(out, script.Act{Text: question})
	}
	if len(out) > 0 { // on the way to a submission the findings are not repeated
		out[0].Report = onlyFailure("I could not research the policy")
	}
	return append(out, submit(c))
}

func onlyFailure(what string) func(script.Step) string {
	return func(s script.Step) string {
		if res := script.ReadResult(s.Result); res.Failure != "" {
			return script.Failed(what, res.Failure)
		}
		return ""
	}
}

func lookup(category string) script.Act {
	return script.Act{
		Tool: toolLookup, Args: map[string]any{"category": category},
		Report: func(s script.Step) string {
			res := script.ReadResult(s.Result)
			if res.Failure != "" {
				return script.Failed("I could not look up the policy for "+category, res.Failure)
			}
			return strings.TrimRight(script.OneLine(res.Text), ".") + "."
		},
	}
}

func submit(c claim) script.Act {
	what := "the " + script.Dollars(c.amount) + " expense at " + c.vendor
	args := map[string]any{"expense": c.expense(), "vendor": c.vendor, "category": c.category(), "amount_usd": c.amount, "memo": c.memo}
	return script.Act{
		Tool: toolSubmit, Args: args,
		Report: func(s script.Step) string {
			res := script.ReadResult(s.Result)
			switch {
			case res.Declined():
				return script.Capital(what) + " was not submitted, as you declined."
			case res.Failure != "":
				return script.Failed("I could not submit "+what, res.Failure)
			case !script.Has(res.Text, "recorded", "submitted", "queued", "reimbursement", "approved", "filed"):
				return "The expense tool did not confirm it; it said: " + strings.TrimRight(script.OneLine(res.Text), ".") + "."
			}
			return script.Capital(what) + " has been submitted for reimbursement."
		},
	}
}

func research(c claim) script.Act {
	about := c.category()
	if c.amount > 0 {
		about += " of " + script.Dollars(c.amount)
	}
	prompt := fmt.Sprintf("What does the policy say about %s? Answer in 3 bullets.", about)
	return script.Act{
		Tool: toolResearch, Prompt: prompt,
		Args: map[string]any{"category": c.category(), "amount": c.amount, "amount_usd": c.amount, "prompt": prompt},
		Report: func(s script.Step) string {
			res := script.ReadResult(s.Result)
			bullets := script.Bullets(res)
			switch {
			case res.Failure != "":
				return script.Failed("I could not research the policy", res.Failure)
			case len(bullets) == 0:
				return "The researcher found nothing."
			}
			return strings.TrimRight(script.OneLine("The policy on "+c.category()+": "+strings.Join(bullets, "; ")), ".") + "."
		},
	}
}
