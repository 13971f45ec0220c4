package jsonpatch

import (
	"bytes"
	"encoding/json"
	"iter"
)

// This file takes valid JSON apart one level deep, without reading into what it
// finds: a list of a thousand items costs a scan and a slice. All of it relies on
// json.Valid having been asked before.

// value returns the JSON value that raw begins with, and what follows it.
func value(raw []byte) (v, rest []byte) {
	raw = space(raw)
	n, depth := 0, 0
	for {
		switch raw[n] {
		case '"':
			n += quoted(raw[n:])
		case '{', '[':
			n++
			depth++
		case '}', ']':
			n++
			depth--
		case ' ', '\t', '\r', '\n', ',', ':':
			n++
		default:
			for n++; n < len(raw) && inScalar(raw[n]); {
				n++
			}
		}
		if depth == 0 {
			return raw[:n:n], raw[n:]
		}
	}
}

func inScalar(c byte) bool {
	return c == '-' || c == '+' || c == '.' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c == 'E'
}

// quoted is the length of the string that raw begins with, quotes included.
func quoted(raw []byte) int {
	n := 1
	for {
		end := bytes.IndexByte(raw[n:], '"')
		escape := bytes.IndexByte(raw[n:n+end], '\\')
		if escape < 0 {
			return n + end + 1
		}
		n += escape + 2
	}
}

func space(raw []byte) []byte {
	for len(raw) > 0 && (raw[0] == ' ' || raw[0] == '\t' || raw[0] == '\r' || raw[0] == '\n') {
		raw = raw[1:]
	}
	return raw
}

// Each returns the members of an object with their names, or the items of an array with
// "", in order; a name comes as often as it is there. raw is an object or an array in
// valid JSON without space before it.
func Each(raw []byte) iter.Seq2[string, json.RawMessage] {
	return func(yield func(string, json.RawMessage) bool) {
		object := raw[0] == '{'
		rest := space(raw[1:])
		for rest[0] != '}' && rest[0] != ']' {
			var name string
			if object {
				var quoted []byte
				quoted, rest = value(rest)
				name = unquote(quoted)
				rest = space(rest)[1:] // the colon
			}
			var v json.RawMessage
			v, rest = value(rest)
			if !yield(name, v) {
				return
			}
			if rest = space(rest); rest[0] == ',' {
				rest = space(rest[1:])
			}
		}
	}
}

// unquote returns the text of a JSON string.
func unquote(raw []byte) string {
	for _, c := range raw[1 : len(raw)-1] {
		if c == '\\' || c >= 0x80 {
			var s string
			_ = json.Unmarshal(raw, &s) // valid
			return s
		}
	}
	return string(raw[1 : len(raw)-1])
}

// appendQuoted writes s as a JSON string.
func appendQuoted(dst []byte, s string) []byte {
	for i := range len(s) {
		if c := s[i]; c < ' ' || c == '"' || c == '\\' || c >= 0x80 {
			raw, _ := json.Marshal(s) // a string always encodes
			return append(dst, raw...)
		}
	}
	dst = append(dst, '"')
	dst = append(dst, s...)
	return append(dst, '"')
}
