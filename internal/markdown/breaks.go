package markdown

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// longestRun is how many characters may follow each other without a place where
// the browser can break the line. Laying out a longer run takes time that grows
// faster than the run.
const longestRun = 128

// breakRuns puts places to break (wbr) into long runs of a markup's text. They do
// not show and are not copied. s is well-formed: no attribute holds a ">".
func breakRuns(s string) string {
	if len(s) <= longestRun {
		return s
	}
	var out strings.Builder
	run, copied := 0, 0
	for i := 0; i < len(s); {
		size := 1
		switch c := s[i]; {
		case c == '<':
			size = strings.IndexByte(s[i:], '>') + 1
			if size <= 0 {
				size = len(s) - i
			}
			if !inline(s[i : i+size]) {
				run = 0
			}
			i += size
			continue
		case c <= ' ':
			run = 0
			i++
			continue
		case c == '&':
			if end := strings.IndexByte(s[i:min(len(s), i+maxReference)], ';'); end > 0 {
				size = end + 1
			}
		case c >= utf8.RuneSelf:
			var r rune
			r, size = utf8.DecodeRuneInString(s[i:])
			if r >= cjk || r == '\u200d' || unicode.Is(unicode.Mn, r) || unicode.Is(unicode.Me, r) {
				if r >= cjk {
					run = 0 // lines break between such characters anyway
				}
				i += size
				continue
			}
		}
		if run++; run > longestRun {
			out.WriteString(s[copied:i])
			out.WriteString("<wbr>")
			copied, run = i, 1
		}
		i += size
	}
	if copied == 0 {
		return s
	}
	out.WriteString(s[copied:])
	return out.String()
}

const (
	maxReference = 12       // bytes of a character reference that counts as one
	cjk          = '\u2e80' // the first character of East Asian scripts
)

// inline reports whether text goes on after a tag as if it were not there.
func inline(tag string) bool {
	name := strings.TrimLeft(tag, "</")
	for _, n := range [...]string{"span", "em>", "strong>", "del>", "code>", "a ", "a>"} {
		if strings.HasPrefix(name, n) {
			return true
		}
	}
	return false
}
