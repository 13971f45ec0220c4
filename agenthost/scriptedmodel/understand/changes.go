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

func parseDouble(toks []token) ([]Change, string, bool) {
	rest, ok := after(toks, []string{"double up on", "double the number of", "double the amount of", "double"})
	if !ok {
		return nil, "", false
	}
	got, problem := items(rest)
	if problem != "" || len(got) == 0 {
		return nil, problem, problem != ""
	}
	return []Change{{Op: Double, Items: bare(got)}}, "", true
}

// parseRaise reads "increase the headlamps to 5", "reduce the tents by one".
func parseRaise(toks []token) ([]Change, string, bool) {
	sign := 1
	rest, ok := after(toks, raiseVerbs)
	if low, lower := after(toks, lowerVerbs); lower {
		if has(low, "to", "by") {
			rest, ok, sign = low, true, -1
		} else if !toks[0].is("cut") {
			rest, ok, sign = low, true, -1
		}
	}
	if !ok {
		return nil, "", false
	}
	rest = trimTail(withoutListRefs(rest))
	by := index(rest, "by")
	if by > 0 {
		n, used := number(rest[by+1:])
		if a, u := quantity(rest[by+1:]); used == 0 && a.stated || u > used && a.exact {
			n, used = a.n, u
		}
		if used == 0 || n < 1 || n > MaxQty {
			return nil, "By how many, from 1 to 999?", true
		}
		return eachItem(ofItem(rest[:by]), func(it *Item) { it.Qty = sign * n }, AddEach)
	}
	if to := lastIndex(rest, "to"); to > 0 {
		if _, used := number(rest[to+1:]); used > 0 {
			return setTo(rest[:to], rest[to+1:])
		}
	}
	return eachItem(ofItem(rest), func(it *Item) { it.Qty = sign }, AddEach)
}

func eachItem(toks []token, f func(*Item), op Op) ([]Change, string, bool) {
	got, problem := items(toks)
	if problem != "" || len(got) == 0 {
		return nil, problem, problem != ""
	}
	out := bare(got)
	for i := range out {
		f(&out[i])
	}
	return []Change{{Op: op, Items: out}}, "", true
}

// ofItem drops what stands between a verb and the item it counts: "the number
// of", "the quantity of", and a trailing "quantity" or "count".
func ofItem(toks []token) []token {
	for _, p := range []string{"the number of", "number of", "the quantity of", "quantity of", "the amount of", "amount of", "the count of", "quantity for", "the quantity for", "the qty of", "qty of"} {
		if n := startsWith(toks, p); n > 0 {
			return toks[n:]
		}
	}
	for len(toks) > 1 && toks[len(toks)-1].is("up", "down", "quantity", "qty", "count", "number", "amount") {
		toks = toks[:len(toks)-1]
	}
	return toks
}

// parseSet reads "set headlamps to 3", "make it four tents", "headlamps should
// be 3", and several of them joined by "and".
func parseSet(toks []token) ([]Change, string, bool) {
	rest, verb := after(toks, setVerbs)
	if verb {
		rest = trimTail(withoutListRefs(rest))
		if i := index(rest, "instead"); i > 0 {
			rest = rest[:i]
		}
		if n := startsWithAny(rest, []string{"it", "that", "the number"}); n > 0 && n < len(rest) {
			if _, used := number(rest[n:]); used > 0 {
				if n+used == len(rest) {
					return nil, "Which item should I set to " + join(rest[n:]) + "?", true
				}
				got, problem := items(rest[n:])
				if problem != "" {
					return nil, problem, true
				}
				return []Change{{Op: Set, Items: bare(got)}}, "", len(got) > 0
			}
		}
	}
	if i := index(toks, "should", "must"); i > 0 && !toks[0].is("there") && i+2 < len(toks) && toks[i+1].is("be") {
		if _, used := number(toks[i+2:]); used > 0 {
			return setTo(toks[:i], toks[i+2:])
		}
	}
	if !verb {
		return nil, "", false
	}
	if i := index(rest, "from"); i > 0 { // "change tents from 2 to 3"
		if _, used := number(rest[i+1:]); used > 0 && i+1+used < len(rest) && rest[i+1+used].is("to") {
			rest = append(append([]token{}, rest[:i]...), rest[i+1+used:]...)
		}
	}
	var changes []Change
	start := 0
	for i := 0; i < len(rest); i++ {
		sep := rest[i].is("to", "at", "be", "=") || rest[i].punct && rest[i].low == ":"
		if !sep || i == start || i+1 >= len(rest) {
			continue
		}
		_, used := number(rest[i+1:])
		if end := i + 1 + used; used == 0 || end < len(rest) && !rest[end].punct && !rest[end].is("and", "for") {
			continue // a number in front of a noun replaces: "change the tent to 2 tarps"
		}
		c, said, ok := setTo(rest[start:i], rest[i+1:i+1+used])
		if said != "" || !ok {
			return c, said, ok
		}
		changes = append(changes, c...)
		start, i = i+1+used, i+used
	}
	if len(changes) > 0 {
		return changes, "", true
	}
	// "make the tents 2", "make the headlamps three"
	if toks[0].is("make", "set", "change", "update") && len(rest) > 1 {
		if _, used := number(rest[len(rest)-1:]); used == 1 {
			return setTo(rest[:len(rest)-1], rest[len(rest)-1:])
		}
	}
	return nil, "", false
}

func setTo(names, qty []token) ([]Change, string, bool) {
	n, _ := number(qty)
	if n < 0 || n > MaxQty {
		return nil, "I can put 1 to 999 of an item on the list, so I changed nothing.", true
	}
	for len(names) > 0 && (names[0].punct || names[0].is("and", "both")) {
		names = names[1:]
	}
	got, problem := items(ofItem(names))
	if problem != "" {
		return nil, problem, true
	}
	if len(got) == 0 {
		return nil, "Which item should I set to " + join(qty[:1]) + "?", len(names) > 0
	}
	out := bare(got)
	for i := range out {
		out[i] = Item{Name: Singular(out[i].Name), Qty: n}
	}
	return []Change{{Op: Set, Items: out}}, "", true
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

func lastIndex(toks []token, words ...string) int {
	for i := len(toks) - 1; i >= 0; i-- {
		if toks[i].is(words...) {
			return i
		}
	}
	return -1
}
