package meeting

import (
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"cairn/agenthost/scriptedmodel/script"
)

// maxTopic is the most characters of a topic or of the people's names.
const maxTopic = 80

var (
	quoted       = regexp.MustCompile(`"([^"]{1,80})"`)
	aboutPattern = regexp.MustCompile(`(?i)\b(?:about|to discuss|to talk about|called|titled|regarding|topic:?)\s+(.+)`)
	leading      = regexp.MustCompile(`(?i)^(?:(?:me|us|a|an|the|our|my|another|some|quick|new|please|this|next|on|for)\s+)+`)
	stop         = regexp.MustCompile(`(?i)[,;:.?!()]|\s+(?:with|between|at|in the|on the calendar|next|this|tomorrow|today|please|and then|about|to discuss|to talk about|called|titled|(?:(?:on|for|by)\s+)?(?:mon|tues|wednes|thurs|fri|satur|sun)days?|for\s+(?:the|our|\d|[A-Z])[^,;.?!]*)(?:\s|$|[,;:.?!])`)
	day          = regexp.MustCompile(`(?i)^(?:(?:mon|tues|wednes|thurs|fri|satur|sun)day\s*)?(?:at\s+)?(?:\d{1,2}(?::\d{2})?\s*(?:am|pm)?\s+(?:for|on)\s+|\d{1,2}:\d{2}\s*(?:am|pm)?\s*)?`)
	generic      = []string{"meeting", "a meeting", "slot", "time", "call", "it", "something", "one", "that", "a slot", "session", "appointment", "them", "room", "that slot", "the slot"}
)

// topic is what the meeting is about: what is quoted, else the words after the
// verb, else what follows "about".
func topic(text string, at int) string {
	if m := quoted.FindStringSubmatch(text); m != nil {
		return short(m[1])
	}
	head := ""
	if at > 0 {
		head = words(text[at:])
	}
	if m := aboutPattern.FindStringSubmatch(text); m != nil && (head == "" || slices.Contains(generic, strings.ToLower(head))) {
		head = words(m[1])
	}
	if slices.Contains(generic, strings.ToLower(head)) {
		return ""
	}
	return script.Capital(short(head))
}

// words cuts a topic off what comes around it.
func words(s string) string {
	s = leading.ReplaceAllString(s, "")
	s = day.ReplaceAllString(s, "")
	s = leading.ReplaceAllString(s, "")
	if loc := stop.FindStringIndex(s); loc != nil {
		s = s[:loc[0]]
	}
	return strings.TrimSpace(s)
}

func short(s string) string {
	s = strings.TrimSpace(s)
	if utf8.RuneCountInString(s) > maxTopic {
		s = strings.TrimSpace(string([]rune(s)[:maxTopic]))
	}
	return s
}

const name = `[A-Z][\p{L}'-]+(?: [A-Z][\p{L}'-]+)?`

var (
	namesPattern = regexp.MustCompile(`\b(?:for|with|of|are|is|between|can|do|does|when|research|ask|include) (` + name + `(?:(?:, and|,| and| &) ` + name + `)*)`)
	teamPattern  = regexp.MustCompile(`(?i)\b(?:with|for|of|is|are) (the [\p{L}-]+(?: [\p{L}-]+)? team)\b`)
	oneName      = regexp.MustCompile(name)
)

// people finds who is to attend: names, or a team.
func people(text string) []string {
	for _, m := range namesPattern.FindAllStringSubmatch(text, -1) {
		var out []string
		for _, n := range oneName.FindAllString(m[1], -1) {
			if len(script.Weekdays(n)) == 0 && len(out) < 8 {
				out = append(out, short(n))
			}
		}
		if len(out) > 0 {
			return out
		}
	}
	if m := teamPattern.FindStringSubmatch(text); m != nil {
		return []string{short(m[1])}
	}
	return nil
}
