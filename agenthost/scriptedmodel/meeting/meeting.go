// Package meeting is the script of the meeting scheduler and of its availability
// researcher: free slots of a weekday, bookings, and when people are free.
package meeting

import (
	"fmt"
	"slices"
	"strings"

	"cairn/agenthost/scriptedmodel/script"
)

const (
	toolCheck    = "check_availability"
	toolBook     = "book_meeting"
	toolResearch = "research_availability"
)

// The scheduler's sentences when there is nothing to look up or to book.
const (
	NotUnderstood = "I am the built-in scripted model and only know free slots, meetings to book and when people are free; set OPENAI_API_KEY to use a real one."
	cannotUndo    = "I cannot cancel or move a meeting, so nothing was changed."
	askCheckDay   = "Which weekday should I check?"
	askBookDay    = "Which weekday should I book %s for?"
	askPeople     = "Whose availability should I look up?"
	askOtherDay   = "There are no free slots on %s; which other weekday would suit?"
	askOtherSlot  = "%s at %s is not free; which of %s would you like?"
	offerSlot     = "%s can make %s; shall I book it?"
)

func manners() script.Manners {
	return script.Manners{
		Hello:   "Hello! Shall I check a weekday's free slots, find out when people are free or book a meeting?",
		Help:    "I can check the free slots of a weekday, find out when people are free and book a meeting once you approve it.",
		Thanks:  "You're welcome, have a good meeting!",
		Nothing: "All right, I have not booked anything.",
	}
}

// Demo is the meeting scheduler's.
func Demo() script.Demo {
	return script.Demo{
		Tools: []string{toolCheck, toolBook, toolResearch}, Names: []string{"meeting scheduler", "scheduling assistant"}, Topic: "schedul", Answer: answer,
		Specialist: []string{"availability researcher"}, Advise: advise,
	}
}

// answer is the scheduler's.
func answer(t script.Turn) script.Reply {
	if t.Two {
		return script.Together(t, []script.Act{check("Tuesday", true), check("Thursday", true)})
	}
	w := hear(t)
	reply := script.Play(t, acts(t, w))
	reply.Facts = map[string]any{"topic": w.topic, "attendees": w.people}
	if len(w.days) > 0 {
		reply.Facts["day"], reply.Facts["weekday"] = w.days[0], w.days[0]
	}
	return reply
}

func acts(t script.Turn, w wish) []script.Act {
	switch {
	case w.cancel:
		return script.Say(cannotUndo)
	case w.slot != "": // yes to what was offered
		return []script.Act{book(w.topic, w.slot)}
	case w.research:
		return research(t, w)
	case w.book:
		return booking(t, w)
	case w.check && len(w.days) == 0:
		return script.Say(askCheckDay)
	case w.check:
		var out []script.Act
		for _, d := range w.days {
			out = append(out, check(d, true))
		}
		return out
	case w.manners != "":
		return script.Say(w.manners)
	}
	return script.Say(NotUnderstood)
}

// booking checks the days that were named, in order, until one has a slot that
// fits, and books it.
func booking(t script.Turn, w wish) []script.Act {
	if len(w.days) == 0 {
		return script.Say(fmt.Sprintf(askBookDay, w.topic))
	}
	var out []script.Act
	checked := slices.DeleteFunc(slices.Clone(t.Steps), func(s script.Step) bool { return !strings.HasSuffix(s.Tool, toolCheck) })
	for i, day := range w.days {
		last := i == len(w.days)-1
		if i >= len(checked) { // not yet
			return append(out, check(day, false))
		}
		res := script.ReadResult(checked[i].Result)
		out = append(out, check(day, false))
		if res.Failure != "" {
			return out
		}
		free := clocks(res.Text)
		slot := choose(free, w)
		switch {
		case slot != "":
			return append(out, book(w.topic, day+" "+slot))
		case !last:
		case len(free) == 0:
			return append(out, script.Say(fmt.Sprintf(askOtherDay, day))...)
		default:
			return append(out, script.Say(fmt.Sprintf(askOtherSlot, day, w.when(), script.And(free)))...)
		}
	}
	return out
}

// choose picks the slot that was wished for, or the first when none was.
func choose(free []string, w wish) string {
	for _, s := range free {
		if w.clock == s || w.clock == "" && (w.part == "" || (w.part == "morning") == (s < "12:00")) {
			return s
		}
	}
	return ""
}

// check looks a day up; when it is only a step on the way, its result is not
// spoken of unless it failed.
func check(day string, speak bool) script.Act {
	return script.Act{
		Tool: toolCheck, Args: map[string]any{"weekday": day, "day": day, "date": day}, Prompt: day,
		Report: func(s script.Step) string {
			res := script.ReadResult(s.Result)
			if res.Failure != "" {
				return script.Failed("I could not check "+day, res.Failure)
			}
			free := clocks(res.Text)
			switch {
			case !speak:
				return ""
			case len(free) == 0:
				return "There are no free slots on " + day + "."
			}
			return day + " is free at " + script.And(free) + "."
		},
	}
}

func book(topic, slot string) script.Act {
	return script.Act{
		Tool: toolBook, Args: map[string]any{"topic": topic, "slot": slot, "title": topic, "time": slot},
		Report: func(s script.Step) string {
			res := script.ReadResult(s.Result)
			switch {
			case res.Failure != "" && !res.Declined():
				return script.Failed("I could not book "+topic, res.Failure)
			case res.Declined():
				return topic + " was not booked, as you declined."
			case !script.Has(res.Text, "booked", "confirmed", "scheduled", "approved"):
				return "The booking tool did not confirm it; it said: " + strings.TrimRight(script.OneLine(res.Text), ".") + "."
			}
			return topic + " is booked for " + slot + "."
		},
	}
}

// research asks the specialist, and books what it found if that was the wish.
func research(t script.Turn, w wish) []script.Act {
	if len(w.people) == 0 {
		return script.Say(askPeople)
	}
	who := script.And(w.people)
	found := ""
	if s, done := t.Done(toolResearch); done {
		res := script.ReadResult(s.Result)
		found = slotPattern.FindString(res.Text)
		if w.book && found != "" && res.Failure == "" {
			return []script.Act{ask(w, who, func(script.Step) string { return "" }), book(w.topic, found)}
		}
	}
	return []script.Act{ask(w, who, func(s script.Step) string {
		res := script.ReadResult(s.Result)
		switch bullets := script.Bullets(res); {
		case res.Failure != "":
			return script.Failed("I could not research when "+who+" can meet", res.Failure)
		case found != "":
			return fmt.Sprintf(offerSlot, script.Capital(who), found)
		case len(bullets) > 0:
			return script.OneLine(script.Capital(who)+": "+strings.Join(bullets, "; ")) + "."
		}
		return "The researcher found nothing."
	})}
}

func ask(w wish, who string, report func(script.Step) string) script.Act {
	prompt := "When are " + who + " free " + w.span + "? Answer in 3 bullets."
	return script.Act{
		Tool: toolResearch, Prompt: prompt, Report: report,
		Args: map[string]any{"attendees": w.people, "date_range": w.span, "prompt": prompt},
	}
}
