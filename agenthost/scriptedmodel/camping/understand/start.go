package understand

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
