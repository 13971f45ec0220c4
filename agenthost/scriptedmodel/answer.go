package scriptedmodel

import (
	"crypto/rand"
	"strings"

	"cairn/agenthost/scriptedmodel/camping"
	"cairn/agenthost/scriptedmodel/expense"
	"cairn/agenthost/scriptedmodel/meeting"
	"cairn/agenthost/scriptedmodel/refund"
	"cairn/agenthost/scriptedmodel/script"
)

// demo is one demo's script: how its agent and its specialist are recognised,
// and what they answer.
type demo struct {
	isSpecialist, is   func(script.Turn) bool
	specialist, answer func(script.Turn) script.Reply
}

// demos are asked in this order; the specialists first, as an agent's
// instructions name its specialist and not the other way round.
func demos() []demo {
	return []demo{
		{refund.IsSpecialist, refund.Is, refund.Specialist, refund.Answer},
		{expense.IsSpecialist, expense.Is, expense.Specialist, expense.Answer},
		{meeting.IsSpecialist, meeting.Is, meeting.Specialist, meeting.Answer},
		{camping.IsSpecialist, camping.Is, camping.Specialist, camping.Answer},
	}
}

// general is the answer to an agent that is none of the demos.
const general = "I am the built-in scripted model and only know the demos' four agents; set OPENAI_API_KEY to use a real one."

// answer is the whole model: a turn in, a reply out.
func answer(t script.Turn) script.Reply {
	rep := perform(t)
	for i := range rep.Calls {
		// Ids are random, as a real model's are, so two threads that say the
		// same never share one.
		rep.Calls[i].ID = "call_" + rand.Text()
	}
	return rep
}

func perform(t script.Turn) script.Reply {
	rep := speak(t)
	if forced, ok := t.Tool(t.Forced); ok && t.Forced != "" && (len(rep.Calls) == 0 || rep.Calls[0].Name != forced.Name) {
		return script.Reply{Calls: []script.Call{{Name: forced.Name, Arguments: structured(forced.Schema, rep)}}}
	}
	if t.Format != nil && len(rep.Calls) == 0 {
		return script.Reply{Text: structured(*t.Format, rep)}
	}
	return rep
}

func speak(t script.Turn) script.Reply {
	for _, d := range demos() {
		if d.isSpecialist(t) {
			return d.specialist(t)
		}
	}
	for _, d := range demos() {
		if d.is(t) {
			return d.answer(t)
		}
	}
	return script.Reply{Text: general}
}

// structured fills a schema with what the reply knows. Members named as answers
// usually are get the reply's words.
func structured(s script.Schema, rep script.Reply) string {
	facts := map[string]any{}
	for _, name := range []string{"answer", "text", "message", "response", "summary", "acknowledgement", "acknowledgment"} {
		facts[name] = rep.Text
	}
	for k, v := range rep.Facts {
		facts[k] = v
	}
	out := script.JSON(s.Fill(facts))
	if out == "null" || strings.HasPrefix(out, "{}") {
		known := rep.Facts
		if known == nil {
			known = map[string]any{"answer": rep.Text}
		}
		out = script.JSON(known)
	}
	return out
}
