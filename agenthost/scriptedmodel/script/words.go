package script

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// And joins phrases the way a sentence does.
func And(parts []string) string {
	switch n := len(parts); n {
	case 0:
		return "nothing"
	case 1:
		return parts[0]
	default:
		return strings.Join(parts[:n-1], ", ") + " and " + parts[n-1]
	}
}

// Capital writes the first letter in upper case.
func Capital(s string) string {
	if s == "" {
		return s
	}
	r := []rune(s)
	return strings.ToUpper(string(r[0])) + string(r[1:])
}

// maxHeard is how many bytes of a message the scripts of the smaller demos
// follow; what comes after is not read.
const maxHeard = 4000

var straight = strings.NewReplacer("’", "'", "‘", "'", "“", `"`, "”", `"`, "–", "-", "—", ", ")

// Plain makes a message easier to match: straight quotation marks, single
// spaces, no control characters, a bounded length.
func Plain(text string) string {
	if len(text) > maxHeard {
		text = text[:maxHeard]
	}
	text = straight.Replace(strings.ToValidUTF8(text, ""))
	return strings.Join(strings.FieldsFunc(text, func(r rune) bool { return r <= ' ' || r == 0x7f || r == 0xa0 }), " ")
}

// words splits at everything that is no letter, digit or apostrophe.
var wordPattern = regexp.MustCompile(`[\p{L}\p{N}']+`)

// Words are the words of a message in lower case.
func Words(text string) []string {
	return wordPattern.FindAllString(strings.ToLower(Plain(text)), -1)
}

// Said is a message made ready to be asked for words.
type Said struct{ words string } // between single spaces

// Listen makes a message ready.
func Listen(text string) Said { return Said{" " + strings.Join(Words(text), " ") + " "} }

// Has reports whether one of the words, or phrases, is in the message.
func (s Said) Has(phrases ...string) bool {
	return slices.ContainsFunc(phrases, func(p string) bool { return strings.Contains(s.words, " "+p+" ") })
}

// Has is for a text that is asked once.
func Has(text string, phrases ...string) bool { return Listen(text).Has(phrases...) }

var amountPattern = regexp.MustCompile(`(?i)(?:[$€£]\s?|usd\s?)(\d[\d,]*(?:\.\d{1,2})?)|\b(\d[\d,]*(?:\.\d{1,2})?)\s?(?:dollars|usd|bucks|euros?|\$|€)`)

// Amount reads the first sum of money in a message.
func Amount(text string) (float64, bool) {
	m := amountPattern.FindStringSubmatch(Plain(text))
	if m == nil {
		return 0, false
	}
	n, err := strconv.ParseFloat(strings.ReplaceAll(m[1]+m[2], ",", ""), 64)
	return n, err == nil && n > 0 && n < 1e9
}

// BareAmount reads a message that is nothing but a number as a sum of money.
func BareAmount(text string) (float64, bool) {
	n, err := strconv.ParseFloat(strings.Trim(strings.ReplaceAll(Plain(text), ",", ""), " .!"), 64)
	return n, err == nil && n > 0 && n < 1e9
}

// Dollars writes a sum of money: "$1,500.00".
func Dollars(n float64) string {
	s := strconv.FormatFloat(n, 'f', 2, 64)
	for i := len(s) - 6; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return "$" + s
}

// Weekdays finds the weekdays a message names, in order, each once.
func Weekdays(text string) []string {
	var out []string
	for _, w := range Words(text) {
		w = strings.TrimSuffix(w, "'s")
		for d := time.Sunday; d <= time.Saturday; d++ {
			name := strings.ToLower(d.String())
			short := w == name[:3] && w != "sun" && w != "sat" || w == "tues" && d == time.Tuesday || (w == "thur" || w == "thurs") && d == time.Thursday
			if (w == name || w == name+"s" || short) && !slices.Contains(out, d.String()) {
				out = append(out, d.String())
			}
		}
	}
	return out
}

// Manners are a demo's answers to what is said in every conversation.
type Manners struct{ Hello, Help, Thanks, Nothing string }

// Answer answers a greeting, thanks and the like; empty means it is neither.
func (m Manners) Answer(text string) string {
	words, said := Words(text), Listen(text)
	short := len(words) <= 6
	switch {
	case said.Has("what can you", "what do you do", "who are you", "what are you", "how does this work", "how can you help") || short && said.Has("help"):
		return m.Help
	case short && said.Has("thanks", "thank", "thx", "cheers", "great", "perfect", "bye", "goodbye", "ok", "okay", "nice", "awesome", "cool"):
		return m.Thanks
	case short && said.Has("hi", "hello", "hey", "howdy", "good morning", "good afternoon", "good evening", "how are you"):
		return m.Hello
	case short && (said.Has("don't", "do not", "never mind", "nevermind", "nothing", "not now", "stop") || len(words) > 0 && (words[0] == "no" || words[0] == "nope")):
		return m.Nothing
	}
	return ""
}
