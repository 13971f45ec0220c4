package mask

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// view is a text, or that text decoded, with the places in the original.
type view struct {
	text string
	// at holds, for each byte of text and for its end, the place in the original; nil
	// means that text is the original.
	at []int
}

func (v view) origin(i int) int {
	if v.at == nil {
		return i
	}
	return v.at[i]
}

// decode undoes one level of percent-encoding, backslash escapes and HTML entities,
// and reports whether there was any.
func decode(v view) (decoded view, changed bool) {
	if !strings.ContainsAny(v.text, `%\&`) {
		return v, false
	}
	var out strings.Builder
	at := make([]int, 0, len(v.text)+1)
	for i := 0; i < len(v.text); {
		text, size := unescape(v.text[i:])
		if size == 0 {
			text, size = v.text[i:i+1], 1
		} else {
			changed = true
		}
		for range len(text) {
			at = append(at, v.origin(i))
		}
		out.WriteString(text)
		i += size
	}
	return view{out.String(), append(at, v.origin(len(v.text)))}, changed
}

// entities are the named ones that encoders write.
var entities = map[string]string{"amp": "&", "lt": "<", "gt": ">", "quot": `"`, "apos": "'"}

// unescape returns what an escape at the beginning of s stands for, and the escape's
// length, 0 when there is none.
func unescape(s string) (text string, size int) {
	switch s[0] {
	case '%':
		return number(s, 1, 2, true)
	case '&':
		end := strings.IndexByte(s[:min(len(s), 10)], ';')
		if end < 0 {
			return "", 0
		}
		name := s[1:end]
		if text, ok := entities[name]; ok {
			return text, end + 1
		}
		base, digits := 10, strings.TrimPrefix(name, "#")
		if len(digits) == len(name) {
			return "", 0
		}
		if hex := strings.TrimLeft(digits, "xX"); len(hex) == len(digits)-1 {
			base, digits = 16, hex
		}
		n, err := strconv.ParseUint(digits, base, 21)
		if err != nil {
			return "", 0
		}
		return string(rune(n)), end + 1
	case '\\':
		if len(s) < 2 {
			return "", 0
		}
		switch s[1] {
		case 'x':
			return number(s, 2, 2, true)
		case 'u':
			return number(s, 2, 4, false)
		case 'n':
			return "\n", 2
		case 'r':
			return "\r", 2
		case 't':
			return "\t", 2
		case '"', '\\', '/', '\'':
			return s[1:2], 2
		}
	}
	return "", 0
}

// number reads digits hexadecimal digits at from, as a byte or as a character.
func number(s string, from, digits int, isByte bool) (text string, size int) {
	if len(s) < from+digits {
		return "", 0
	}
	n, err := strconv.ParseUint(s[from:from+digits], 16, 32)
	if err != nil {
		return "", 0
	}
	if isByte {
		return string([]byte{byte(n)}), from + digits
	}
	return string(utf8.AppendRune(nil, rune(n))), from + digits
}
