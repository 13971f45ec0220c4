package understand

import (
	"slices"
	"strconv"
)

func itoa(n int) string { return strconv.Itoa(n) }

// What the model says when there is nothing to do.
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

var (
	weatherWords = []string{"weather", "forecast", "forecasts", "rain", "raining", "rainy", "snow", "snowing", "sunny", "temperature", "temperatures", "storm", "storms", "stormy",
		"windy", "freezing", "freeze", "cloudy", "humid", "warm", "cold", "hot", "umbrella", "sunshine", "thunderstorms", "degrees", "chilly"}
)

// topicOf tells a question about conditions from one about the weather to come.
func topicOf(toks []token) Kind {
	trail := has(toks, "conditions", "condition")
	if trail && !has(toks, "forecast") {
		return Conditions
	}
	if has(toks, "weather", "forecast", "forecasts", "forecaster") || has(toks[:1], weatherWords...) && has(toks, "at", "in") {
		return Forecast
	}
	if !has(toks[:1], "is", "are", "will", "would", "how", "how's", "what", "what's", "does", "do", "should", "any", "check", "tell", "can", "could", "when", "trail", "trails") {
		return Unknown
	}
	if has(toks, weatherWords...) {
		return Forecast
	}
	if has(toks, "trail", "trails", "trailhead", "path", "road", "hike") && has(toks, "open", "closed", "muddy", "icy", "snowy", "wet", "busy", "clear", "passable", "safe", "like", "status", "check", "today", "now", "doing", "looking", "how", "how's") {
		return Conditions
	}
	if has(toks, "closure", "closures") || startsLike(toks, "what's it like at", "what is it like at", "how's it looking at", "how is it at", "how are things at", "what's it like in", "what's it like on") {
		return Conditions
	}
	return Unknown
}

// about reads a question about conditions or weather: one task a place.
func about(topic Kind, toks []token, there string) []Task {
	dates, marks := findDates(toks)
	var places []string
	start := 0
	for i := range toks {
		// "at Half Dome and Tioga Pass", "in Zion and in Moab"
		if toks[i].is("and") && !marks[i] && i+1 < len(toks) && len(places) < 8 && (capitalised(toks, i+1) || placePreps[toks[i+1].low]) {
			if p := place(toks[start:i], marks[start:i]); p != "" && place(toks[i+1:], marks[i+1:]) != "" {
				places, start = append(places, p), i+1
			}
		}
	}
	p := place(toks[start:], marks[start:])
	if p == "" {
		p = there
	}
	var out []Task
	for _, p := range append(places, p) {
		switch {
		case tooLong(p):
			out = append(out, Task{Kind: Say, Text: longestPart})
		case topic == Conditions && p == "":
			out = append(out, Task{Kind: Say, Text: AskPlace})
		case topic == Conditions:
			out = append(out, Task{Kind: Conditions, Place: p})
		default:
			out = append(out, Task{Kind: Forecast, Place: p, Dates: dates})
		}
	}
	return out
}

// ForecastFor reads a forecaster's prompt: for where, and when.
func ForecastFor(prompt string) (string, Dates) {
	toks, ok := tokenize(prompt)
	if !ok {
		return "", Dates{}
	}
	dates, marks := findDates(toks)
	p := place(toks, marks)
	if tooLong(p) {
		p = ""
	}
	return p, dates
}

// listQuestion reads "what's on my list?", "how many tents do I have?".
func listQuestion(toks []token) Task {
	toks = trimTail(toks)
	if len(toks) == 0 {
		return Task{}
	}
	if startsLike(toks, "how many", "how much") && !has(toks, "night", "nights", "cost", "days", "miles", "does") {
		rest := toks[2:]
		for i, t := range rest {
			if t.is("do", "are", "have", "is", "did", "should", "on") || listRef(rest[i:]) > 0 {
				rest = rest[:i]
				break
			}
		}
		if len(rest) > 0 && rest[0].is("items", "things") {
			return Task{Kind: ShowList}
		}
		if name := join(rest); name != "" && !tooLong(name) {
			return Task{Kind: CountItem, Item: Singular(name)}
		}
	}
	if rest, ok := after(toks, []string{"do i have", "do we have", "did i pack", "have i got", "is there", "are there", "is", "are", "did i add", "have i packed", "do i already have"}); ok && len(rest) > 0 && (!has(toks[:1], "is", "are") || hasListRef(rest) || rest[0].is("any") && !has(rest, "at", "in") && topicOf(toks) == Unknown) && !has(rest, "reservation", "booking", "weather", "bookings", "reservations") {
		rest = withoutListRefs(rest)
		if a, used := quantity(rest); a.stated || used > 0 || has(rest, "any") {
			rest = rest[used:]
		}
		if name := join(trimTail(rest)); name != "" && !tooLong(name) && !has(rest, "everything", "anything", "to") {
			return Task{Kind: CountItem, Item: Singular(name)}
		}
	}
	list := has(toks, "list", "checklist")
	switch {
	case list && startsLike(toks, "what", "what's", "whats", "show", "read", "tell", "list", "display", "see", "view", "print", "is", "give me", "let me see", "check", "which", "recap", "summarize", "repeat", "how's", "how is", "look at", "review"),
		list && len(toks) <= 3 && startsLike(toks, "my list", "the list", "my packing list", "the packing list", "packing list", "list please"),
		startsLike(toks, "what do i have", "what do we have", "what have i", "what have we", "what am i packing", "what are we packing", "what am i bringing", "what are we bringing", "what did i pack", "what's packed", "show me what i have", "list my items", "list the items", "list everything", "show my items", "list all items", "what i have", "what items", "what's in my pack", "what is in my pack", "show me everything", "what's in my bag"):
		if len(toks) > 2 && startsLike(toks, "give me", "check") && !has(toks, "my", "the", "current") {
			return Task{}
		}
		return Task{Kind: ShowList}
	}
	return Task{}
}

func hasListRef(toks []token) bool {
	for i := range toks {
		if listRef(toks[i:]) > 0 {
			return true
		}
	}
	return false
}

// smallTalk answers a message in which nothing was asked for.
func smallTalk(toks []token) Task {
	words := make([]token, 0, 12)
	for _, t := range toks {
		if !t.punct && len(words) < 12 {
			words = append(words, t)
		}
	}
	asked := skipPolite(words)
	text := func(s string) Task { return Task{Kind: Say, Text: s} }
	short := len(words) <= 6
	switch {
	case len(words) == 0:
		return Task{}
	case short && has(words, "help") || startsLike(asked, "what can you", "what do you do", "what can i", "how does this work", "how do i use", "who are you", "what are you", "help", "what else can", "what could you", "how can you help", "what should i ask", "what do you know"):
		return text(Help)
	case short && (has(words, "thanks", "thx", "ty", "cheers", "thank") || startsLike(words, "much appreciated")):
		return text(Thanks)
	case short && (has(words, "hi", "hello", "hey", "howdy", "hiya", "greetings", "yo", "hola") || startsLike(words, "good morning", "good afternoon", "good evening", "how are you", "how's it going", "what's up")):
		return text(Greeting)
	case short && startsLike(words, "no", "nope", "nothing", "nah", "stop", "not now", "cancel", "nevermind"):
		return text(Nothing)
	case short && startsLike(words, "goodbye", "bye", "see you", "good night", "goodnight", "that's all", "that is all", "great", "perfect", "nice", "awesome", "cool", "wonderful", "ok", "okay"):
		return text(Thanks)
	}
	return Task{}
}
