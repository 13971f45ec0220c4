package understand

// parseKeepOnly reads "remove everything except the tent", "keep only the tent".
func parseKeepOnly(toks []token) ([]Change, string, bool) {
	rest, ok := after(toks, []string{"keep only", "keep just", "only keep", "just keep"})
	if !ok {
		if rest, ok = after(toks, append([]string{"clear", "empty"}, removeVerbs...)); !ok || !has(rest[:min(len(rest), 3)], "everything", "all") {
			return nil, "", false
		}
		at := index(rest, "except", "but", "besides")
		if at < 0 {
			return nil, "", false
		}
		rest = rest[at+1:]
		if len(rest) > 0 && rest[0].is("for") {
			rest = rest[1:]
		}
	}
	got, problem := items(rest)
	if problem != "" || len(got) == 0 {
		return nil, problem, problem != ""
	}
	return []Change{{Op: KeepOnly, Items: bare(got)}}, "", true
}

// parseReplace reads "replace the tent with a tarp", "rename tent to tarp".
func parseReplace(toks []token) ([]Change, string, bool) {
	op := Replace
	rest, ok := after(toks, []string{"rename"})
	if ok {
		op = RenameItem
	} else if rest, ok = after(toks, replaceVerbs); !ok {
		return nil, "", false
	}
	rest = trimTail(withoutListRefs(rest))
	seps := []string{"with", "for", "by", "to", "into"}
	if op == RenameItem || toks[0].is("change", "turn") {
		seps = []string{"to", "into", "as"}
	}
	at := index(rest, seps...)
	if at <= 0 || at+1 >= len(rest) {
		return nil, "", false
	}
	old, problem := items(rest[:at])
	if problem != "" || len(old) == 0 {
		return nil, problem, problem != ""
	}
	with, problem := items(rest[at+1:])
	if problem != "" || len(with) == 0 {
		return nil, problem, problem != ""
	}
	if len(old) == 1 && len(with) == 1 && Key(old[0].Name) == Key(with[0].Name) && with[0].stated {
		// "change two tents to three tents"
		return []Change{{Op: Set, Items: bare(with)}}, "", true
	}
	return []Change{{Op: op, Items: bare(old), With: bare(with)}}, "", true
}

func parseRemove(toks []token) ([]Change, string, bool) {
	rest, ok := after(toks, removeVerbs)
	if !ok { // "take the tent off the list", "cross the tent out"
		if rest, ok = after(toks, []string{"take", "cross", "leave", "throw", "toss", "kick"}); !ok || !has(rest[1:], "off", "out", "away") {
			return nil, "", false
		}
	}
	if len(rest) == 0 || rest[0].is("to") {
		return nil, "", false
	}
	got, problem := items(rest)
	if problem != "" {
		return nil, problem, true
	}
	if len(got) == 0 {
		return nil, "Which item should I remove?", true
	}
	var out []Item
	for _, it := range got {
		if it.all || !it.stated {
			it.Item.Qty = 0
		} else if it.n == 0 {
			continue
		}
		out = append(out, it.Item)
	}
	return []Change{{Op: Remove, Items: out}}, "", len(out) > 0
}

func parseAdd(toks []token) ([]Change, string, bool) {
	op := Add
	rest, ok := after(toks, addVerbs)
	if r, ensure := after(toks, ensureVerbs); ensure {
		op, rest, ok = Ensure, r, true
	}
	if !ok {
		if a, used := quantity(toks); used == 0 || !a.more || !a.stated {
			return nil, "", false
		}
		rest = toks // "two more headlamps"
	}
	if len(rest) == 0 && toks[0].is("add") {
		return nil, "Which item should I add?", true
	}
	if len(rest) == 0 || rest[0].is("to", "you", "help", "ready", "for") && listRef(rest) == 0 {
		return nil, "", false
	}
	var instead []Change // "a tarp instead of the tent", "3 headlamps instead of 2"
	if i := index(rest, "instead"); i > 0 && i+2 < len(rest) && rest[i+1].is("of") {
		if _, used := number(rest[i+2:]); used == 0 {
			old, _ := items(rest[i+2:])
			if len(old) > 0 {
				instead = []Change{{Op: Remove, Items: bare(old)}}
			}
		}
		rest = rest[:i]
	}
	got, problem := items(rest)
	if problem != "" {
		return nil, problem, true
	}
	if len(got) == 0 {
		return nil, "Which item should I add?", ok && op == Add && toks[0].is("add")
	}
	changes := instead
	for _, it := range got {
		o, x := op, it.Item
		if it.stated && it.n == 0 {
			if op == Add {
				return nil, "I can put 1 to 999 of an item on the list, so I changed nothing.", true
			}
			o = Remove // "we need no tents"
		} else {
			x.Qty = max(it.n, 1)
		}
		if it.more && o == Ensure {
			o = Add
		}
		if it.fewer {
			o, x.Qty = AddEach, -x.Qty
		}
		if k := len(changes); k > 0 && changes[k-1].Op == o {
			changes[k-1].Items = append(changes[k-1].Items, x)
		} else {
			changes = append(changes, Change{Op: o, Items: []Item{x}})
		}
	}
	return changes, "", true
}

// bare keeps names and the quantities that were said.
func bare(in []listed) []Item {
	out := make([]Item, len(in))
	for i, it := range in {
		out[i] = it.Item
	}
	return out
}
