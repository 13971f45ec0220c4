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

// demos are the scripts there are. A name that is part of another's is asked for
// after it.
func demos() []script.Demo {
	return []script.Demo{refund.Demo(), expense.Demo(), meeting.Demo(), camping.Demo()}
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
	switch demo, specialist, ok := script.Choose(demos(), t); {
	case !ok:
		return script.Reply{Text: general}
	case specialist:
		return demo.Advise(t)
	default:
		return demo.Answer(t)
	}
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
