package mask

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Text returns text without secrets, cut so that [strconv.Quote] prints it in about
// limit bytes. A text that was cut ends with its length: "… (1234 bytes)". The cost
// depends on limit and not on the length of text.
func (s *Set) Text(text string, limit int) string { return s.Start(text, len(text), limit) }

// Start is [Set.Text] for a text of length bytes of which the caller has only the
// start; [Set.Window] bytes of it are enough.
func (s *Set) Start(start string, length, limit int) string {
	end := min(len(start), limit)
	masked := s.mask(start[:min(len(start), s.Window(limit))], end)
	if end == length && prefix(masked, limit) == masked {
		return masked
	}
	note := fmt.Sprintf("… (%d bytes)", length)
	return prefix(masked, max(limit-len(note), 0)) + note
}

// Line returns [Set.Text] as one line: characters that do not print are written as
// escapes, such as \x1b or \u202e.
func (s *Set) Line(text string, limit int) string { return Escape(s.Text(text, limit)) }

// Escape returns text with each character that does not print, and each byte that is
// not UTF-8, as the escape it has in a Go string.
func Escape(text string) string {
	var out strings.Builder
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRuneInString(text[i:])
		if printable(r, size) {
			out.WriteString(text[i : i+size])
		} else {
			quoted := strconv.Quote(text[i : i+size])
			out.WriteString(quoted[1 : len(quoted)-1])
		}
		i += size
	}
	return out.String()
}

func printable(r rune, size int) bool {
	return strconv.IsPrint(r) && !(r == utf8.RuneError && size == 1)
}

// prefix returns the beginning of text that strconv.Quote prints in limit bytes,
// without the quotes.
func prefix(text string, limit int) string {
	for i, width := 0, 0; i < len(text); {
		r, size := utf8.DecodeRuneInString(text[i:])
		if width += quotedWidth(r, size); width > limit {
			return text[:i]
		}
		i += size
	}
	return text
}

// quotedWidth returns how many bytes a character takes in a quoted string.
func quotedWidth(r rune, size int) int {
	switch {
	case r == '"' || r == '\\' || r >= '\a' && r <= '\r':
		return 2
	case printable(r, size):
		return size
	case r < utf8.RuneSelf || r == utf8.RuneError && size == 1:
		return len(`\x1b`)
	case r < 0x10000:
		return len(`\u202e`)
	}
	return len(`\U000e0041`)
}
