package understand

import (
	"slices"
	"strconv"
)

func itoa(n int) string { return strconv.Itoa(n) }

// The model's sentences when there is nothing to do.
const (
	Help        = "I can keep your packing list, check trail conditions, forecast the weather and reserve a campsite for one to 14 nights."
	Greeting    = "Hello! Shall we start a packing list, check trail conditions or reserve a campsite?"
	Thanks      = "You're welcome, enjoy the trip!"
	Nothing     = "All right, I have not done anything."
	CannotUndo  = "I cannot cancel a booking, so nothing was changed."
	AskPlace    = "Which place should I check the conditions for?"
	TooLong     = "That message is longer than the built-in scripted model can follow; please say it in fewer words."
	longestPart = "That place's name is too long for me to look up."
)

// Parse reads a message and returns what it asks for, in order, with the
// changes to the list joined into one task and bookings last, because a
// booking pauses the run. It always returns at least one task.
func Parse(text string) []Task {
	toks, ok := tokenize(text)
	if !ok {
		return []Task{{Kind: Say, Text: TooLong}}
	}
	var tasks []Task
	last := "" // the place or site named before, for "there"
	for _, c := range clauses(toks) {
		for _, t := range clause(c, last) {
			if t.Site != "" {
				last = t.Site
			}
			if t.Place != "" {
				last = t.Place
			}
			tasks = append(tasks, t)
		}
	}
	tasks = merge(tasks)
	if len(tasks) == 0 {
		return []Task{smallTalk(toks)}
	}
	return tasks
}

// merge joins list changes, drops what was not understood beside what was, and
// puts bookings last.
func merge(tasks []Task) []Task {
	var out, bookings []Task
	list := -1
	for _, t := range tasks {
		switch {
		case t.Kind == Unknown:
		case t.Kind == Reserve:
			bookings = append(bookings, t)
		case t.Kind == UpdateList && list >= 0:
			out[list].Changes = append(out[list].Changes, t.Changes...)
		case t.Kind == Say && slices.ContainsFunc(out, func(o Task) bool { return o.Kind == Say && o.Text == t.Text }):
		default:
			if t.Kind == UpdateList {
				list = len(out)
			}
			out = append(out, t)
		}
	}
	return append(out, bookings...)
}

// clause reads one clause. there is the place an earlier clause named.
func clause(toks []token, there string) []Task {
	switch {
	case startsWithAny(toks, []string{"don't book", "do not book", "don't reserve", "do not reserve", "don't add", "do not add", "don't remove", "do not remove", "never mind", "nevermind", "don't change", "do not change", "don't do", "don't check"}) > 0:
		return say(Nothing)
	case has(toks, "cancel", "undo") && has(toks, "reservation", "booking", "reservations", "bookings", "book"):
		return say(CannotUndo)
	}
	if t := listQuestion(toks); t.Kind != Unknown {
		return []Task{t}
	}
	if isReservation(toks) {
		return parseReserve(toks)
	}
	if topic := topicOf(toks); topic != Unknown && !startsListVerb(toks) {
		return about(topic, toks, there)
	}
	if changes, said, ok := listChanges(toks); ok {
		if said != "" {
			return say(said)
		}
		return []Task{{Kind: UpdateList, Changes: changes}}
	}
	return nil
}

func say(text string) []Task { return []Task{{Kind: Say, Text: text}} }

var listVerbs = set(`add remove delete drop put pack bring throw toss set change update rename replace swap increase decrease reduce raise lower start create include clear
	empty double take buy grab don't ditch scratch cross forget`)

func startsListVerb(toks []token) bool {
	return len(toks) > 0 && !toks[0].quoted && listVerbs[toks[0].low] && !startsLike(toks, "take a look") ||
		startsLike(toks, "i need", "we need", "get rid", "make it", "make the", "get a", "get some", "get me a") && !has(toks, "weather", "forecast", "conditions")
}

func startsLike(toks []token, phrases ...string) bool { return startsWithAny(toks, phrases) > 0 }
