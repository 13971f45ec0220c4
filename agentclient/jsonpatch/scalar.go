package jsonpatch

import (
	"strconv"
	"strings"
)

// This file reads what values say, each within a limit of the caller's.

// Text returns the beginning of a string, at most limit bytes of whole characters, and
// reports whether that is all of it. It is "" and true for any other value.
func (v Value) Text(limit int) (text string, whole bool) {
	raw := v.node().raw
	if len(raw) == 0 || raw[0] != '"' {
		return "", true
	}
	raw = raw[1 : len(raw)-1]
	// No spelling of a character is longer than six times what it stands for; the rest is
	// for the one that is cut in two.
	if limit = max(limit, 0); len(raw) > limit && len(raw)/6 > limit+2 {
		most, end := 6*limit+12, 0
		for end < most {
			step := 1
			if raw[end] == '\\' && raw[end+1] == 'u' {
				step = 6
			} else if raw[end] == '\\' {
				step = 2
			}
			if end+step > most {
				break
			}
			end += step
		}
		raw = raw[:end]
	}
	quoted := make([]byte, 0, len(raw)+2)
	quoted = append(append(append(quoted, '"'), raw...), '"')
	text = unquote(quoted)
	if len(text) <= limit {
		return text, true
	}
	return strings.ToValidUTF8(text[:limit], ""), false
}

// Number returns a number; ok is false for any other value and for a number that no
// float64 is near to.
func (v Value) Number() (number float64, ok bool) {
	raw := v.node().raw
	if len(raw) == 0 || len(raw) > 400 || !isNumber(raw) {
		return 0, false
	}
	number, err := strconv.ParseFloat(string(raw), 64)
	return number, err == nil
}

// JSON returns the beginning of the value's JSON, at most limit bytes, and reports
// whether that is all of it. The caller must not change it.
func (v Value) JSON(limit int) (raw []byte, whole bool) {
	raw = v.node().upTo(limit)
	if len(raw) <= limit {
		return raw, true
	}
	return raw[:limit], false
}
