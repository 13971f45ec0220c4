package understand

import (
	"strings"
	"time"
)

// Dates is when a forecast or a stay is for. The zero value means it was not said.
type Dates struct {
	Text string   // as a sentence says it: "Saturday to Sunday", "this weekend"
	Days []string // "Saturday", "July 4": the named days, at most the first and the last
	Span int      // nights between the first and the last day; 0 means unknown
}

// day is one named day.
type day struct {
	label   string
	weekday int // 0 to 6, or -1
	month   int // 1 to 12, or 0
	number  int
}

var relativeDays = set("today tonight tomorrow")

// timePhrases say when, and name neither a place nor a day.
var timePhrases = []string{"right now", "just now", "at the moment", "at this time", "currently", "now", "this week", "next week",
	"the next few days", "next few days", "over the next few days", "the coming days", "this morning", "this afternoon", "this evening", "in the morning", "in the afternoon",
	"in the evening", "at night", "overnight", "next month", "this month", "later today", "later", "soon", "these days", "this season", "today", "this summer", "this winter", "this spring", "this fall"}

// keptPhrases are those of them worth repeating in a forecast's question.
var keptPhrases = set("next-week this-week next-month this-month")

// findDates finds when the tokens say, and marks every token that says so.
func findDates(toks []token) (Dates, []bool) {
	var d Dates
	marks := make([]bool, len(toks))
	mark := func(i, n int) {
		for j := i; j < i+n; j++ {
			marks[j] = true
		}
	}
	var found []day
	joined := false // the last two days are the ends of a range
	for i := 0; i < len(toks); {
		if dy, lead, n := matchDay(toks[i:]); n > 0 {
			if len(found) > 0 && i > 0 {
				if k := connector(toks, i, marks); k > 0 {
					mark(i-k, k)
					joined = true
				}
			}
			mark(i, n)
			found = append(found, dy...)
			if len(dy) == 2 {
				joined = true
			}
			if d.Text == "" && lead != "" {
				d.Text = lead
			}
			i += n
			continue
		}
		if n := startsWithAny(toks[i:], timePhrases); n > 0 {
			mark(i, n)
			if p := join(toks[i : i+n]); d.Text == "" && keptPhrases[strings.ReplaceAll(strings.ToLower(p), " ", "-")] {
				d.Text = strings.ToLower(p)
			}
			i += n
			continue
		}
		i++
	}
	for i := range toks { // the prepositions in front of what was marked
		if i+1 < len(toks) && marks[i+1] && !marks[i] && toks[i].is("on", "from", "for", "during", "over", "by", "starting", "until", "till", "between", "the", "this", "next", "of") {
			marks[i] = true
			for j := i - 1; j >= 0 && !marks[j] && toks[j].is("on", "from", "for", "during", "over", "starting"); j-- {
				marks[j] = true
			}
		}
	}
	if len(found) == 0 {
		return d, marks
	}
	first, last := found[0], found[len(found)-1]
	d.Days = []string{first.label}
	if len(found) > 1 && first.label != last.label {
		d.Days = append(d.Days, last.label)
		if d.Text == "" { // how many nights a weekend has is for the user to say
			d.Span = span(first, last)
		}
	}
	if d.Text == "" {
		d.Text = first.label
		if len(d.Days) > 1 {
			and := " and "
			if joined {
				and = " to "
			}
			d.Text += and + last.label
		}
	}
	return d, marks
}

// connector counts the tokens in front of i that join two days into a range.
func connector(toks []token, i int, marks []bool) int {
	if toks[i-1].is("to", "through", "thru", "until", "till", "and", "-") && i >= 2 && marks[i-2] {
		return 1
	}
	return 0
}

// matchDay reads a day, a weekend or a range in one word ("Fri-Sun", "July
// 4-6") at the front of toks; lead is how to say it when that is not its days.
func matchDay(toks []token) (ds []day, lead string, used int) {
	i := 0
	prefix := ""
	for i < len(toks) && toks[i].is("this", "next", "coming", "the", "upcoming") && i < 2 {
		if toks[i].is("this", "next") {
			prefix = toks[i].low + " "
		}
		i++
	}
	if i >= len(toks) || toks[i].quoted || toks[i].punct {
		return nil, "", 0
	}
	w := strings.TrimSuffix(toks[i].low, "'s")
	if w == "weekend" || w == "week-end" {
		if prefix == "" {
			prefix = "this "
		}
		return []day{weekdayOf("saturday"), weekdayOf("sunday")}, prefix + "weekend", i + 1
	}
	if _, ok := weekday(w); ok {
		n := i + 1
		if n < len(toks) && toks[n].is("night", "morning", "afternoon", "evening", "nights") {
			n++
		}
		return []day{weekdayOf(w)}, "", n
	}
	if relativeDays[w] && i == 0 {
		n := 1
		if n < len(toks) && toks[n].is("night", "morning", "afternoon", "evening") {
			n++
		}
		return []day{{label: w, weekday: -1}}, "", n
	}
	if a, b, ok := strings.Cut(w, "-"); ok {
		a, b = longWeekday.Replace(a), longWeekday.Replace(b)
		if _, ok := weekday(a); ok {
			if _, ok := weekday(b); ok {
				return []day{weekdayOf(a), weekdayOf(b)}, "", i + 1
			}
		}
	}
	if t, err := time.Parse(time.DateOnly, w); err == nil {
		return []day{monthDay(int(t.Month()), t.Day())}, "", i + 1
	}
	if i > 0 && prefix != "" {
		return nil, "", 0
	}
	return matchMonthDay(toks, i)
}
