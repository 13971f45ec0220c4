package understand

// polite are phrases in front of what is asked; they change nothing.
var polite = []string{"please", "pls", "hey", "hi there", "hi", "hello", "ok so", "okay so", "ok", "okay", "so", "well", "oh", "also", "then", "and then", "and also", "and", "but", "now", "next", "finally", "first", "second",
	"can you please", "could you please", "would you please", "can you", "could you", "would you", "will you", "can we", "could we", "can i", "could i", "may i", "i'd like you to", "i would like you to", "i want you to",
	"i'd like to", "i would like to", "i'd love to", "i want to", "i wanna", "i need to", "we want to", "we'd like to", "we need to", "i need you to", "help me", "let's", "lets", "let us", "go ahead and",
	"just", "maybe", "actually", "yes", "yeah", "yep", "sure", "great", "thanks", "thank you", "perfect", "cool", "nice", "afterwards", "after that", "oops", "sorry", "wait", "alright", "all right", "good morning", "in addition", "additionally", "too", "kindly", "you should", "you can", "i think you should", "i'm going to", "we're going to", "i am going to", "plus"}

// skipPolite drops polite phrases and commas in front of a clause.
func skipPolite(toks []token) []token {
	for len(toks) > 0 {
		if toks[0].punct && !toks[0].endsSentence() {
			toks = toks[1:]
			continue
		}
		longest := 0
		for _, p := range polite {
			longest = max(longest, startsWith(toks, p))
		}
		if longest == 0 {
			break
		}
		toks = toks[longest:]
	}
	return toks
}

// Verbs that open a new clause after a comma or "and". The strong ones always
// do; the weak ones are nouns too ("a pack of cards", "a drop cloth") and need
// something that can only follow a verb.
var (
	strongVerbs = set(`add remove delete reserve include rename retitle replace swap increase decrease reduce raise lower bump toss throw
		double remind cancel forecast tell give don't dont do does did forget create start erase wipe check`)
	weakVerbs = set(`drop set change update pack book clear show make get put take bring grab cut list cross scratch call name empty
		turn keep see look read build begin buy ditch lose skip switch i we scrap adjust need`)
	questionWords = set("what what's whats how how's hows is are will would should where when which who why isn't does do did")
	afterWeak     = set(`the a an my our me us it all everything another some this that these those some more extra them both one up off out in out for at
		in to need also will want have each any each i we can could would need don't we'll i'll`)
)

// opensClause reports whether toks, polite words aside, start with a verb or a
// question, so that an "and" in front of them joins clauses and not items.
func opensClause(toks []token) bool {
	toks = skipPolite(toks)
	if len(toks) < 2 || toks[0].quoted || toks[1].punct || toks[1].is("of", "and") {
		return false
	}
	switch w := toks[0].low; {
	case w == "check" && toks[1].is("list", "lists"), w == "lower" && capitalised(toks, 1): // Lower Pines
		return false
	case strongVerbs[w] || questionWords[w]:
		return true
	case w == "i'm" || w == "i'll" || w == "we'll" || w == "we're" || w == "i've" || w == "there":
		return true
	case weakVerbs[w]:
		n, used := number(toks[1:])
		return used > 0 && n >= 0 || afterWeak[toks[1].low] || w == "book" && isReservation(toks) || w == "set" && index(toks, "to") > 1 || has(toks, "list")
	}
	return false
}

// clauses cuts a message at the ends of sentences and wherever a comma or a
// conjunction is followed by a new verb.
func clauses(toks []token) [][]token {
	var out [][]token
	start := 0
	cut := func(end, next int) {
		if c := skipPolite(toks[start:end]); len(c) > 0 {
			out = append(out, c)
		}
		start = next
	}
	for i, t := range toks {
		switch {
		case t.endsSentence():
			cut(i, i+1)
		case t.low == "," && t.punct, t.is("and", "then", "but", "also", "plus", "while"):
			// A run of conjunctions is looked at once, from its last word.
			if i+1 < len(toks) && !toks[i+1].is("and", "then", "but", "also") && !toks[i+1].punct && opensClause(window(toks[i+1:])) {
				cut(i, i+1)
			}
		}
	}
	cut(len(toks), len(toks))
	return out
}

// window bounds how far ahead a decision looks, and stops at a sentence's end.
func window(toks []token) []token {
	toks = toks[:min(len(toks), 40)]
	for i, t := range toks {
		if t.endsSentence() {
			return toks[:i]
		}
	}
	return toks
}
