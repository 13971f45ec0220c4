package camping

import (
	"fmt"
	"hash/fnv"
	"strings"
	"time"

	"cairn/agenthost/scriptedmodel/camping/understand"
)

// somewhere is how planner and forecaster speak of a place nobody named.
const somewhere = "your campsite"

// forecastPrompt is what the planner asks the forecaster.
func forecastPrompt(task understand.Task) string {
	where, when := task.Place, task.Dates.Text
	if where == "" {
		where = somewhere
	}
	if when == "" {
		when = "Saturday to Sunday"
	}
	return fmt.Sprintf("Give a 3-bullet weather forecast for %s, %s.", where, when)
}

// forecast is the child's whole answer: three markdown bullets made from a
// hash of the place and the day, so the same question gets the same weather.
func forecast(prompt string) string {
	where, dates := understand.ForecastFor(prompt)
	if where == "" {
		where = somewhere
	}
	var lines []string
	for _, when := range threeTimes(dates) {
		lines = append(lines, fmt.Sprintf("- **%s:** %s", understand.Capital(when), weather(where, when)))
	}
	return strings.Join(lines, "\n")
}

// threeTimes names the days and nights the three bullets are about.
func threeTimes(d understand.Dates) []string {
	if len(d.Days) == 0 {
		return []string{"Saturday", "Saturday night", "Sunday"}
	}
	first := d.Days[0]
	if len(d.Days) == 1 {
		switch first {
		case "tonight":
			return []string{"tonight", "tomorrow", "tomorrow night"}
		case "today":
			return []string{"today", "tonight", "tomorrow"}
		}
		return []string{first, nightOf(first), dayAfter(first)}
	}
	last := d.Days[1]
	switch mid := dayAfter(first); {
	case d.Span == 2 && mid != "the day after":
		return []string{first, mid, last}
	case d.Span > 2:
		return []string{first, "the days between", last}
	}
	return []string{first, nightOf(first), last}
}

func nightOf(day string) string { return day + " night" }

// dayAfter names the day after one named by weekday or by month and day.
func dayAfter(day string) string {
	for d := time.Sunday; d <= time.Saturday; d++ {
		if d.String() == day {
			return ((d + 1) % 7).String()
		}
	}
	if t, err := time.Parse("January 2", day); err == nil {
		return t.AddDate(0, 0, 1).Format("January 2")
	}
	return "the day after"
}

var (
	daySkies   = []string{"sunny", "mostly sunny", "partly cloudy", "cloudy with sunny spells", "a chance of afternoon showers", "sunny after morning fog"}
	nightSkies = []string{"clear", "clear and calm", "partly cloudy", "cloudy", "clear with patchy frost"}
	winds      = []string{"light breeze", "calm", "gentle west wind", "breezy in the afternoon"}
)

// weather makes up the weather of one time at one place.
func weather(where, when string) string {
	base := hash(where)
	h := hash(where + "|" + when)
	pick := func(from []string) string {
		s := from[h%uint64(len(from))]
		h /= uint64(len(from))
		return s
	}
	high := 14 + int(base%10) + int(h>>32%4)
	if strings.Contains(when, "night") {
		return fmt.Sprintf("%s, low %d °C", pick(nightSkies), high-11)
	}
	return fmt.Sprintf("%s, high %d °C, %s", pick(daySkies), high, pick(winds))
}

func hash(s string) uint64 {
	h := fnv.New64a()
	_, _ = h.Write([]byte(strings.ToLower(s)))
	return h.Sum64()
}
