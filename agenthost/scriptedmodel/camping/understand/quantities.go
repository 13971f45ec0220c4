package understand

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

func lastIndex(toks []token, words ...string) int {
	for i := len(toks) - 1; i >= 0; i-- {
		if toks[i].is(words...) {
			return i
		}
	}
	return -1
}
