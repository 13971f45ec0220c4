package jsonpatch

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"
)

// This file compares values as RFC 6902 section 4.6 has it: members in any order,
// strings by their characters, numbers by their value. It costs what the value
// compared with holds, once the state's is taken apart: a test is a few bytes that
// an agent may send at will.

// same compares what b, which by owns, has at token.
func (b *box) same(token string, want json.RawMessage, by *owner) bool {
	n, ok := b.get(token)
	if !ok {
		return false
	}
	if n.box == nil {
		if bytes.Equal(n.raw, want) {
			return true
		}
		if n.raw[0] != '[' && n.raw[0] != '{' {
			return sameScalar(n.raw, want)
		}
		if n.raw[0] != want[0] {
			return false
		}
		n = node{box: open(n.raw, by)}
		b.set(token, n)
	} else if n.box.owner != by {
		n = node{box: n.box.copyFor(by)}
		b.set(token, n)
	}
	switch {
	case want[0] == '[' && n.box.members == nil:
		i := 0
		for _, v := range Each(want) {
			if !n.box.same(strconv.Itoa(i), v, by) {
				return false
			}
			i++
		}
		return i == len(n.box.items)
	case want[0] == '{' && n.box.members != nil:
		all := map[string]json.RawMessage{}
		for name, v := range Each(want) {
			all[name] = v
		}
		if len(all) != len(n.box.members) {
			return false
		}
		for name, v := range all {
			if !n.box.same(name, v, by) {
				return false
			}
		}
		return true
	}
	return false
}

// sameScalar compares two values that are not the same text.
func sameScalar(a, b json.RawMessage) bool {
	switch {
	case a[0] == '"' && b[0] == '"':
		// A character has six bytes at most that another spelling has one for.
		return len(a) <= 6*len(b) && len(b) <= 6*len(a) && unquote(a) == unquote(b)
	case isNumber(a) && isNumber(b):
		return sameNumber(string(a), string(b))
	}
	return false
}

func isNumber(raw json.RawMessage) bool { return raw[0] == '-' || raw[0] >= '0' && raw[0] <= '9' }

// sameNumber compares without computing: an exponent may have any size. A number
// of a thousand digits is only the same as its own text.
func sameNumber(a, b string) bool {
	if len(a) > 1000 || len(b) > 1000 {
		return a == b
	}
	digitsA, expA, okA := decimal(a)
	digitsB, expB, okB := decimal(b)
	return okA && okB && digitsA == digitsB && expA == expB
}

// decimal returns a number as its significant digits, with the sign, and the power
// of ten of the last; not ok when that is beyond counting. Every zero is "".
func decimal(number string) (digits string, exp int, ok bool) {
	number, negative := strings.CutPrefix(number, "-")
	ok = true
	if e := strings.IndexAny(number, "eE"); e >= 0 {
		n, err := strconv.ParseInt(number[e+1:], 10, 32)
		exp, ok = int(n), err == nil
		number = number[:e]
	}
	whole, fraction, _ := strings.Cut(number, ".")
	digits = strings.TrimLeft(whole+fraction, "0")
	if digits == "" {
		return "", 0, true
	}
	significant := strings.TrimRight(digits, "0")
	exp += len(digits) - len(significant) - len(fraction)
	if negative {
		significant = "-" + significant
	}
	return significant, exp, ok
}
