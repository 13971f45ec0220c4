package understand

import "strings"

var (
	listNouns   = set("list lists checklist packing-list")
	listWords   = set("the my our this that your current whole entire packing camping gear same existing trip")
	listPreps   = set("to on onto from in into off of for")
	tailWords   = set("back please pls thanks too also as well now instead again then though ok okay out off away immediately here there cheers asap")
	pronouns    = set("it them that this those these everything all thing things stuff items item something anything nothing you me us him her i we one ones same else yes no")
	tailPhrases = []string{"for me", "for us", "thank you", "right now", "if possible", "if you can", "while you're at it", "at the moment", "as well", "any more", "anymore", "any longer", "i think", "to it", "on it", "in it", "from it", "for now"}
	compounds   = []string{"mac and cheese", "salt and pepper", "peanut butter and jelly", "bread and butter", "wine and cheese", "black and decker", "fish and chips", "dustpan and brush", "hook and line", "bug and tick spray", "cup and saucer"}
)

// withoutListRefs drops every "to my packing list" and the like.
func withoutListRefs(toks []token) []token {
	var out []token
	for i := 0; i < len(toks); {
		if n := listRef(toks[i:]); n > 0 {
			i += n
			continue
		}
		out = append(out, toks[i])
		i++
	}
	return out
}

// listRef counts the tokens of a reference to the list, with its preposition.
func listRef(toks []token) int {
	if len(toks) < 2 || toks[0].quoted || !listPreps[toks[0].low] {
		return 0
	}
	i := 1
	for i < len(toks) && i < 6 && !toks[i].quoted && listWords[toks[i].low] {
		i++
	}
	if i < len(toks) && !toks[i].quoted && listNouns[toks[i].low] {
		return i + 1
	}
	return 0
}

// trimTail drops words that end a request and belong to no item.
func trimTail(toks []token) []token {
	for len(toks) > 0 {
		last := toks[len(toks)-1]
		if last.punct || !last.quoted && (tailWords[last.low] || last.is("and")) {
			toks = toks[:len(toks)-1]
			continue
		}
		cut := 0
		for _, p := range tailPhrases {
			n := strings.Count(p, " ") + 1
			if n < len(toks) && startsWith(toks[len(toks)-n:], p) == n {
				cut = n
				break
			}
		}
		if cut == 0 {
			break
		}
		toks = toks[:len(toks)-cut]
	}
	return toks
}

// phrases cuts an enumeration at commas and conjunctions.
func phrases(toks []token) [][]token {
	var out [][]token
	start := 0
	for i := 0; i <= len(toks); i++ {
		if i < len(toks) && !(toks[i].punct && toks[i].low != "(" && toks[i].low != ")" && !isQtyColon(toks, i)) && !isJoint(toks, start, i) {
			continue
		}
		if i > start {
			out = append(out, toks[start:i])
		}
		start = i + 1
	}
	return out
}

// isQtyColon reports a colon in front of a quantity: "tents: 2".
func isQtyColon(toks []token, i int) bool {
	if toks[i].low != ":" || i == 0 || i+1 >= len(toks) {
		return false
	}
	_, used := number(toks[i+1:])
	return used > 0 && (i+1+used == len(toks) || toks[i+1+used].punct || toks[i+1+used].is("and"))
}

// isJoint reports a conjunction between items, and not inside a known compound.
func isJoint(toks []token, start, i int) bool {
	if !toks[i].is("and", "plus", "then", "also", "with") {
		return false
	}
	if toks[i].is("with") { // "along with", "together with"
		return i > 0 && toks[i-1].is("along", "together")
	}
	for _, c := range compounds {
		w := strings.Fields(c)
		for k, x := range w {
			if x == "and" && i-k >= start && startsWith(toks[i-k:], c) > 0 {
				return false
			}
		}
	}
	return true
}

// listed is an item with how its quantity was said.
type listed struct {
	Item
	amount
	all bool // "all the": every one of them
}

// items reads an enumeration of items. Names that are too long and quantities
// outside 0 to MaxQty are reported in problem, in a sentence.
func items(toks []token) (out []listed, problem string) {
	for _, p := range phrases(trimTail(withoutListRefs(toks))) {
		it, ok := item(trimTail(skipAlso(p)))
		if !ok {
			continue
		}
		switch {
		case tooLong(it.Name):
			return nil, "That item's name is too long for the list."
		case it.n < 0 || it.n > MaxQty:
			return nil, "I can put 1 to 999 of an item on the list, so I changed nothing."
		}
		if len(out) == MaxItems {
			return nil, "That is more than the 100 items a list can hold, so I changed nothing."
		}
		out = append(out, it)
	}
	return out, ""
}

func skipAlso(toks []token) []token {
	for len(toks) > 0 && (toks[0].punct || toks[0].is("also", "and", "then", "plus", "along", "together", "as", "well", "even", "maybe", "please")) {
		toks = toks[1:]
	}
	return toks
}

// item reads one phrase: an amount, a name, and perhaps an amount after it.
func item(toks []token) (listed, bool) {
	var it listed
	it.all = len(toks) > 0 && toks[0].is("all", "both")
	a, used := quantity(toks)
	rest := toks[used:]
	if n, cut := trailingQty(rest); cut > 0 && !a.exact {
		a = amount{n: n, stated: true, exact: true}
		rest = rest[:len(rest)-cut]
	}
	for len(rest) > 0 && rest[len(rest)-1].punct {
		rest = rest[:len(rest)-1]
	}
	for len(rest) > 1 && rest[len(rest)-1].is("more", "extra") {
		a.more = true
		rest = rest[:len(rest)-1]
	}
	name := join(rest)
	if name == "" || len(rest) == 1 && !rest[0].quoted && (pronouns[rest[0].low] || tailWords[rest[0].low]) {
		return it, false
	}
	if a.stated {
		name = Singular(name)
	}
	it.amount, it.Item = a, Item{Name: name, Qty: a.n}
	return it, true
}

// trailingQty reads "x2", "2x", "(2)", "x 2", ": 2" or "2" after a name.
func trailingQty(toks []token) (n, used int) {
	end := len(toks)
	if end > 0 && toks[end-1].low == ")" && toks[end-1].punct {
		end--
	}
	if end < 2 {
		return 0, 0
	}
	n, took := number(toks[end-1:])
	if took != 1 {
		return 0, 0
	}
	i := end - 1
	marked := end < len(toks) || toks[end-1].low[0] == 'x' || toks[end-1].low[len(toks[end-1].low)-1] == 'x'
	for i > 1 && (toks[i-1].is("x", "times", "qty", "quantity") || toks[i-1].punct && (toks[i-1].low == "(" || toks[i-1].low == ":")) {
		marked = true
		i--
	}
	if !marked {
		return 0, 0
	}
	return n, len(toks) - i
}

// plain turns what was said into items to put on a list: one where no quantity
// was said. Quantity 0 puts nothing there.
func plain(in []listed) []Item {
	var out []Item
	for _, it := range in {
		if it.stated && it.n == 0 {
			continue
		}
		it.Item.Qty = max(it.n, 1)
		out = append(out, it.Item)
	}
	return out
}
