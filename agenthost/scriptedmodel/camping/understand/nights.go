package understand

import "strings"

// Nights says a number of nights.
func Nights(n int) string {
	if n == 1 {
		return "one night"
	}
	return Count(n) + " nights"
}

// Count writes small numbers as words.
func Count(n int) string {
	for w, v := range smallNumbers {
		if v == n && n <= 12 {
			return w
		}
	}
	return itoa(n)
}

type nightCount struct {
	n        int
	fraction bool
}

// nightsIn finds how long a stay is and marks the tokens that say so; nil
// means it was not said.
func nightsIn(toks []token) (nightCount, []bool) {
	for i, t := range toks {
		if !t.is("night", "nights", "week", "weeks", "fortnight", "nighter", "overnight", "nights'") {
			if n, ok := hyphenNights(t.low); ok {
				return nightCount{n: n}, marked(toks, i, i+1)
			}
			continue
		}
		unit := 1
		if t.is("week", "weeks") {
			unit = 7
		}
		if t.is("fortnight") {
			unit = 14
		}
		if t.is("overnight") {
			return nightCount{n: 1}, marked(toks, i, i+1)
		}
		for start := max(0, i-5); start < i; start++ {
			a, used := quantity(toks[start : i+1]) // with its noun: "a night"
			frac := has(toks[start:i], "half")
			if frac && !has(toks[start:i], "dozen") && (a.stated || toks[start].is("half")) {
				return nightCount{fraction: true}, marked(toks, start, i+1)
			}
			if used > 0 && start+used == i && a.stated && !toks[start].is("for", "at") {
				end, n := i+1, min(a.n*unit, tooMany)
				if end+2 < len(toks) && toks[end].is("and") { // "a week and two days"
					if b, used := quantity(toks[end+1:]); b.stated && end+1+used < len(toks) && toks[end+1+used].is("day", "days", "night", "nights") {
						end, n = end+2+used, min(n+b.n, tooMany)
					}
				}
				return nightCount{n: n}, marked(toks, start, end)
			}
			if start == i-1 && strings.ContainsAny(toks[start].low, "./") && toks[start].low[0] >= '0' && toks[start].low[0] <= '9' {
				return nightCount{fraction: true}, marked(toks, start, i+1)
			}
		}
	}
	return nightCount{}, nil
}

// hyphenNights reads "2-night" and "two-night".
func hyphenNights(s string) (int, bool) {
	for _, unit := range []struct {
		end string
		n   int
	}{{"-night", 1}, {"-nights", 1}, {"-week", 7}} {
		if p, ok := strings.CutSuffix(s, unit.end); ok {
			if n, ok := digits(p); ok {
				return n * unit.n, true
			}
			if n, ok := wordNumber(p); ok {
				return n * unit.n, true
			}
		}
	}
	return 0, false
}

// marked marks from start to end and a "for" or "stay of" in front of it.
func marked(toks []token, start, end int) []bool {
	m := make([]bool, len(toks))
	for i := start; i < end; i++ {
		m[i] = true
	}
	if start > 0 && toks[start-1].is("for", "of") {
		m[start-1] = true
	}
	if end < len(toks) && toks[end].is("stay") {
		m[end] = true
	}
	return m
}
