// Package plaintext shows text that somebody else wrote so that a reader sees all that
// is in it. Characters without a picture of their own, such as bidirectional controls,
// zero-width spaces, tags and control characters, are taken out or replaced by visible
// tokens. Joiners and variation selectors stay where a script or an emoji needs them.
//
// All functions run in time linear in what they read, return valid UTF-8 and change
// nothing when they are applied to their own result.
package plaintext

import (
	"fmt"
	"strings"
	"unicode"
)

const (
	// maxMarks is how many combining marks may follow one another. Hebrew and Tibetan
	// stack fewer.
	maxMarks = 8
	// maxTokens is how many hidden characters in a row get a token each.
	maxTokens = 3
)

// Reveal returns s with each hidden character replaced by a token such as ⟨U+202E⟩, for
// text on which a user decides. The result has at most limit characters; where it was
// cut it ends with "…".
func Reveal(s string, limit int) string { return rewrite(s, limit, reveal) }

// Strip returns s without hidden characters. The result has at most limit characters;
// where it was cut it ends with "…".
func Strip(s string, limit int) string { return rewrite(s, limit, strip) }

// Line returns s without hidden characters on one line, for titles and names: white
// space in a row is one space, and none is at the ends. The result has at most limit
// characters; where it was cut it ends with "…".
func Line(s string, limit int) string { return rewrite(s, limit, line) }

// HasControls reports whether s holds a control character that is no white space, such
// as NUL, ESC and most of C1.
func HasControls(s string) bool {
	return strings.ContainsFunc(s, func(r rune) bool { return unicode.IsControl(r) && !unicode.IsSpace(r) })
}

type mode int

const (
	strip mode = iota
	reveal
	line
)

// rewrite reads s up to where the result is full.
func rewrite(s string, limit int, m mode) string {
	if limit <= 0 {
		return ""
	}
	if m != line && len(s) <= limit && isPlain(s) {
		return s
	}
	out := &writer{limit: limit, line: m == line}
	var c context
	for len(s) > 0 && !out.full {
		n, kind := next(s, c)
		switch {
		case kind == shown:
			out.write(s[:n])
			c = c.after(s[:n])
		case kind == space:
			out.space(s[:n])
			c = context{}
		case kind == invalid:
			out.write("\uFFFD")
			c = context{}
		case m == reveal:
			n = out.tokens(s, n, kind)
			c = context{}
		}
		s = s[n:]
	}
	return out.text.String()
}

// isPlain reports whether s is printable ASCII.
func isPlain(s string) bool {
	for i := range len(s) {
		if s[i] < ' ' || s[i] > '~' {
			return false
		}
	}
	return true
}

// tokens writes what stands for the hidden characters at the beginning of s, of which
// the first takes n bytes, and returns how many bytes they all take.
func (w *writer) tokens(s string, n int, k kind) int {
	if k == marks {
		w.write(fmt.Sprintf("⟨and %d more marks⟩", len([]rune(s[:n]))))
		return n
	}
	size, count := 0, 0
	for ; k == hidden; n, k = next(s[size:], context{}) {
		if count < maxTokens {
			for _, r := range s[size : size+n] {
				w.write(fmt.Sprintf("⟨U+%04X⟩", r))
			}
		}
		size += n
		if count++; size == len(s) {
			break
		}
	}
	if count > maxTokens {
		w.write(fmt.Sprintf("⟨and %d more⟩", count-maxTokens))
	}
	return size
}
