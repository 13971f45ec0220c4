package markdown

import (
	"bytes"
	"context"
	"regexp"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/yuin/goldmark/ast"
	east "github.com/yuin/goldmark/extension/ast"
)

// complete prepares a text that is still being written for showing: what was
// begun is ended, and what may yet become something else is left out. It is a
// guess for one moment and decides nothing about the final HTML.
func complete(ctx context.Context, src []byte) ([]byte, error) {
	last := lineStart(src, len(src))
	leaf, err := openLeaf(ctx, src)
	if err != nil {
		return nil, err
	}
	if isCode(leaf) {
		// Fence characters at the end are about to close it.
		if len(bytes.Trim(src[last:], " \t>`~")) == 0 {
			return src[:last], nil
		}
		return src, nil
	}
	if patterns().undecided.Match(src[last:]) {
		src = src[:last]
		if leaf, err = openLeaf(ctx, src); err != nil {
			return nil, err
		}
		if isCode(leaf) {
			return src, nil
		}
	}
	from, ok := runStart(leaf, src)
	if !ok {
		return src, nil
	}
	if leaf.Kind() != east.KindTableCell {
		if done, ok := completeTable(src, from); ok {
			return done, nil
		}
	}
	return append(bytes.Clone(src[:from]), completeInline(string(src[from:]))...), nil
}

// openLeaf is the innermost block at the end of src.
func openLeaf(ctx context.Context, src []byte) (ast.Node, error) {
	tree, b := outline(ctx, src, openWork(len(src)))
	return lastLeaf(tree), b.failed()
}

type completePatterns struct{ undecided, delimiter *regexp.Regexp }

var patterns = sync.OnceValue(func() completePatterns {
	return completePatterns{
		// A line that may become an item, heading, underline, rule, fence, table.
		undecided: regexp.MustCompile(`^[ \t>]*(?:(?:[-+*]|\d{1,9}[.)])[ \t]+)*(?:[-+*]|\d{1,9}[.)]|\d|#{1,6}|[-=_*]{2,}|[` + "`" + `~]+|\||)[ \t]*$`),
		// The beginning of the line under a table's header.
		delimiter: regexp.MustCompile(`^[ \t>]*[|:\- \t]*$`),
	}
})

func isCode(n ast.Node) bool {
	return n != nil && (n.Kind() == ast.KindFencedCodeBlock || n.Kind() == ast.KindCodeBlock)
}

// lastLeaf is the innermost block at the end of a tree.
func lastLeaf(n ast.Node) ast.Node {
	for {
		last := n.LastChild()
		if last == nil || last.Type() != ast.TypeBlock {
			return n
		}
		n = last
	}
}

// runStart is where the text of an open leaf begins; false when it has ended.
func runStart(leaf ast.Node, src []byte) (int, bool) {
	if i := bytes.LastIndexByte(bytes.TrimRight(src, " \t"), '\n'); i >= 0 && i == len(bytes.TrimRight(src, " \t"))-1 {
		// At the beginning of a line only a paragraph goes on, unless it is blank.
		if isBlank(src[lineStart(src, i):i]) || leaf.Kind() != ast.KindParagraph && leaf.Kind() != ast.KindTextBlock {
			return 0, false
		}
	}
	switch leaf.Kind() {
	case east.KindTableCell:
		line := lineStart(src, len(src))
		return line + bytes.LastIndexByte(src[line:], '|') + 1, true
	case ast.KindParagraph, ast.KindTextBlock, ast.KindHeading:
		if leaf.Lines().Len() > 0 {
			return leaf.Lines().At(0).Start, true
		}
	}
	return 0, false
}

// completeTable adds the line under a table's header, so that it is a table
// from the first cell on.
func completeTable(src []byte, from int) ([]byte, bool) {
	header, below, two := bytes.Cut(src[from:], []byte("\n"))
	header = bytes.TrimSpace(header)
	if len(header) < 2 || header[0] != '|' || !patterns().delimiter.Match(below) {
		return nil, false
	}
	prefix := bytes.Map(func(r rune) rune {
		if r == '>' || r == '\t' {
			return r
		}
		return ' '
	}, src[lineStart(src, from):from])
	cut := bytes.LastIndexByte(header, '|') + 1
	line := string(header)
	if !two {
		line = string(header[:cut]) + completeInline(string(header[cut:]))
	}
	cells := strings.Count(strings.Trim(strings.ReplaceAll(line, `\|`, ""), "|"), "|") + 1
	out := append(bytes.Clone(src[:from]), line+"\n"...)
	out = append(out, prefix...)
	return append(out, strings.Repeat("|-", cells)+"|\n"...), true
}

