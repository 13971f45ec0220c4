package replay

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// risky reports whether a character can move a terminal's cursor, run one of its
// commands or change the order in which text is shown.
func risky(r rune) bool {
	switch {
	case unicode.IsControl(r):
		return true
	case r == 0x061c, r == 0x200e, r == 0x200f, r == 0x2028, r == 0x2029, r == 0xfeff:
		return true
	}
	return r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069
}

// clean shows risky characters of one line of text as escapes: ESC as \x1b, a
// line end as \n.
func clean(s string) string { return escape(s, false) }

// cleanLines is clean for text of several lines, whose LF and tabs stay.
func cleanLines(s string) string { return escape(s, true) }

func escape(s string, lines bool) string {
	bad := func(r rune) bool {
		return (risky(r) || r == utf8.RuneError) && !(lines && (r == '\n' || r == '\t'))
	}
	if strings.IndexFunc(s, bad) < 0 {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == utf8.RuneError && size == 1:
			fmt.Fprintf(&b, `\x%02x`, s[i])
		case r == utf8.RuneError || !bad(r):
			b.WriteString(s[i : i+size])
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\r':
			b.WriteString(`\r`)
		case r == '\t':
			b.WriteString(`\t`)
		case r < 0x100:
			fmt.Fprintf(&b, `\x%02x`, r)
		default:
			fmt.Fprintf(&b, `\u%04x`, r)
		}
		i += size
	}
	return b.String()
}

// cleanJSON writes risky characters of a JSON document without line ends as JSON
// escapes, which mean the same: outside of strings JSON has none of them.
func cleanJSON(doc []byte) []byte {
	if strings.IndexFunc(string(doc), risky) < 0 {
		return doc
	}
	out := make([]byte, 0, len(doc))
	for _, r := range string(doc) {
		if risky(r) {
			out = fmt.Appendf(out, `\u%04x`, r)
		} else {
			out = utf8.AppendRune(out, r)
		}
	}
	return out
}
