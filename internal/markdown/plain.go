package markdown

import (
	"bytes"
	"html"
	"unicode/utf8"
)

// plainHTML shows text as it is, wrapped.
func plainHTML(text []byte) string {
	if len(bytes.TrimSpace(text)) == 0 {
		return ""
	}
	return `<pre class="plain">` + html.EscapeString(string(bytes.ToValidUTF8(text, []byte("\uFFFD")))) + "</pre>\n"
}

// said is the sentence before text that is shown plain.
func said(why string) string { return `<p class="said">Shown as plain text: ` + why + ".</p>\n" }

// plainRun divides a block over its budget into pieces of plain text and finds
// where it ends: at a line without indentation after a blank one. Both depend on
// nothing but the text, so that they are the same however it is written.
type plainRun struct {
	lead  int  // bytes that belong to the block whatever they are
	start bool // at the beginning of a line
	was   bool // the line before is blank
	blank bool // this line is blank up to here
}

func newPlainRun(lead int) plainRun { return plainRun{lead: lead, start: true, blank: true} }

// piece returns the length of the next piece at the beginning of text, 0 when
// more text is needed to tell. ended reports whether the block ends after it.
func (p *plainRun) piece(text []byte, final bool) (n int, ended bool) {
	ahead := *p
	if n, ended := ahead.scan(text[:min(len(text), limits.plain)]); ended {
		*p = ahead
		return n, true
	}
	switch {
	case len(text) > limits.plain:
		n = plainCut(text)
	case final:
		n = len(text)
	default:
		return 0, false
	}
	p.scan(text[:n])
	return n, false
}

// scan reads text up to the end of the block.
func (p *plainRun) scan(text []byte) (n int, ended bool) {
	for i, c := range text {
		if p.start && p.was && p.lead <= 0 && c != ' ' && c != '\t' && c != '\n' {
			return i, true
		}
		p.lead--
		switch p.start = c == '\n'; {
		case p.start:
			p.was, p.blank = p.blank, true
		case c != ' ' && c != '\t':
			p.blank = false
		}
	}
	return len(text), false
}

// plainCut is where a piece ends within text, which is longer: after a line, else
// between two characters.
func plainCut(text []byte) int {
	n := limits.plain
	if line := bytes.LastIndexByte(text[:n], '\n') + 1; line > n/2 {
		return line
	}
	for i := range utf8.UTFMax - 1 {
		if utf8.RuneStart(text[n-i]) {
			return n - i
		}
	}
	return n
}
