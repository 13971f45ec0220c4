package meeting

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"cairn/agenthost/scriptedmodel/script"
)

// wish is what a message asks for.
type wish struct {
	book, check, research, cancel bool

	topic   string
	days    []string
	clock   string // "15:00"; empty when it was not said
	part    string // morning or afternoon
	people  []string
	span    string // "next week"
	slot    string // what was offered and is now accepted
	manners string
}

func (w wish) nothing() bool { return !w.book && !w.check && !w.research && !w.cancel }

// when says the time that was wished for.
func (w wish) when() string {
	if w.clock == "" {
		return "a time in the " + w.part
	}
	return w.clock
}

// hear reads the user's message, and what it completes when the model had asked.
func hear(t script.Turn) wish {
	w := read(t.User)
	w.manners = manners().Answer(t.User)
	if t.Before == "" || !w.nothing() && !w.bare() && !w.vague(t.User) {
		return w
	}
	if offered := slotPattern.FindString(t.Asked); offered != "" && script.Has(t.User, "yes", "yep", "sure", "ok", "okay", "please", "book it", "do it", "go ahead") && !script.Has(t.User, "no", "not") {
		whole := read(t.Before)
		return wish{slot: offered, topic: whole.topic}
	}
	if w.manners != "" && len(w.days) == 0 && w.clock == "" {
		return w
	}
	whole := read(t.Heard())
	if len(w.days) > 0 {
		whole.days = w.days
	}
	if w.clock != "" {
		whole.clock = w.clock
	}
	return whole
}

// bare is a message that is only a day, a time or names.
func (w wish) bare() bool { return w.check && !w.book && !w.research && w.topic == "" }

// vague is a wish to book what was spoken of: "book it".
func (w wish) vague(text string) bool {
	return w.book && len(w.days)+len(w.people) == 0 && w.clock == "" && topic(text, 0) == "" && script.Has(text, "book it", "book that", "schedule it")
}

func read(text string) wish {
	text = script.Plain(text)
	said := script.Listen(text)
	w := wish{days: script.Weekdays(text), people: people(text), clock: lastClock(text), span: span(text)}
	w.cancel = said.Has("cancel", "reschedule", "move my", "move the", "delete") && said.Has("meeting", "booking", "review", "call", "it")
	at, verb := bookVerb(text)
	w.book = verb
	find := said.Has("find", "look for", "suggest")
	free := said.Has("free", "available", "availability", "slot", "slots", "opening", "openings", "open", "when can", "what times", "calendar", "busy")
	w.research = len(w.people) > 0 && (free && !verb || find || said.Has("availability")) || said.Has("research")
	w.check = !w.research && !w.book && (free || find || len(w.days) > 0)
	switch {
	case said.Has("morning"):
		w.part = "morning"
	case said.Has("afternoon"):
		w.part = "afternoon"
	}
	if w.book || w.research {
		w.topic = topic(text, at)
		if w.topic == "" && len(w.people) > 0 {
			w.topic = "Meeting with " + script.And(w.people)
		} else if w.topic == "" {
			w.topic = "Meeting"
		}
	}
	return w
}

var (
	slotPattern  = regexp.MustCompile(`\b(?:Mon|Tues|Wednes|Thurs|Fri)day (?:at )?\d{1,2}:\d{2}\b`)
	clockPattern = regexp.MustCompile(`(?i)\b(?:at )?(\d{1,2}):(\d{2})(?:\s*(am|pm))?\b|\b(?:at )?(\d{1,2})\s*(am|pm)\b|\bat (\d{1,2})\b|\b(noon)\b`)
	verbPattern  = regexp.MustCompile(`(?i)\b(?:book|schedule|set up|arrange|organi[sz]e|reserve|plan)\s+()`)
	wantPattern  = regexp.MustCompile(`(?i)\b(?:need|want|put|add)\s+()(?:a|an|the|our|my|another)\s+[^.?!]{0,60}?\b(?:meeting|call|session|review|sync|retro|critique|interview)\b`)
)

// clocks are the times of day in a text, each once, as "09:30".
func clocks(text string) []string {
	var out []string
	for _, m := range clockPattern.FindAllStringSubmatch(text, -1) {
		hour, _ := strconv.Atoi(m[1] + m[4] + m[6])
		minute, _ := strconv.Atoi(m[2])
		if m[7] != "" {
			hour = 12
		}
		switch half := strings.ToLower(m[3] + m[5]); {
		case half == "pm" && hour < 12:
			hour += 12
		case half == "am" && hour == 12:
			hour = 0
		case half == "" && m[6] != "" && hour < 8: // "at 3" is in the afternoon
			hour += 12
		}
		if s := fmt.Sprintf("%02d:%02d", hour, minute); hour < 24 && minute < 60 && !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	return out
}

func lastClock(text string) string {
	all := clocks(text)
	if len(all) == 0 {
		return ""
	}
	return all[len(all)-1]
}

// bookVerb finds where what is to be booked begins.
func bookVerb(text string) (at int, ok bool) {
	loc := verbPattern.FindStringSubmatchIndex(text)
	if loc == nil {
		loc = wantPattern.FindStringSubmatchIndex(text)
	}
	if loc == nil || script.Has(text, "don't book", "do not book", "don't schedule", "did i book", "have i booked") {
		return 0, false
	}
	return loc[2], true
}

func span(text string) string {
	said := script.Listen(text)
	for _, s := range []string{"next week", "this week", "tomorrow", "today", "next month", "this month"} {
		if said.Has(s) {
			return s
		}
	}
	if days := script.Weekdays(text); len(days) > 0 {
		return "on " + script.And(days)
	}
	return "next week"
}
