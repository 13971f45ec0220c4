package understand

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// token is a word or one punctuation mark of a message.
type token struct {
	text   string // as written
	low    string // lower case, straight apostrophes
	punct  bool   // one of , . ! ? ; : ( ), with newlines read as commas
	glued  bool   // no space in front
	quoted bool   // stood in quotation marks; text may hold spaces
}

func (t token) is(words ...string) bool {
	if t.quoted {
		return false
	}
	for _, w := range words {
		if t.low == w {
			return true
		}
	}
	return false
}

// endsSentence reports marks no clause reaches across.
func (t token) endsSentence() bool { return t.punct && strings.Contains(".!?;", t.low) }

var straight = strings.NewReplacer("’", "'", "‘", "'", "“", `"`, "”", `"`, "«", `"`, "»", `"`,
	"–", "-", "−", "-", "—", ", ", "×", " x ", "\r\n", "\n", "\r", "\n", "…", ".", "•", "\n- ")

// abbreviations keep their full stop and end no sentence.
var abbreviations = set("mt st ft mts dr no approx")

// tokenize splits text; ok is false when it has more than MaxWords words.
func tokenize(text string) (toks []token, ok bool) {
	text = straight.Replace(strings.ToValidUTF8(text, ""))
	if low := strings.ToLower(text); text == strings.ToUpper(text) && text != low && strings.ContainsRune(strings.TrimSpace(text), ' ') {
		text = low // a message all in capitals
	}
	rs := []rune(text)
	glued := false
	word := func(s string, quoted bool) {
		toks = append(toks, token{text: s, low: strings.ToLower(s), quoted: quoted, glued: glued && !quoted})
	}
	mark := func(s string) { toks = append(toks, token{text: s, low: s, punct: true, glued: glued}) }
	for i := 0; i < len(rs); {
		glued = i > 0 && !unicode.IsSpace(rs[i-1]) && rs[i-1] != '"'
		if len(toks) > MaxWords {
			return nil, false
		}
		r := rs[i]
		switch {
		case r == '\n':
			mark(",")
			i++
			for i < len(rs) && (rs[i] == ' ' || rs[i] == '-' || rs[i] == '*') { // list bullets
				i++
			}
		case r == '"':
			if end := closing(rs, i); end > 0 {
				if s := clean(string(rs[i+1 : end])); s != "" {
					word(s, true)
				}
				i = end
			}
			i++
		case r == '\'' && (i == 0 || unicode.IsSpace(rs[i-1])) && closing(rs, i) > 0:
			end := closing(rs, i)
			if s := clean(string(rs[i+1 : end])); s != "" {
				word(s, true)
			}
			i = end + 1
		case strings.ContainsRune(",.!?;:()", r):
			mark(string(r))
			i++
		case r == '&' || r == '+':
			word("and", false)
			i++
		case r == '-' && i+1 < len(rs) && unicode.IsDigit(rs[i+1]) || wordRune(r):
			end := wordEnd(rs, i)
			word(strings.TrimRight(string(rs[i:end]), "'"), false)
			i = end
			if i < len(rs) && rs[i] == '.' && abbreviations[toks[len(toks)-1].low] && i+1 < len(rs) && rs[i+1] == ' ' {
				toks[len(toks)-1].text += "."
				i++
			}
		case r == '-' && betweenNumbers(rs, i):
			word("to", false)
			i++
		default:
			i++
		}
	}
	return toks, true
}

// closing finds the quotation mark that closes the one at i, within a title's
// length and on the same line; 0 means there is none.
func closing(rs []rune, i int) int {
	for j := i + 1; j < len(rs) && j <= i+1+2*MaxName && rs[j] != '\n'; j++ {
		if rs[j] == rs[i] && (j+1 == len(rs) || !wordRune(rs[j+1])) {
			return j
		}
	}
	return 0
}

// betweenNumbers reports a dash that stands apart between two numbers: "5 - 7".
func betweenNumbers(rs []rune, i int) bool {
	return i >= 2 && i+2 < len(rs) && rs[i-1] == ' ' && rs[i+1] == ' ' && unicode.IsDigit(rs[i-2]) && unicode.IsDigit(rs[i+2])
}

// wordRune reports what belongs to a word wherever it stands. Markup and other
// symbols do: they are part of whatever the user named.
func wordRune(r rune) bool {
	return unicode.IsGraphic(r) && !unicode.IsSpace(r) && !strings.ContainsRune(",.!?;:()\"&+-'", r)
}

// wordEnd extends a word over inner apostrophes, hyphens, slashes, and over the
// points and commas inside a number.
func wordEnd(rs []rune, i int) int {
	j := i + 1
	for j < len(rs) {
		r := rs[j]
		next := j+1 < len(rs) && wordRune(rs[j+1])
		number := unicode.IsDigit(rs[j-1]) && j+1 < len(rs) && unicode.IsDigit(rs[j+1])
		switch {
		case wordRune(r):
		case strings.ContainsRune("'-/_@", r) && next:
		case r == '.' && number, r == ',' && number && j+3 < len(rs) && unicode.IsDigit(rs[j+2]) && unicode.IsDigit(rs[j+3]):
		default:
			return j
		}
		j++
	}
	return j
}

// clean makes text fit for a name: one line, no control or formatting
// characters, single spaces.
func clean(s string) string {
	s = strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) {
			return ' '
		}
		if !unicode.IsGraphic(r) {
			return -1
		}
		return r
	}, s)
	return strings.Join(strings.Fields(s), " ")
}

// join writes tokens back as text, with single spaces where there was space.
func join(toks []token) string {
	var b strings.Builder
	for i, t := range toks {
		if i > 0 && !t.glued {
			b.WriteByte(' ')
		}
		b.WriteString(t.text)
	}
	return clean(strings.Trim(b.String(), " ,.;:!?-"))
}

func tooLong(name string) bool { return utf8.RuneCountInString(name) > MaxName }

func set(words string) map[string]bool {
	m := map[string]bool{}
	for w := range strings.FieldsSeq(words) {
		m[w] = true
	}
	return m
}

// startsWith reports how many tokens the phrase takes at the front; 0 means it
// is not there.
func startsWith(toks []token, phrase string) int {
	n := 0
	for w := range strings.FieldsSeq(phrase) {
		if n >= len(toks) || !toks[n].is(w) {
			return 0
		}
		n++
	}
	return n
}

// startsWithAny is startsWith for the first phrase that is there.
func startsWithAny(toks []token, phrases []string) int {
	for _, p := range phrases {
		if n := startsWith(toks, p); n > 0 {
			return n
		}
	}
	return 0
}

// has reports whether any token is one of the words.
func has(toks []token, words ...string) bool { return index(toks, words...) >= 0 }

func index(toks []token, words ...string) int {
	for i, t := range toks {
		if t.is(words...) {
			return i
		}
	}
	return -1
}
