package understand

import "strings"

// Reply is Parse for a message that may answer one of this package's own
// questions: "two" after "How many nights would you like at North Pines?". A
// message that makes sense by itself is never read as an answer.
func Reply(question, text string) []Task {
	tasks := Parse(text)
	if tasks[0].Kind != Unknown && tasks[0].Kind != Say {
		return tasks
	}
	toks, ok := tokenize(text)
	if !ok || len(toks) > 20 || question == "" {
		return tasks
	}
	if _, site, ok := strings.Cut(question, AskNights); ok {
		site = clean(strings.ToValidUTF8(strings.TrimSuffix(site, "?"), "")) // history is foreign text too
		if n, used := nightsIn(toks); used != nil && !n.fraction {
			return bookOrRefuse(site, n.n)
		}
		rest := skipPolite(toks)
		if len(rest) > 0 && rest[0].is("for") {
			rest = rest[1:]
		}
		if a, used := quantity(rest); a.stated && len(trimTail(rest[used:])) == 0 {
			return bookOrRefuse(site, a.n)
		}
		return tasks
	}
	if _, nights, ok := strings.Cut(question, AskSite); ok && tasks[0].Kind == Unknown {
		return answered(Parse("reserve "+text+" for "+strings.TrimSuffix(nights, "?")), Reserve, tasks)
	}
	switch {
	case tasks[0].Kind != Unknown:
	case strings.HasSuffix(question, AskBoth):
		return parseReserve(skipPolite(toks))
	case strings.HasSuffix(question, AskPlace):
		return answered(Parse("check conditions at "+text), Conditions, tasks)
	}
	return tasks
}

// answered keeps a reading that came out as the kind asked for.
func answered(got []Task, kind Kind, otherwise []Task) []Task {
	if len(got) == 1 && got[0].Kind == kind {
		return got
	}
	return otherwise
}

func bookOrRefuse(site string, nights int) []Task {
	if nights < 1 || nights > MaxNights || site == "" || tooLong(site) {
		return say(badNights)
	}
	return []Task{{Kind: Reserve, Site: site, Nights: nights}}
}
