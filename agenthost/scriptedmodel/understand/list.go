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

// contentsAt finds where a start clause turns from its title to its items: at
// "with", a colon or "containing". A "with" in front of an amount wins.
func contentsAt(toks []token) (at, skip int) {
	first := -1
	for i, t := range toks {
		if t.punct && t.low == ":" || t.is("containing", "including", "with", "consisting") {
			if i+1 >= len(toks) {
				break
			}
			if first < 0 {
				first = i
			}
			if a, used := quantity(toks[i+1:]); used > 0 && (a.stated || toks[i+1].is("some", "the", "my")) || !t.is("with") {
				return i, 1
			}
		}
	}
	if first >= 0 {
		return first, 1
	}
	return len(toks), 0
}

var startFillers = set("a an the my our new me us another fresh brand-new simple quick packing camping gear trip of for empty please")

func parseStart(toks []token) ([]Change, string, bool) {
	rest, ok := after(toks, startVerbs)
	if !ok && theListNamed(toks) == 0 {
		return nil, "", false
	}
	head := rest[:min(len(rest), 24)]
	at, _ := contentsAt(head)
	list := -1
	for i, t := range head[:at] {
		if !t.quoted && listNouns[t.low] {
			list = i
			break
		}
		if t.punct || i > 0 && t.is("to", "on", "from", "in") || i > 0 && listPreps[t.low] && listRef(head[i:]) > 0 {
			return nil, "", false
		}
	}
	if list < 0 {
		return nil, "", false
	}
	var inner []token // words before "list" that are the title: "a Yosemite weekend packing list"
	for i, t := range head[:list] {
		if t.quoted || !startFillers[t.low] {
			inner = head[i:list]
			for len(inner) > 0 && inner[len(inner)-1].is("packing", "camping", "gear") {
				inner = inner[:len(inner)-1]
			}
			break
		}
	}
	for _, t := range inner { // "make the list shorter", "i need what's on the list"
		if t.is("what", "what's", "everything", "sure", "is", "see") {
			return nil, "", false
		}
	}
	tail := rest[list+1:]
	at, skip := contentsAt(tail)
	name, contents := tail[:at], tail[at+skip:]
	if n := startsWithAny(name, []string{"called", "named", "titled", "entitled", "with the title", "with title", "with the name"}); n > 0 {
		name = name[n:]
	} else if n := startsWithAny(tail, []string{"with the title", "with title", "with the name", "with name"}); n > 0 {
		name = tail[n:]
		at, skip = contentsAt(name)
		name, contents = name[:at], name[at+skip:]
	} else if n := startsWithAny(name, []string{"for", "about", "of"}); n > 0 {
		name = name[n:]
		if name = withoutDeterminer(name); len(name) > 0 && tail[0].is("of") {
			name, contents = nil, tail[1:]
		}
		if i := index(name, "called", "named", "titled"); i >= 0 {
			name = name[i+1:]
		}
	} else if len(name) > 0 && !name[0].quoted {
		if ok && len(inner) == 0 && !name[0].punct && !has(toks[:1], "start", "create", "new", "begin") {
			return nil, "", false
		}
		if name[0].punct {
			name, contents = nil, name
		} else if !ok || len(inner) > 0 {
			name = nil
		}
	}
	if len(name) == 0 && len(contents) > 0 {
		name, contents = titleInContents(tail[at:], contents)
	}
	if i := comma(name); i > 0 && len(contents) == 0 {
		name, contents = name[:i], name[i+1:]
	}
	if len(name) == 0 {
		name = inner
	}
	title, problem := titleOf(trimTail(name))
	if problem != "" {
		return nil, problem, true
	}
	got, problem := items(contents)
	if problem != "" {
		return nil, problem, true
	}
	return []Change{{Op: Start, Title: title, Items: plain(got)}}, "", true
}

// theListNamed counts "packing list" or "new list" said without a verb, in
// front of a colon, a name or contents.
func theListNamed(toks []token) int {
	n := startsWithAny(toks, []string{"packing list", "new packing list", "a packing list", "a new packing list", "a list", "list"})
	if n > 0 && n < len(toks) && (toks[n].punct && toks[n].low == ":" || toks[n].is("called", "named", "titled", "with", "for")) {
		return n
	}
	return 0
}

// titleInContents finds a title that comes after the contents ("with a tent,
// called Weekend") or in front of them ("list: Weekend, with a tent").
func titleInContents(tail, contents []token) (name, rest []token) {
	if i := index(contents, "called", "named", "titled"); i > 0 && i+1 < len(contents) {
		return contents[i+1:], contents[:i]
	}
	if with := index(contents, "with", "containing"); with > 0 && tail[0].low == ":" {
		if a, used := quantity(contents); used == 0 && !a.stated {
			return contents[:with], contents[with+1:]
		}
	}
	return nil, contents
}

func withoutDeterminer(toks []token) []token {
	for len(toks) > 1 && toks[0].is("the", "my", "our", "a", "an", "this", "next") {
		toks = toks[1:]
	}
	return toks
}

func comma(toks []token) int {
	for i, t := range toks {
		if t.punct && t.low == "," {
			return i
		}
	}
	return -1
}
