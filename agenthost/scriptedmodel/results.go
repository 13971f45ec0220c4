package scriptedmodel

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"

	"cairn/agenthost/scriptedmodel/understand"
)

// result is a tool's answer: text, or the members of a JSON object.
type result struct {
	text    string
	fields  map[string]any
	failure string // why it failed, in words; empty when it did not
}

// readResult reads plain text, JSON, or JSON inside a JSON string.
func readResult(raw string) result {
	res := result{text: strings.TrimSpace(raw)}
	for range 2 {
		var v any
		if json.Unmarshal([]byte(res.text), &v) != nil {
			break
		}
		if s, ok := v.(string); ok {
			res.text = strings.TrimSpace(s)
			continue
		}
		res.fields, _ = v.(map[string]any)
		break
	}
	res.failure = failureIn(res)
	return res
}

func failureIn(res result) string {
	if e, ok := res.fields["error"]; ok && e != nil && e != false {
		inner, _ := e.(map[string]any)
		for _, m := range []any{inner["message"], res.fields["message"], e} {
			if s, ok := m.(string); ok && s != "" {
				return s
			}
		}
		return "an unknown error"
	}
	low := strings.ToLower(res.text)
	for _, p := range []string{"error", "failed", "[agent:", "tool execution failed", "outcome_unknown", "exception"} {
		if strings.HasPrefix(low, p) {
			_, reason, ok := strings.Cut(res.text, ":")
			if ok && p != "[agent:" && strings.TrimSpace(reason) != "" {
				return strings.TrimSpace(reason)
			}
			return res.text
		}
	}
	return ""
}

// unknownOutcome matches a failure that may have happened all the same.
var unknownOutcome = regexp.MustCompile(`(?i)outcome.{0,40}(unknown|not known)`)

// failed is the honest sentence about a tool that failed.
func failed(task understand.Task, why string) string {
	what := map[understand.Kind]string{
		understand.UpdateList: "I could not update the list",
		understand.Conditions: "I could not check the conditions at " + task.Place,
		understand.Reserve:    "I could not reserve " + task.Site,
		understand.Forecast:   "I could not get the forecast",
	}[task.Kind]
	if unknownOutcome.MatchString(why) {
		return what + " for certain: the outcome is unknown, so please check before trying again."
	}
	return what + ": " + strings.TrimRight(oneLine(why), ".") + "."
}

// oneLine makes foreign text fit for a sentence.
func oneLine(s string) string {
	s = strings.Join(strings.Fields(s), " ")
	if r := []rune(s); len(r) > 240 {
		return strings.TrimSpace(string(r[:240])) + "…"
	}
	return s
}

func conditionsSentence(place string, res result) string {
	if loc, ok := res.fields["location"].(string); ok && loc != "" {
		place = loc
	}
	sky, _ := res.fields["forecast"].(string)
	if sky == "" {
		if res.fields != nil || res.text == "" {
			return "The conditions at " + oneLine(place) + " came back without a forecast."
		}
		return strings.TrimRight(oneLine(place+": "+res.text), ".") + "."
	}
	s := oneLine(place) + " is " + skyPhrase(oneLine(sky))
	high, okHigh := res.fields["high_c"].(float64)
	low, okLow := res.fields["low_c"].(float64)
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

var (
	confirmation = regexp.MustCompile(`\b[A-Z]{1,5}-[A-Z0-9]*[0-9][A-Z0-9]*\b`)
	declined     = regexp.MustCompile(`(?i)\b(declin|nothing was booked|refus|reject|cancell?ed|not approved|denied)`)
)

// bookingSentence confirms a booking only when the tool gave its number.
func bookingSentence(task understand.Task, res result) string {
	text := res.text
	if approved, ok := res.fields["approved"].(bool); ok && !approved || declined.MatchString(text) {
		return "Nothing was booked."
	}
	number, _ := res.fields["confirmation"].(string)
	if number == "" {
		number = confirmation.FindString(text)
	}
	if number == "" {
		return "The booking tool gave no confirmation number; it said: " + strings.TrimRight(oneLine(text), ".") + "."
	}
	return fmt.Sprintf("Reserved %s for %s, confirmation number %s.", task.Site, understand.Nights(task.Nights), oneLine(number))
}

var markup = strings.NewReplacer("**", "", "__", "", "`", "", "*", "")

// forecastSentence says a forecast's bullets in one sentence.
func forecastSentence(place string, res result) string {
	text := res.text
	if s, ok := res.fields["text"].(string); ok {
		text = s
	}
	var parts []string
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(markup.Replace(strings.TrimLeft(strings.TrimSpace(line), "-*•# ")))
		line = strings.TrimRight(strings.Replace(line, ":", "", 1), ".")
		if line != "" && len(parts) < 4 {
			parts = append(parts, line)
		}
	}
	if len(parts) == 0 {
		return "The forecaster had nothing to say."
	}
	s := strings.Join(parts, "; ")
	if place != "" {
		s = place + ": " + s
	}
	return strings.TrimRight(oneLine(s), ".") + "."
}
