package understand

import "strings"

var (
	addVerbs = []string{"add in", "add", "put in", "put down", "put", "pack", "include", "bring along", "bring", "throw in", "toss in", "toss", "throw", "get", "grab", "buy",
		"append", "insert", "take along", "take", "don't forget about", "don't forget to pack", "don't forget to bring", "don't forget to add", "don't forget", "dont forget", "remember to pack", "remember to bring", "remember", "i want to add", "stick", "list"}
	ensureVerbs = []string{"i need", "we need", "i'll need", "we'll need", "i also need", "we also need", "we'll also need", "i'll also need", "i will need", "we will need", "i'll bring", "we'll bring", "i'm bringing", "we're bringing", "i want", "we want",
		"make sure we have", "make sure i have", "make sure there are", "make sure there is", "ensure we have", "there should be", "i only need", "we only need", "we should bring", "i should bring", "we should pack", "i should pack", "i'm packing", "i'll pack", "need", "i'll take", "we'll take", "i'd like", "i would like", "we should have", "we should take"}
	removeVerbs = []string{"remove", "delete", "drop", "take out", "take off", "scratch", "cross off", "cross out", "strike", "get rid of", "leave out", "leave behind", "leave", "forget about", "forget", "ditch", "lose", "skip", "scrap", "cut", "erase", "toss out", "throw out", "throw away", "exclude", "kick out", "eliminate",
		"i don't need", "we don't need", "don't need", "i no longer need", "we no longer need", "no longer need", "i won't need", "we won't need", "i don't want", "we don't want", "don't bring", "don't pack", "don't take", "do not bring", "do not pack", "i do not need", "we do not need", "no need for", "un-pack", "unpack", "discard", "subtract", "minus"}
	setVerbs     = []string{"set", "change", "update", "make", "adjust", "put", "correct", "edit", "modify", "fix", "turn", "have"}
	raiseVerbs   = []string{"increase", "raise", "bump up", "bump", "up", "increment"}
	lowerVerbs   = []string{"decrease", "reduce", "lower", "cut down", "cut", "decrement", "bring down"}
	startVerbs   = []string{"start", "create", "make", "begin", "build", "set up", "open", "prepare", "draft", "write", "put together", "give", "generate", "i need", "we need", "i want", "i'd like", "we'd like", "new", "another", "have", "compile"}
	replaceVerbs = []string{"replace", "swap out", "swap", "exchange", "switch out", "switch", "substitute", "change", "turn", "trade"}
)

// listChanges reads a clause as changes to the list. said is a sentence for a
// clause that is about the list but cannot be done as it stands.
func listChanges(toks []token) (changes []Change, said string, ok bool) {
	for _, rule := range []func([]token) ([]Change, string, bool){
		parseClear, parseRenameList, parseStart, parseKeepOnly, parseDouble, parseRaise, parseSet, parseReplace, parseRemove, parseAdd,
	} {
		if changes, said, ok = rule(toks); ok {
			return changes, said, true
		}
	}
	return nil, "", false
}

func after(toks []token, verbs []string) ([]token, bool) {
	n := 0
	for _, v := range verbs {
		n = max(n, startsWith(toks, v))
	}
	return toks[n:], n > 0
}

// theList counts the tokens of "the list", "my packing list", "it", at the front.
func theList(toks []token) int {
	if len(toks) > 0 && toks[0].is("it") {
		return 1
	}
	i := 0
	for i < len(toks) && i < 5 && !toks[i].quoted && (listWords[toks[i].low] || toks[i].is("a", "new", "of")) {
		i++
	}
	if i < len(toks) && !toks[i].quoted && listNouns[toks[i].low] {
		return i + 1
	}
	return 0
}

func parseClear(toks []token) ([]Change, string, bool) {
	clear := []Change{{Op: Clear}}
	if n := startsWithAny(toks, []string{"start over", "start again", "start from scratch", "start fresh", "unpack everything"}); n > 0 && !has(toks[n:], "with") {
		return clear, "", true
	}
	if rest, ok := after(toks, []string{"clear out", "clear", "empty out", "empty", "reset", "wipe", "erase"}); ok {
		rest = trimTail(rest)
		if len(rest) == 0 || theList(rest) > 0 || has(rest, "everything", "all") {
			return clear, "", true
		}
	}
	rest, ok := after(toks, removeVerbs)
	if !ok {
		return nil, "", false
	}
	rest = trimTail(withoutListRefs(rest))
	if n := theList(rest); n > 0 && n == len(rest) && !rest[0].is("it") {
		return clear, "", true
	}
	n := startsWithAny(rest, []string{"everything", "all of the items", "all the items", "all items", "all of it", "all of them", "every item", "all the things", "all"})
	if n > 0 && n == len(rest) {
		return clear, "", true
	}
	return nil, "", false
}

func parseRenameList(toks []token) ([]Change, string, bool) {
	rest, ok := after(toks, []string{"rename", "retitle", "call", "name", "title"})
	var title []token
	switch n := theList(rest); {
	case ok && n > 0:
		title = rest[n:]
	case !ok:
		rest, ok = after(toks, setVerbs)
		at := index(rest, "title", "name")
		to := index(rest, "to", "as")
		if !ok || at < 0 || to < at || to-at > 4 || at > 3 {
			return nil, "", false
		}
		if of := rest[at+1 : to]; len(of) > 0 && listRef(of) == 0 && !(of[0].is("of") && theList(of[1:]) > 0) {
			return nil, "", false
		}
		title = rest[to:]
	default:
		return nil, "", false
	}
	for len(title) > 0 && (title[0].is("to", "as", "into") || title[0].punct) {
		title = title[1:]
	}
	t, problem := titleOf(trimTail(title))
	switch {
	case problem != "":
		return nil, problem, true
	case t == "":
		return nil, "What should the list be called?", true
	}
	return []Change{{Op: RenameList, Title: t}}, "", true
}

// titleOf makes a title of tokens: a quoted part if there is one, else all.
func titleOf(toks []token) (title, problem string) {
	for _, t := range toks {
		if t.quoted {
			title = t.text
			break
		}
	}
	if title == "" {
		title = join(toks)
	}
	if tooLong(title) {
		return "", "That title is too long for the list."
	}
	return Capital(title), ""
}

// Capital writes the first letter large.
func Capital(s string) string {
	for i, r := range s {
		return strings.ToUpper(string(r)) + s[i+len(string(r)):]
	}
	return s
}
