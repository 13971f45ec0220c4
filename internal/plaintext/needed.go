package plaintext

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// This file knows where scripts and emoji need characters that have no picture.

const (
	zeroWidthNonJoiner = '\u200C'
	zeroWidthJoiner    = '\u200D'
	textStyle          = '\uFE0E'
	emojiStyle         = '\uFE0F'
	keycap             = '\u20E3'
	blackFlag          = '\U0001F3F4'
)

// flagTags follow a black flag: the flags of England, Scotland and Wales.
var flagTags = []string{
	"\U000E0067\U000E0062\U000E0065\U000E006E\U000E0067\U000E007F",
	"\U000E0067\U000E0062\U000E0073\U000E0063\U000E0074\U000E007F",
	"\U000E0067\U000E0062\U000E0077\U000E006C\U000E0073\U000E007F",
}

// neededBytes returns how many bytes at the beginning of s, which begins with a hidden
// character, belong together in this context; 0 means that the character is not needed.
func neededBytes(s string, c context) int {
	r, size := utf8.DecodeRuneInString(s)
	following, width := utf8.DecodeRuneInString(s[size:])
	direct := c.base != 0 && c.last == c.base
	switch {
	case r == zeroWidthJoiner:
		styled := direct || c.last == emojiStyle
		switch {
		case styled && unicode.Is(pictographs, c.base) && unicode.Is(pictographs, following):
			return size + width
		case unicode.Is(viramas, c.last):
			return size
		case direct && unicode.Is(unicode.Lo, c.base) && unicode.Is(viramas, following):
			return size + width
		case joins(c.base) && !isHidden(c.last):
			return size
		}
	case r == zeroWidthNonJoiner:
		switch {
		case unicode.Is(viramas, c.last):
			return size
		case joins(c.base) && !isHidden(c.last) && joins(following):
			return size + width
		}
	case r == emojiStyle && direct && following == keycap && strings.ContainsRune("0123456789#*", c.base):
		return size + width
	case r == emojiStyle || r == textStyle:
		if direct && unicode.Is(pictographs, c.base) {
			return size
		}
	case r >= 0xE0100 && r <= 0xE01EF: // ideographic variants
		if direct && unicode.Is(unicode.Han, c.base) {
			return size
		}
	case unicode.Is(unicode.Variation_Selector, r):
		if direct && c.base > 0x7f && unicode.In(c.base, unicode.Han, unicode.Sm, unicode.Mongolian, unicode.Myanmar, unicode.Phags_Pa) {
			return size
		}
	case direct && c.base == blackFlag:
		for _, tags := range flagTags {
			if strings.HasPrefix(s, tags) {
				return len(tags)
			}
		}
	}
	return 0
}

// joins reports whether r is of a script whose letters join, so that joiners change
// how a word is written.
func joins(r rune) bool {
	return r >= '٠' && r <= '٩' ||
		unicode.In(r, unicode.Arabic, unicode.Syriac, unicode.Nko, unicode.Mandaic, unicode.Mongolian, unicode.Adlam, unicode.Hanifi_Rohingya) && !isHidden(r)
}

// viramas join consonants in the scripts of South and Southeast Asia; a joiner behind
// one chooses how.
var viramas = table(0x094D, 0x09CD, 0x0A4D, 0x0ACD, 0x0B4D, 0x0BCD, 0x0C4D, 0x0CCD, 0x0D3B, 0x0D3C, 0x0D4D, 0x0DCA,
	0x1039, 0x103A, 0x1714, 0x17D2, 0x1A60, 0x1B44, 0x1BAA, 0xA806, 0xA8C4, 0xA953, 0xA9C0, 0xABED)

// pictographs holds the characters that emoji are made of, and some symbols among them.
var pictographs = &unicode.RangeTable{
	R16: []unicode.Range16{
		{Lo: 0x00A9, Hi: 0x00A9, Stride: 1}, {Lo: 0x00AE, Hi: 0x00AE, Stride: 1}, {Lo: 0x203C, Hi: 0x203C, Stride: 1}, {Lo: 0x2049, Hi: 0x2049, Stride: 1},
		{Lo: 0x2122, Hi: 0x2122, Stride: 1}, {Lo: 0x2139, Hi: 0x2139, Stride: 1}, {Lo: 0x2194, Hi: 0x21AA, Stride: 1}, {Lo: 0x231A, Hi: 0x23FF, Stride: 1},
		{Lo: 0x24C2, Hi: 0x24C2, Stride: 1}, {Lo: 0x25AA, Hi: 0x25FE, Stride: 1}, {Lo: 0x2600, Hi: 0x27BF, Stride: 1}, {Lo: 0x2934, Hi: 0x2935, Stride: 1},
		{Lo: 0x2B05, Hi: 0x2B55, Stride: 1}, {Lo: 0x3030, Hi: 0x3030, Stride: 1}, {Lo: 0x303D, Hi: 0x303D, Stride: 1}, {Lo: 0x3297, Hi: 0x3299, Stride: 2},
	},
	R32:         []unicode.Range32{{Lo: 0x1F000, Hi: 0x1FAFF, Stride: 1}},
	LatinOffset: 2,
}

func table(runes ...uint16) *unicode.RangeTable {
	t := &unicode.RangeTable{}
	for _, r := range runes {
		t.R16 = append(t.R16, unicode.Range16{Lo: r, Hi: r, Stride: 1})
	}
	return t
}
