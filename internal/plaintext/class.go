package plaintext

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// kind is what a piece of text is to a reader.
type kind int

const (
	shown   kind = iota
	space        // white space
	hidden       // a character without a picture, where nothing needs it
	marks        // combining marks beyond maxMarks, all that follow one another
	invalid      // bytes that are not UTF-8, all that follow one another
)

// context is what has been shown since the last white space or token.
type context struct {
	base  rune // the last character that is no mark, joiner or variation selector
	last  rune
	marks int // in a row, up to last
}

// after returns the context behind a piece that is shown.
func (c context) after(piece string) context {
	for _, r := range piece {
		c.last = r
		switch {
		case isLetter(r):
			c.base, c.marks = r, 0
		case isHidden(r): // a joiner, tag or variation selector that is needed
		case unicode.Is(unicode.M, r):
			c.marks++
		default:
			c.base, c.marks = r, 0
		}
	}
	return c
}

// next returns the length and kind of the piece at the beginning of s.
func next(s string, c context) (n int, k kind) {
	r, n := utf8.DecodeRuneInString(s)
	switch {
	case isLetter(r):
		return n, shown
	case r == utf8.RuneError && n == 1:
		for n < len(s) {
			if r, size := utf8.DecodeRuneInString(s[n:]); r != utf8.RuneError || size != 1 {
				break
			}
			n++
		}
		return n, invalid
	case strings.HasPrefix(s, "\r\n"):
		return 2, space
	case unicode.IsSpace(r), r == '\u2800': // blank Braille
		return n, space
	case isHidden(r):
		if needed := neededBytes(s, c); needed > 0 {
			return needed, shown
		}
		return n, hidden
	case unicode.Is(unicode.M, r) && c.marks == maxMarks:
		for n < len(s) {
			r, size := utf8.DecodeRuneInString(s[n:])
			if !unicode.Is(unicode.M, r) || isHidden(r) {
				break
			}
			n += size
		}
		return n, marks
	}
	return n, shown
}

// isLetter reports whether r is of the blocks that hold nothing but visible characters
// that stand alone: ASCII, Latin, Chinese, Korean. Most text is made of these.
func isLetter(r rune) bool {
	return r > ' ' && r < 0x7f || r > 0xAD && r < 0x300 || r >= 0x4E00 && r <= 0x9FFF || r >= 0xAC00 && r <= 0xD7A3
}

// blankSymbols are symbols and marks that are drawn as nothing.
var blankSymbols = &unicode.RangeTable{R32: []unicode.Range32{{Lo: 0x16FE4, Hi: 0x16FE4, Stride: 1}, {Lo: 0x1D159, Hi: 0x1D159, Stride: 1}}}

// isHidden reports whether r has no picture of its own and is no white space: controls,
// format characters, fillers, tags, variation selectors, noncharacters.
func isHidden(r rune) bool {
	return unicode.IsControl(r) && !unicode.IsSpace(r) ||
		unicode.Is(unicode.Cf, r) && !unicode.Is(unicode.Prepended_Concatenation_Mark, r) ||
		unicode.In(r, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector, unicode.Noncharacter_Code_Point, blankSymbols)
}
