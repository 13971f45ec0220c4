package camping

import (
	"fmt"
	"regexp"
	"strings"

	"cairn/agenthost/scriptedmodel/camping/understand"
	"cairn/agenthost/scriptedmodel/script"
)

// failed is the honest sentence about a tool that failed.
func failed(task understand.Task, why string) string {
	return script.Failed(map[understand.Kind]string{
		understand.UpdateList: "I could not update the list",
		understand.Conditions: "I could not check the conditions at " + task.Place,
		understand.Reserve:    "I could not reserve " + task.Site,
		understand.Forecast:   "I could not get the forecast",
	}[task.Kind], why)
}

func conditionsSentence(place string, res script.Result) string {
	if loc, ok := res.Fields["location"].(string); ok && loc != "" {
		place = loc
	}
	sky, _ := res.Fields["forecast"].(string)
	if sky == "" {
		if res.Fields != nil || res.Text == "" {
			return "The conditions at " + script.OneLine(place) + " came back without a forecast."
		}
		return strings.TrimRight(script.OneLine(place+": "+res.Text), ".") + "."
	}
	s := script.OneLine(place) + " is " + skyPhrase(script.OneLine(sky))
	high, okHigh := res.Fields["high_c"].(float64)
	low, okLow := res.Fields["low_c"].(float64)
	switch {
	case okHigh && okLow:
		s += fmt.Sprintf(", high %g °C and low %g °C", high, low)
	case okHigh:
		s += fmt.Sprintf(", high %g °C", high)
	}
	return s + "."
}

// skyPhrase turns "Clear skies, light afternoon breeze" into "clear with a
// light afternoon breeze".
func skyPhrase(s string) string {
	head, rest, ok := strings.Cut(strings.TrimRight(s, "."), ",")
	head = strings.ToLower(strings.TrimSpace(head))
	head = strings.TrimSuffix(strings.TrimSuffix(head, " skies"), " sky")
	rest = strings.ToLower(strings.TrimSpace(rest))
	if !ok || rest == "" {
		return head
	}
	if strings.Contains(rest, ",") || understand.IsMass(rest) {
		return head + " with " + rest
	}
	return head + " with " + counted(understand.Item{Name: rest, Qty: 1})
}

var confirmation = regexp.MustCompile(`\b[A-Z]{1,5}-[A-Z0-9]*[0-9][A-Z0-9]*\b`)

// bookingSentence confirms a booking only when the tool returned its number.
func bookingSentence(task understand.Task, res script.Result) string {
	text := res.Text
	if res.Declined() {
		return "Nothing was booked."
	}
	number, _ := res.Fields["confirmation"].(string)
	if number == "" {
		number = confirmation.FindString(text)
	}
	if number == "" {
		return "The booking tool gave no confirmation number; it said: " + strings.TrimRight(script.OneLine(text), ".") + "."
	}
	return fmt.Sprintf("Reserved %s for %s, confirmation number %s.", task.Site, understand.Nights(task.Nights), script.OneLine(number))
}

// forecastSentence says a forecast's bullets in one sentence.
func forecastSentence(place string, res script.Result) string {
	parts := script.Bullets(res)
	if len(parts) == 0 {
		return "The forecaster had nothing to say."
	}
	s := strings.Join(parts, "; ")
	if place != "" {
		s = place + ": " + s
	}
	return strings.TrimRight(script.OneLine(s), ".") + "."
}
