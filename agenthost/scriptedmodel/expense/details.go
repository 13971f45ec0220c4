package expense

import (
	"regexp"
	"slices"
	"strings"

	"cairn/agenthost/scriptedmodel/script"
)

const capital = `[A-Z0-9][\p{L}\p{N}'&.-]*`

var (
	quoted       = regexp.MustCompile(`"([^"]{1,80})"`)
	namedVendor  = regexp.MustCompile(`(?:\b(?:at|from|to|by|via|vendor|vendor is|vendor was|called)|vendor:) (?:the )?(` + capital + `(?: (?:` + capital + `|&|and(?: [A-Z])|of(?: [A-Z])))*)`)
	bookedWith   = regexp.MustCompile(`\b(?i:taxi|cab|ride|flights?|train|hotel|ticket|tickets|subscription|ordered|booked|account) with (?:the )?(` + capital + `(?: ` + capital + `)*)`)
	lowerVendor  = regexp.MustCompile(`(?i)\b(?:at|from) (?:the )?([\p{L}][\p{L}'&-]*(?: [\p{L}'&-]+){0,3}?)(?: (?:for|on|with|in|last|this|yesterday|today|and|to|as)\b|[,.;:!?()]|$)`)
	product      = regexp.MustCompile(`\b(` + capital + `) (?:subscription|licen[cs]es?|tickets?|flights?|invoice)\b`)
	segments     = regexp.MustCompile(`[,;:()]`)
	onlyCapitals = regexp.MustCompile(`^(?:[A-Z][\p{L}'&.-]*)(?: (?:[A-Z][\p{L}'&.-]*|&|of|and))*$`)
)

// vendor finds who was paid: what is quoted, a name after "at" or "from", or a
// part between commas that is nothing but a name. A name after "with" is a vendor
// only where something was booked or ordered: a dinner with Ana is not paid to Ana.
func vendor(text string) string {
	if m := quoted.FindStringSubmatch(text); m != nil {
		return short(m[1])
	}
	named := append(namedVendor.FindAllStringSubmatch(text, -1), bookedWith.FindAllStringSubmatch(text, -1)...)
	for _, m := range named {
		if v := strings.TrimRight(m[1], ".-"); isName(v) {
			return short(v)
		}
	}
	if m := lowerVendor.FindStringSubmatch(text); m != nil && !script.Has(m[1], "my", "our", "a", "work", "the", "all", "home", "lunch", "dinner", "once") {
		return short(title(m[1]))
	}
	if m := product.FindStringSubmatch(text); m != nil && isName(m[1]) && strings.Index(text, m[1]) > 0 {
		return short(m[1])
	}
	for i, part := range segments.Split(text, -1) {
		part = strings.Trim(part, " .!?")
		if i > 0 && onlyCapitals.MatchString(part) && isName(part) {
			return short(part)
		}
	}
	return ""
}

// isName leaves out what is written like a name and is none.
func isName(s string) bool {
	return strings.ContainsFunc(s, func(r rune) bool { return r > '9' }) && len(script.Weekdays(s)) == 0 && !script.Has(s, "usd", "i")
}

func title(s string) string {
	parts := strings.Fields(s)
	for i, p := range parts {
		parts[i] = script.Capital(p)
	}
	return strings.Join(parts, " ")
}

// short bounds a foreign name.
func short(s string) string {
	if r := []rune(s); len(r) > 80 {
		s = string(r[:80])
	}
	return strings.TrimSpace(s)
}

var (
	saidMemo  = regexp.MustCompile(`(?i)\bmemo(?: is|:)? "?([^".;]{1,80})`)
	memoStart = regexp.MustCompile(`(?i)\b(?:file|submit|expense|claim|log|record|report|reimburse|bought|paid|spent|had|have|for)\s+(?:me\s+|us\s+)?(?:for\s+)?(?:(?:a|an|the|my|our|some)\s+)?`)
	money     = regexp.MustCompile(`(?i)^(?:[$€£]\s?\d[\d.,]*|\d[\d.,]*\s?(?:dollars|usd|bucks))\s*(?:of|for|on)?\s*(?:(?:a|an|the|my|our)\s+)?`)
	memoStop  = regexp.MustCompile(`(?i)[,;:.?!()$€£]|\s+(?:at|from|for|of|with|to|by|on|and|expense|purchase|claim|receipt|invoice|bill)(?:\s|$|[,;:.?!()])`)
	details   = regexp.MustCompile(`(?i)\b(?:\d+|two|three|four|five|six|seven|eight|nine|ten|twelve) (?:attendees|people|guests|persons|colleagues|nights|licenses|seats)\b|\b\d+(?:\.\d+)?-inch\b`)
)

// memo is a few words on what it was for.
func memo(text string) string {
	if m := saidMemo.FindStringSubmatch(text); m != nil {
		return strings.TrimSpace(m[1])
	}
	head := ""
	for _, loc := range memoStart.FindAllStringIndex(text, 16) {
		s := money.ReplaceAllString(text[loc[1]:], "")
		if at := memoStop.FindStringIndex(s); at != nil {
			s = s[:at[0]]
		}
		if s = strings.TrimSpace(s); s != "" && !script.Has(s, "it", "this", "that", "expense", "me", "policy", "research") && strings.ContainsFunc(s, func(r rune) bool { return r > '9' }) {
			head = s
			break
		}
	}
	if head == "" {
		head = "business expense"
		for _, w := range script.Words(text) {
			if slices.ContainsFunc(kinds, func(k kind) bool { return slices.Contains(k.words, w) }) {
				head = w
				break
			}
		}
	}
	parts := []string{script.Capital(head)}
	for _, d := range details.FindAllString(text, 3) {
		if !strings.Contains(head, d) {
			parts = append(parts, d)
		}
	}
	return short(strings.Join(parts, ", "))
}
