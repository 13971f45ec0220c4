package agui

import "bytes"

// NotNumbers is the What of the [Diagnostic] of an event with numbers that JSON does not
// have.
const NotNumbers = "NaN or Infinity, which is no JSON; read as null"

// Some encoders, Python's among them, write numbers that JSON does not have.
var notNumbers = [][]byte{[]byte("-Infinity"), []byte("Infinity"), []byte("NaN")}

// finite returns raw with null in the place of NaN, Infinity and -Infinity outside of
// strings, and whether there was any. It looks through raw once.
func finite(raw []byte) ([]byte, bool) {
	if !bytes.Contains(raw, notNumbers[1]) && !bytes.Contains(raw, notNumbers[2]) {
		return raw, false
	}
	out := make([]byte, 0, len(raw))
	found := false
	for i := 0; i < len(raw); {
		switch c := raw[i]; {
		case c == '"':
			end := i + 1
			for end < len(raw) && raw[end] != '"' {
				if raw[end] == '\\' {
					end++
				}
				end++
			}
			end = min(end+1, len(raw))
			out = append(out, raw[i:end]...)
			i = end
			continue
		case c == '-' || c == 'I' || c == 'N':
			if n := notNumber(raw[i:]); n > 0 {
				out = append(out, "null"...)
				found = true
				i += n
				continue
			}
		}
		out = append(out, raw[i])
		i++
	}
	return out, found
}

// notNumber returns the length of what raw begins with, if that is no number.
func notNumber(raw []byte) int {
	for _, word := range notNumbers {
		if bytes.HasPrefix(raw, word) {
			return len(word)
		}
	}
	return 0
}
