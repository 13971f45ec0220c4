package plaintext

import (
	"strings"
	"unicode/utf8"
)

// writer collects at most limit characters.
type writer struct {
	limit int
	line  bool // white space in a row is one space, none is at the ends
	text  strings.Builder
	chars int
	full  bool
	fits  int  // bytes of text after which there is room for "…"
	due   bool // a space comes before the next character; only on a line
}

// write adds text, of which nothing is added when it does not fit.
func (w *writer) write(text string) {
	if w.due {
		w.due = false
		w.add(" ")
	}
	w.add(text)
}

func (w *writer) add(text string) {
	if w.full {
		return
	}
	n := utf8.RuneCountInString(text)
	if w.chars+n > w.limit {
		w.full = true
		kept := w.text.String()[:w.fits]
		if w.line {
			kept = strings.TrimSuffix(kept, " ")
		}
		w.text.Reset()
		w.text.WriteString(kept + "…")
		return
	}
	w.text.WriteString(text)
	if w.chars += n; w.chars < w.limit {
		w.fits = w.text.Len()
	}
}

// space adds white space, of which browsers and terminals show some kinds in their own
// ways: what ends a line becomes a line feed, what has no width of its own a space.
func (w *writer) space(text string) {
	if w.line {
		w.due = w.chars > 0
		return
	}
	switch text {
	case "\r", "\r\n", "\u0085", "\u2028", "\u2029":
		text = "\n"
	case "\v", "\f", "\u2800":
		text = " "
	}
	w.add(text)
}
