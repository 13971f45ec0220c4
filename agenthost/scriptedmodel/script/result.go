package script

import (
	"encoding/json"
	"regexp"
	"strings"
)

// Result is a tool's answer: text, or the members of a JSON object.
type Result struct {
	Text    string
	Fields  map[string]any
	Failure string // why it failed, in words; empty when it did not
}

// ReadResult reads plain text, JSON, or JSON inside a JSON string.
func ReadResult(raw string) Result {
	res := Result{Text: strings.TrimSpace(raw)}
	for range 2 {
		var v any
		if json.Unmarshal([]byte(res.Text), &v) != nil {
			break
		}
		if s, ok := v.(string); ok {
			res.Text = strings.TrimSpace(s)
			continue
		}
		res.Fields, _ = v.(map[string]any)
		break
	}
	res.Failure = failureIn(res)
	return res
}

func failureIn(res Result) string {
	if e, ok := res.Fields["error"]; ok && e != nil && e != false {
		inner, _ := e.(map[string]any)
		for _, m := range []any{inner["message"], res.Fields["message"], e} {
			if s, ok := m.(string); ok && s != "" {
				return s
			}
		}
		return "an unknown error"
	}
	low := strings.ToLower(res.Text)
	for _, p := range []string{"error", "failed", "[agent:", "tool execution failed", "outcome_unknown", "exception"} {
		if strings.HasPrefix(low, p) {
			_, reason, ok := strings.Cut(res.Text, ":")
			if ok && p != "[agent:" && strings.TrimSpace(reason) != "" {
				return strings.TrimSpace(reason)
			}
			return res.Text
		}
	}
	return ""
}

// unknownOutcome matches a failure that may have happened all the same.
var unknownOutcome = regexp.MustCompile(`(?i)outcome.{0,40}(unknown|not known)`)

// declined matches a result that says no.
var declined = regexp.MustCompile(`(?i)\b(declin|nothing was booked|not booked|refus|reject|cancell?ed|not approved|denied)`)

// Declined reports a result that says a person did not agree.
func (r Result) Declined() bool {
	approved, ok := r.Fields["approved"].(bool)
	return ok && !approved || declined.MatchString(r.Text)
}

// Failed is the honest sentence about a tool that failed: what could not be done
// and why.
func Failed(what, why string) string {
	if unknownOutcome.MatchString(why) {
		return what + " for certain: the outcome is unknown, so please check before trying again."
	}
	return what + ": " + strings.TrimRight(OneLine(why), ".") + "."
}

// OneLine makes foreign text fit for a sentence.
func OneLine(s string) string {
	s = strings.Join(strings.Fields(s), " ")
	if r := []rune(s); len(r) > 240 {
		return strings.TrimSpace(string(r[:240])) + "…"
	}
	return s
}
