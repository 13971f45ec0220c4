package understand

import (
	"strings"
	"time"
)

// matchMonthDay reads "July 4", "July 4th-6th", "4 July" or "the 4th of July".
func matchMonthDay(toks []token, i int) ([]day, string, int) {
	if m, ok := month(toks[i].low); ok && i+1 < len(toks) {
		a, b, isRange := strings.Cut(toks[i+1].low, "-")
		from, ok := ordinal(a)
		if !ok {
			return nil, "", 0
		}
		if to, ok := ordinal(b); isRange && ok && to > from {
			return []day{monthDay(m, from), monthDay(m, to)}, "", i + 2
		}
		if i+3 < len(toks) && toks[i+2].is("to", "through", "until", "-") {
			if to, ok := ordinal(toks[i+3].low); ok && to > from && !(i+4 < len(toks) && isMonth(toks[i+4].low)) {
				return []day{monthDay(m, from), monthDay(m, to)}, "", i + 4
			}
		}
		return []day{monthDay(m, from)}, "", i + 2
	}
	if n, ok := ordinal(toks[i].low); ok && i+1 < len(toks) {
		j := i + 1
		if toks[j].is("of") {
			j++
		}
		if j < len(toks) {
			if m, ok := month(toks[j].low); ok {
				return []day{monthDay(m, n)}, "", j + 1
			}
		}
	}
	return nil, "", 0
}

func span(a, b day) int {
	switch {
	case a.weekday >= 0 && b.weekday >= 0:
		return (b.weekday - a.weekday + 7) % 7
	case a.month > 0 && b.month > 0:
		// A leap year's length is good enough for a stay of at most two weeks.
		from := time.Date(2028, time.Month(a.month), a.number, 0, 0, 0, 0, time.UTC)
		to := time.Date(2028, time.Month(b.month), b.number, 0, 0, 0, 0, time.UTC)
		if to.Before(from) {
			to = to.AddDate(1, 0, 0)
		}
		return int(to.Sub(from).Hours() / 24)
	case a.label == "today" && b.label == "tomorrow":
		return 1
	}
	return 0
}

// weekday reads a weekday's name or short form. "Sun" and "sat" are words of
// their own and count only inside a range.
func weekday(s string) (int, bool) {
	s = strings.TrimSuffix(s, "s")
	switch s {
	case "tue":
		return int(time.Tuesday), true
	case "thur":
		return int(time.Thursday), true
	}
	for d := time.Sunday; d <= time.Saturday; d++ {
		name := strings.ToLower(d.String())
		if s == name || s == name[:3] && s != "sun" && s != "sat" {
			return int(d), true
		}
	}
	return -1, false
}

var longWeekday = strings.NewReplacer("sunday", "sunday", "saturday", "saturday", "sun", "sunday", "sat", "saturday")

func weekdayOf(s string) day {
	n, _ := weekday(s)
	return day{label: time.Weekday(n).String(), weekday: n}
}

func month(s string) (int, bool) {
	for m := time.January; m <= time.December; m++ {
		name := strings.ToLower(m.String())
		if s == name || s == name[:3] || s == "sept" && m == time.September {
			return int(m), true
		}
	}
	return 0, false
}

func isMonth(s string) bool { _, ok := month(s); return ok }

func monthDay(m, d int) day {
	return day{label: time.Month(m).String() + " " + itoa(d), weekday: -1, month: m, number: d}
}

// ordinal reads "4" or "4th" as a day of a month.
func ordinal(s string) (int, bool) {
	for _, e := range []string{"st", "nd", "rd", "th"} {
		if t, ok := strings.CutSuffix(s, e); ok {
			s = t
			break
		}
	}
	n, ok := digits(s)
	return n, ok && n >= 1 && n <= 31 && !strings.Contains(s, "x")
}
