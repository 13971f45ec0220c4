package agui

import (
	"bytes"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// JSON may escape a character outside the basic plane as two surrogate halves,
// and some producers cut their text between the two, so that one delta ends in
// \uD83D and the next begins with \uDE00 (protocol section 7.3). Half a character
// has no UTF-8. In the Delta of an event, and only there, Decode keeps a lone half
// as the three bytes UTF-8 would make of its number (known as WTF-8), so that
// concatenated deltas join the halves; elsewhere it is U+FFFD.

// JoinSurrogates is how deltas are concatenated. It returns the text of held and
// delta that is complete, with surrogate halves joined and lone ones replaced by
// U+FFFD, and a half at the end that the next delta may complete: pass it as held
// then. When no delta follows, a half still held stands for U+FFFD.
//
// A delta without halves comes back as it is, at no cost but a look at its bytes.
func JoinSurrogates(held, delta string) (text, rest string) {
	if at, _ := half(delta); held == "" && at < 0 {
		return delta, ""
	}
	in := held + delta
	var b strings.Builder
	for {
		at, r := half(in)
		if at < 0 {
			b.WriteString(in)
			return b.String(), ""
		}
		b.WriteString(in[:at])
		after := in[at+3:]
		next, low := half(after)
		switch whole := utf16.DecodeRune(r, low); {
		case next == 0 && whole != utf8.RuneError:
			b.WriteRune(whole)
			after = after[3:]
		case after == "" && r < 0xDC00:
			return b.String(), in[at:]
		default:
			b.WriteRune(utf8.RuneError)
		}
		in = after
	}
}

// half finds the first surrogate half; at is -1 when there is none.
func half(s string) (at int, r rune) {
	for {
		n := strings.IndexByte(s[at:], 0xED)
		if n < 0 {
			return -1, 0
		}
		if at += n; at+2 < len(s) && s[at+1] >= 0xA0 && s[at+1] <= 0xBF && s[at+2]&0xC0 == 0x80 {
			return at, 0xD000 | rune(s[at+1]&0x3F)<<6 | rune(s[at+2]&0x3F)
		}
		at++
	}
}

func encodeHalf(r rune) []byte {
	return []byte{0xE0 | byte(r>>12), 0x80 | byte(r>>6)&0x3F, 0x80 | byte(r)&0x3F}
}

// unescape writes what is between the quotes of a valid JSON string. A lone
// surrogate half becomes U+FFFD, as encoding/json has it, or is kept.
func unescape(to *strings.Builder, in []byte, keepHalves bool) {
	for {
		i := bytes.IndexByte(in, '\\')
		if i < 0 {
			to.Write(in)
			return
		}
		to.Write(in[:i])
		c := in[i+1]
		in = in[i+2:]
		switch c {
		case 'b':
			to.WriteByte('\b')
		case 'f':
			to.WriteByte('\f')
		case 'n':
			to.WriteByte('\n')
		case 'r':
			to.WriteByte('\r')
		case 't':
			to.WriteByte('\t')
		case 'u':
			r := hex4(in)
			in = in[4:]
			if utf16.IsSurrogate(r) {
				if len(in) >= 6 && in[0] == '\\' && in[1] == 'u' {
					if whole := utf16.DecodeRune(r, hex4(in[2:])); whole != utf8.RuneError {
						r, in = whole, in[6:]
					}
				}
			}
			if keepHalves && utf16.IsSurrogate(r) {
				to.Write(encodeHalf(r))
			} else {
				to.WriteRune(r)
			}
		default: // quote, backslash, slash
			to.WriteByte(c)
		}
	}
}

func hex4(b []byte) (r rune) {
	for _, c := range b[:4] {
		r <<= 4
		switch {
		case c <= '9':
			r |= rune(c - '0')
		default:
			r |= rune(c|0x20-'a') + 10
		}
	}
	return r
}