// completeInline ends what inline syntax a run of text leaves open.
func completeInline(run string) string {
	run = completeLink(run)
	var open []string // delimiters to close, the outermost first
	for i := 0; i < len(run); {
		c := run[i]
		if c == '\\' {
			i += 2
			continue
		}
		if c != '`' && c != '*' && c != '_' && c != '~' {
			i++
			continue
		}
		n := len(run[i:]) - len(strings.TrimLeft(run[i:], string(c)))
		delim, rest := run[i:i+n], run[i+n:]
		if rest == "" { // it may be half of what it will be
			run = run[:i]
			break
		}
		i += n
		if c == '`' {
			end := codeEnd(rest, delim)
			if end < 0 {
				half := len(rest) - len(strings.TrimRight(rest, "`"))
				return run[:len(run)-half] + delim + closing(open)
			}
			i += end
			continue
		}
		before, _ := utf8.DecodeLastRuneInString(run[:i-n])
		after, _ := utf8.DecodeRuneInString(rest)
		open = delimiter(open, delim, before, after, i == n)
	}
	if len(open) == 0 {
		return run
	}
	return strings.TrimRight(run, " \t\n") + closing(open)
}

// delimiter opens or closes emphasis.
func delimiter(open []string, delim string, before, after rune, first bool) []string {
	word := func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }
	canOpen := !unicode.IsSpace(after)
	canClose := !first && !unicode.IsSpace(before)
	if delim[0] == '_' {
		canOpen, canClose = canOpen && (first || !word(before)), canClose && !word(after)
	}
	for k := len(open) - 1; canClose && k >= 0 && delim != ""; k-- {
		if open[k][0] != delim[0] {
			continue
		}
		n := min(len(open[k]), len(delim))
		rest := open[k][n:]
		open, delim = open[:k], delim[n:] // what was opened inside was text
		if rest != "" {
			open = append(open, rest)
		}
	}
	if canOpen && delim != "" && len(delim) <= 3 {
		open = append(open, delim)
	}
	return open
}

func closing(open []string) string {
	var b strings.Builder
	for k := len(open) - 1; k >= 0; k-- {
		b.WriteString(open[k])
	}
	return b.String()
}

// codeEnd is where a code span ends that began before s with delim, or -1.
func codeEnd(s, delim string) int {
	for i := 0; i < len(s); {
		if s[i] != '`' {
			i++
			continue
		}
		n := len(s[i:]) - len(strings.TrimLeft(s[i:], "`"))
		if i += n; n == len(delim) && i < len(s) {
			return i
		}
	}
	return -1
}

// maxLabel is how far back an open bracket is still taken for a link's, in
// bytes.
const maxLabel = 300

// completeLink shows a link or image whose address is not there yet as its text.
func completeLink(run string) string {
	var brackets []int
	for i := 0; i < len(run); i++ {
		switch run[i] {
		case '\\':
			i++
		case '`':
			delim := run[i : len(run)-len(strings.TrimLeft(run[i:], "`"))]
			end := codeEnd(run[i+len(delim):], delim)
			if end < 0 {
				return run
			}
			i += len(delim) + end - 1
		case '[':
			brackets = append(brackets, i)
		case ']':
			if len(brackets) == 0 {
				continue
			}
			from := brackets[len(brackets)-1]
			brackets = brackets[:len(brackets)-1]
			rest := run[i+1:]
			if rest == "" || rest[0] == '(' && addressEnd(rest) < 0 {
				return unlink(run, from) + run[from+1:i]
			}
			if rest[0] == '(' {
				i += addressEnd(rest)
			}
		}
	}
	if len(brackets) > 0 {
		if from := brackets[0]; len(run)-from <= maxLabel {
			return unlink(run, from) + run[from+1:]
		}
	}
	return run
}

// unlink is the text before a bracket, without an image's mark.
func unlink(run string, bracket int) string {
	return strings.TrimSuffix(run[:bracket], "!")
}

// addressEnd is the length of "(address)" at the beginning of s, or -1.
func addressEnd(s string) int {
	depth := 0
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '\\':
			i++
		case '(':
			depth++
		case ')':
			if depth--; depth == 0 {
				return i + 1
			}
		case '\n':
			return 0 // it is no address; leave it as it is
		}
	}
	return -1
}

// trimPartialRune leaves out a character whose bytes are not all there.
func trimPartialRune(b []byte) []byte {
	for i := 1; i <= min(utf8.UTFMax, len(b)); i++ {
		if c := b[len(b)-i]; utf8.RuneStart(c) {
			if !utf8.FullRune(b[len(b)-i:]) {
				return b[:len(b)-i]
			}
			break
		}
	}
	return b
}
