package understand

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
	if n := startsWithAny(toks, []string{"check on", "check", "how is", "how's"}); n > 0 && capitalised(toks, n) {
		return Conditions // "Check Half Dome", "How is Half Dome today?"
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
