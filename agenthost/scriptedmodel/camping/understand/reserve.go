package understand

// The questions for what a booking lacks; followUp reads them back.
const (
	AskBoth    = "Which campsite, and for how many nights?"
	AskNights  = "How many nights would you like at " // and the site
	AskSite    = "Which campsite would you like for " // and the nights
	badNights  = "I can reserve one to 14 nights, so I have not booked anything."
	halfNights = "I can only reserve whole nights, so I have not booked anything."
)

var reserveVerbs = []string{"reserve", "book", "make a reservation", "make me a reservation", "make a booking", "place a reservation", "get a reservation", "get me a reservation",
	"arrange a stay", "get me a campsite", "get us a campsite", "get a campsite", "find me a campsite", "request a reservation", "i need a campsite", "we need a campsite", "i need a reservation", "we need a reservation",
	"i'd like a reservation", "i want a reservation", "a reservation", "reservation", "a booking", "booking", "stay", "camp", "reserving", "booking"}

// isReservation reports a clause that asks for a campsite.
func isReservation(toks []token) bool {
	rest, ok := after(toks, reserveVerbs)
	if !ok {
		if has(toks, "nights", "night") && has(toks, "at", "in", "for") && !startsListVerb(toks) && !has(toks, "list") && topicOf(toks) == Unknown {
			_, used := nightsIn(toks)
			return used != nil || has(toks, "stay", "staying", "camp", "camping")
		}
		return has(toks, "reserve", "reservation") && has(toks, "night", "nights", "for", "at") && !has(toks, "list", "cancel", "what", "did", "have")
	}
	if toks[0].is("book") { // a verb, not the thing one reads
		return len(rest) > 0 && !rest[0].punct && !rest[0].is("light", "lights", "of")
	}
	if toks[0].is("stay", "camp") {
		return has(rest, "night", "nights", "week", "weekend")
	}
	return true
}

// parseReserve reads a clause that asks for a campsite, or for several, each
// with its own nights.
func parseReserve(toks []token) []Task {
	start := 0
	var parts [][]token
	for i := range toks[:min(len(toks), 200)] { // the look ahead is quadratic
		if toks[i].is("and", "then") || toks[i].punct && toks[i].low == "," {
			_, left := nightsIn(toks[start:i])
			_, right := nightsIn(toks[i+1:])
			if _, more := quantity(toks[i+1:]); left != nil && right != nil && more == 0 && len(parts) < 8 {
				parts = append(parts, toks[start:i])
				start = i + 1
			}
		}
	}
	parts = append(parts, toks[start:])
	var out []Task
	for _, p := range parts {
		out = append(out, reserveOne(p))
	}
	return out
}

// otherBookings are what people book that no campground has.
var otherBookings = []string{"flight", "flights", "table", "hotel", "restaurant", "car", "ticket", "tickets", "room", "train", "taxi", "appointment", "airbnb", "cab", "cruise", "motel"}

func reserveOne(toks []token) Task {
	if has(toks, otherBookings...) && !has(toks, "campsite", "campground", "site") {
		return Task{Kind: Say, Text: "I can only reserve campsites, so I have not booked anything."}
	}
	if rest, ok := after(toks, reserveVerbs); ok && !startsName(toks) { // "Camp 4"
		toks = rest
	}
	nights, used := nightsIn(toks)
	dates, marks := findDates(toks)
	for i := range marks {
		marks[i] = marks[i] || used != nil && used[i]
	}
	markParty(toks, marks)
	site := siteOf(toks, marks)
	if used == nil && dates.Span > 0 {
		nights, used = nightCount{n: dates.Span}, marks
	}
	switch {
	case tooLong(site):
		return Task{Kind: Say, Text: "That campsite's name is too long, so I have not booked anything."}
	case used != nil && nights.fraction:
		return Task{Kind: Say, Text: halfNights}
	case used != nil && (nights.n < 1 || nights.n > MaxNights):
		return Task{Kind: Say, Text: badNights}
	case site == "" && used == nil:
		return Task{Kind: Say, Text: AskBoth}
	case site == "":
		return Task{Kind: Say, Text: AskSite + Nights(nights.n) + "?"}
	case used == nil:
		return Task{Kind: Say, Text: AskNights + site + "?"}
	}
	return Task{Kind: Reserve, Site: site, Nights: nights.n}
}

// markParty marks "for 4 people" and the like.
func markParty(toks []token, marks []bool) {
	for i, t := range toks {
		if !t.is("people", "persons", "person", "adults", "adult", "guests", "guest", "kids", "kid", "children", "campers", "friends", "family", "two", "us") || marks[i] {
			continue
		}
		j := i
		for j > 0 && !marks[j-1] {
			if _, used := number(toks[j-1 : j]); used == 0 && !toks[j-1].is("of", "and", "my", "our", "the", "a") {
				break
			}
			j--
		}
		if j > 0 && toks[j-1].is("for", "with") {
			for k := j - 1; k <= i; k++ {
				marks[k] = true
			}
		}
	}
}

// siteOf finds the campsite: the words after "at" or "in", else what is
// reserved.
func siteOf(toks []token, marks []bool) string {
	runs := func(from int) string {
		for i := from; i < len(toks); i++ {
			if marks[i] || toks[i].punct || toks[i].is("for", "at", "in", "on") {
				if name := placeName(toks[from:i]); name != "" {
					return name
				}
				from = i + 1
			}
		}
		return placeName(toks[min(from, len(toks)):])
	}
	for i, t := range toks {
		if t.is("at", "in") && !marks[i] {
			if name := firstRun(toks[i+1:], marks[i+1:]); name != "" {
				return name
			}
		}
	}
	return runs(0)
}

// firstRun is the name made of the unmarked words at the front.
func firstRun(toks []token, marks []bool) string {
	i := 0
	for i < len(toks) && !marks[i] && !toks[i].punct && !toks[i].is("for", "at", "please", "with", "starting", "because", "if", "from") {
		i++
	}
	return placeName(toks[:i])
}
