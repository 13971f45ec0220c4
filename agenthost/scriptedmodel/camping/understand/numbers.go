package understand

import (
	"strconv"
	"strings"
)

// tooMany stands for any number beyond what this package counts with.
const tooMany = 1_000_000

var smallNumbers = map[string]int{
	"zero": 0, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9,
	"ten": 10, "eleven": 11, "twelve": 12, "thirteen": 13, "fourteen": 14, "fifteen": 15, "sixteen": 16,
	"seventeen": 17, "eighteen": 18, "nineteen": 19, "twenty": 20, "thirty": 30, "forty": 40, "fifty": 50,
	"sixty": 60, "seventy": 70, "eighty": 80, "ninety": 90,
}

// number reads a whole number in digits ("3", "3x", "x3", "-2") or words
// ("twenty-five", "a hundred"), and how many tokens it took; 0 means none.
func number(toks []token) (n, used int) {
	if len(toks) == 0 || toks[0].quoted {
		return 0, 0
	}
	if n, ok := digits(toks[0].low); ok {
		return n, 1
	}
	if n, ok := wordNumber(toks[0].low); ok {
		used = 1
		if n >= 20 && n%10 == 0 && len(toks) > 1 {
			if u, ok := smallNumbers[toks[1].low]; ok && u > 0 && u < 10 {
				n, used = n+u, 2
			}
		}
		if len(toks) > used && toks[used].is("hundred") {
			return n * 100, used + 1
		}
		if len(toks) > used && toks[used].is("thousand", "million") {
			return tooMany, used + 1
		}
		return n, used
	}
	if len(toks) > 1 && toks[0].is("a") && toks[1].is("hundred") {
		return 100, 2
	}
	if len(toks) > 1 && toks[0].is("a") && toks[1].is("thousand", "million") {
		return tooMany, 2
	}
	return 0, 0
}

func digits(s string) (int, bool) {
	s = strings.TrimSuffix(strings.TrimPrefix(s, "x"), "x")
	s = strings.ReplaceAll(s, ",", "")
	if s == "" {
		return 0, false
	}
	for i, r := range s {
		if (r < '0' || r > '9') && (i > 0 || r != '-') {
			return 0, false
		}
	}
	n, err := strconv.Atoi(s)
	if err != nil {
		if s == "-" {
			return 0, false
		}
		return tooMany, true // out of range
	}
	return min(n, tooMany), true
}

func wordNumber(s string) (int, bool) {
	if n, ok := smallNumbers[s]; ok {
		return n, true
	}
	tens, unit, ok := strings.Cut(s, "-")
	t, u := smallNumbers[tens], smallNumbers[unit]
	if ok && t >= 20 && u > 0 && u < 10 {
		return t + u, true
	}
	return 0, false
}

// amount is a quantity in front of a noun.
type amount struct {
	n      int
	stated bool // a number was said, "a" included
	more   bool // "another", "two more": on top of what is there
	fewer  bool // "two fewer"
	exact  bool // a number other than the bare "a"
}

var measures = []struct {
	phrase string
	n      int
}{
	{"half a dozen", 6}, {"a half dozen", 6}, {"half dozen", 6}, {"a couple", 2}, {"a few", 3}, {"a handful", 5},
	{"a single", 1}, {"a pair", 2}, {"a dozen", 12}, {"couple", 2}, {"pair", 2}, {"dozen", 12}, {"several", 3},
	{"no", 0},
}

var fillers = set("about exactly just only maybe roughly approximately around both all any those these that this the my our your their his her some up")

// quantity reads the amount and determiners in front of a noun and how many
// tokens they took.
func quantity(toks []token) (a amount, used int) {
	i := 0
	for i < len(toks) && !toks[i].quoted && fillers[toks[i].low] {
		i++
	}
	if i > 0 && i < len(toks) && toks[i].is("of") {
		i++
	}
	for i > 0 && i < len(toks) && !toks[i].quoted && fillers[toks[i].low] { // "all of the"
		i++
	}
	rest := toks[i:]
	n, took := number(rest)
	switch {
	case took > 0:
		a = amount{n: n, stated: true, exact: true}
	case len(rest) > 1 && rest[0].is("another"):
		a, took = amount{n: 1, stated: true, more: true}, 1
		if m, t := number(rest[1:]); t > 0 {
			a.n, took, a.exact = m, 1+t, true
		}
	default:
		for _, m := range measures {
			if took = startsWith(rest, m.phrase); took > 0 {
				a = amount{n: m.n, stated: true, exact: true}
				break
			}
		}
		if took == 0 && len(rest) > 1 && rest[0].is("a", "an") {
			a, took = amount{n: 1, stated: true}, 1
		}
	}
	if took == 0 && len(rest) > 1 && rest[0].is("more", "extra", "additional") {
		return amount{more: true}, i + 1
	}
	if took == 0 {
		return a, i
	}
	i += took
	for i < len(toks)-1 && !toks[i].quoted {
		switch toks[i].low {
		case "more", "extra", "additional", "further":
			a.more = true
		case "fewer", "less":
			a.fewer = true
		case "pair", "pairs":
			if toks[i+1].is("of") {
				a.n = min(a.n*2, tooMany)
			} else if !a.exact {
				return a, i
			}
		case "dozen", "dozens":
			a.n = min(a.n*12, tooMany)
		case "of":
			for i+1 < len(toks)-1 && fillers[toks[i+1].low] { // "two of the lanterns"
				i++
			}
		case "x", "times":
		default:
			return a, i
		}
		i++
	}
	return a, i
}
