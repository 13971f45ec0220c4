package agui

import (
	"encoding/binary"
	"math/bits"
)

// scanner walks over JSON text. What it passes without becoming bad is valid
// JSON; it is bad too about what nests deeper than it may. Read an object so:
//
//	for more := s.enter('{', '}'); more; more = s.next('}') {
//		key := s.key()
//		s.value(0)
//	}
type scanner struct {
	b []byte
	i int
	// escaped reports whether the string read last holds a backslash.
	escaped bool
	bad     bool
	// deepest bounds the recursion; encoding/json, at 10,000, is the outer bound.
	deepest int
}

func (s *scanner) space() {
	if s.i < len(s.b) && s.b[s.i] <= ' ' {
		s.spaces()
	}
}

func (s *scanner) spaces() {
	for s.i < len(s.b) && (s.b[s.i] == ' ' || s.b[s.i] == '\n' || s.b[s.i] == '\r' || s.b[s.i] == '\t') {
		s.i++
	}
}

// peek returns the first byte of what comes next, 0 at the end.
func (s *scanner) peek() byte {
	if s.i < len(s.b) {
		return s.b[s.i]
	}
	return 0
}

// take steps over c, if it comes next.
func (s *scanner) take(c byte) bool {
	if s.i < len(s.b) && s.b[s.i] == c {
		s.i++
		return true
	}
	return false
}

// enter steps into an object or array and reports whether anything is in it.
func (s *scanner) enter(open, end byte) bool {
	s.space()
	if !s.take(open) {
		s.bad = true
		return false
	}
	s.space()
	return !s.take(end)
}

// next reports whether another member or element follows the one just read.
func (s *scanner) next(end byte) bool {
	s.space()
	switch {
	case s.bad || s.take(end):
		return false
	case s.take(','):
		s.space()
		return true
	}
	s.bad = true
	return false
}

// key reads a member's name and its colon, up to the value. It returns the name as
// it is written between its quotes.
func (s *scanner) key() []byte {
	start := s.i + 1
	if !s.str() {
		s.bad = true
		return nil
	}
	key := s.b[start : s.i-1]
	s.space()
	s.bad = !s.take(':')
	s.space()
	return key
}

// value steps over any value.
func (s *scanner) value(depth int) {
	if s.bad || s.i >= len(s.b) || depth > s.deepest {
		s.bad = true
		return
	}
	ok := true
	switch s.b[s.i] {
	case '"':
		ok = s.str()
	case '{':
		for more := s.enter('{', '}'); more; more = s.next('}') {
			s.key()
			s.value(depth + 1)
		}
	case '[':
		for more := s.enter('[', ']'); more; more = s.next(']') {
			s.value(depth + 1)
		}
	case 't':
		ok = s.word("true")
	case 'f':
		ok = s.word("false")
	case 'n':
		ok = s.word("null")
	default:
		ok = s.number()
	}
	s.bad = s.bad || !ok
}

func (s *scanner) word(w string) bool {
	if len(s.b)-s.i < len(w) || string(s.b[s.i:s.i+len(w)]) != w {
		return false
	}
	s.i += len(w)
	return true
}

// str steps over a string.
func (s *scanner) str() bool {
	if !s.take('"') {
		return false
	}
	s.escaped = false
	b := s.b
	for i := s.i; ; i++ {
		for len(b)-i >= 8 {
			n := plain(binary.LittleEndian.Uint64(b[i:]))
			if i += n; n < 8 {
				break
			}
		}
		if i >= len(b) {
			return false
		}
		switch c := b[i]; {
		case c == '"':
			s.i = i + 1
			return true
		case c == '\\':
			s.escaped = true
			if i++; i >= len(b) {
				return false
			}
			switch b[i] {
			case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
			case 'u':
				if len(b)-i < 5 {
					return false
				}
				for _, h := range b[i+1 : i+5] {
					if l := h | 0x20; (h < '0' || h > '9') && (l < 'a' || l > 'f') {
						return false
					}
				}
				i += 4
			default:
				return false
			}
		case c < 0x20:
			return false
		}
	}
}

// plain counts the bytes before the first of eight that is a quote, a backslash or
// below a space.
func plain(w uint64) int {
	const ones = 0x0101010101010101
	quote, backslash := w^ones*'"', w^ones*'\\'
	// A byte above one that is marked may be marked wrongly; the lowest never is.
	marks := ((quote-ones)&^quote | (backslash-ones)&^backslash | (w-ones*' ')&^w) & (ones << 7)
	return bits.TrailingZeros64(marks) / 8
}

func (s *scanner) number() bool {
	s.take('-')
	if !s.take('0') && !s.digits() {
		return false
	}
	if s.take('.') && !s.digits() {
		return false
	}
	if s.take('e') || s.take('E') {
		if !s.take('+') {
			s.take('-')
		}
		return s.digits()
	}
	return true
}

func (s *scanner) digits() bool {
	start := s.i
	for s.i < len(s.b) && s.b[s.i] >= '0' && s.b[s.i] <= '9' {
		s.i++
	}
	return s.i > start
}
