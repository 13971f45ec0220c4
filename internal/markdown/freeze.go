package markdown

import (
	"bytes"
	"context"
	"strconv"
	"unicode/utf8"

	"github.com/yuin/goldmark/ast"
	east "github.com/yuin/goldmark/extension/ast"
)

const (
	// keep is how much of an open block stays in the tail at most when the rest
	// is frozen, in bytes.
	keep = OpenBlockLimit / 2
	// nearEnd is how much stays at least when a line has to be cut.
	nearEnd = 64
	// maxContainers is how deep a place is followed; deeper is shown flat until
	// its block closes.
	maxContainers = 12
	// maxContext is the longest fence or table head that is repeated, in bytes.
	maxContext = 512
)

// cut chooses how much of rest, which follows the point, is frozen, and the
// place where that ends. The best end is before the last item or paragraph,
// failing that after the last line, failing that between two words.
func (p place) cut(ctx context.Context, rest []byte) (int, place, error) {
	if p.plain {
		return p.cutPlain(rest)
	}
	blank := p.blank(rest)
	src := p.source(rest)
	skeleton := len(src) - (len(rest) - blank)
	if lines := bytes.LastIndexByte(src, '\n') + 1; lines > skeleton && len(src)-lines <= keep {
		at, err := locate(ctx, src[:lines], skeleton, len(src)-lines)
		if _, ok := err.(over); ok {
			return p.cutPlain(rest)
		}
		return at.offset - skeleton + blank, at.place, err
	}
	n := wordBreak(rest)
	if n <= blank { // nothing but what is left out anyway
		return blank, p, nil
	}
	at, err := locate(ctx, src[:n-blank+skeleton], len(src), 0)
	if _, ok := err.(over); ok {
		return p.cutPlain(rest)
	}
	at.line, at.ended, at.start, at.table = true, false, 0, ""
	at.para = at.fence == ""
	return n, at.place, err
}

// cutPlain chooses how much of rest is frozen as plain text.
func (p place) cutPlain(rest []byte) (int, place, error) {
	n := bytes.LastIndexByte(rest, '\n') + 1
	if n == 0 || len(rest)-n > keep {
		n = wordBreak(rest)
	}
	line := rest[lineStart(rest, max(0, n-1)):n]
	return n, place{plain: true, ended: bytes.HasSuffix(line, []byte("\n")) && isBlank(line)}, nil
}

// located is a place and where in the source it is.
type located struct {
	place
	offset int
}

// locate follows the last child of every block down to the end of src. It stops
// before a block that begins after offset from, when no more than keep bytes,
// with the behind bytes that follow src, begin there.
func locate(ctx context.Context, src []byte, from, behind int) (located, error) {
	at := located{offset: len(src)}
	lastLine := src[lineStart(src, max(0, len(src)-1)):]
	at.ended = bytes.HasSuffix(src, []byte("\n")) && isBlank(lastLine)
	parent := -1 // where the line begins on which node began
	node, b := ast.Node(nil), (*budget)(nil)
	if node, b = outline(ctx, src, openWork(len(src))); b.done() {
		return at, b.failed()
	}
	for len(at.in) < maxContainers {
		last := node.LastChild()
		if last == nil || last.Type() != ast.TypeBlock {
			break
		}
		line := lineStart(src, blockStart(last))
		if line > from && line > parent && len(src)-line+behind <= keep {
			if list, ok := node.(*ast.List); ok && list.IsOrdered() {
				at.start = list.Start + list.ChildCount() - 1
			}
			at.offset, at.ended = line, false
			return at, nil
		}
		switch last := last.(type) {
		case *ast.List:
		case *ast.ListItem:
			at.in = append(at.in, container{itemMarker(last), column(src, blockStart(last))})
		case *ast.Blockquote:
			at.in = append(at.in, container{">", column(src, blockStart(last))})
		case *ast.FencedCodeBlock:
			at.fence = openFence(last, src)
			return at, nil
		case *east.Table:
			if !at.ended {
				at.table = tableHead(last, src)
			}
			return at, nil
		default:
			kind := last.Kind()
			at.para = !at.ended && (kind == ast.KindParagraph || kind == ast.KindTextBlock)
			return at, nil
		}
		node, parent = last, line
	}
	return at, nil
}

func itemMarker(item *ast.ListItem) string {
	list := item.Parent().(*ast.List)
	if !list.IsOrdered() {
		return string(list.Marker)
	}
	return strconv.Itoa(list.Start+list.ChildCount()-1) + string(list.Marker)
}

// openFence is the line that opened a fence, or nothing when it is closed.
func openFence(n *ast.FencedCodeBlock, src []byte) string {
	line, after, _ := bytes.Cut(src[max(0, n.Pos()):], []byte("\n"))
	if k := n.Lines().Len(); k > 0 {
		after = src[n.Lines().At(k-1).Stop:]
	}
	if !isBlank(after) {
		return ""
	}
	return string(line[:min(len(line), maxContext)]) + "\n"
}

// tableHead is the first two lines of a table, without what stands before them.
func tableHead(n *east.Table, src []byte) string {
	if n.FirstChild() == nil || n.FirstChild().FirstChild() == nil {
		return ""
	}
	cell := n.FirstChild().FirstChild().Lines()
	if cell.Len() == 0 {
		return ""
	}
	header, rest, _ := bytes.Cut(src[lineStart(src, cell.At(0).Start):], []byte("\n"))
	delimiter, _, _ := bytes.Cut(rest, []byte("\n"))
	if len(header)+len(delimiter) > maxContext {
		return ""
	}
	return string(bytes.TrimLeft(header, " \t>")) + "\n" + string(bytes.TrimLeft(delimiter, " \t>")) + "\n"
}

// wordBreak finds where to cut a long line: after a sentence, else a word, else
// a character, leaving between nearEnd and keep bytes.
func wordBreak(line []byte) int {
	lo, hi := len(line)-keep, len(line)-nearEnd
	word := 0
	for i := hi; i > lo; i-- {
		if line[i-1] != ' ' || line[i] == ' ' {
			continue
		}
		if i >= 2 && (line[i-2] == '.' || line[i-2] == '!' || line[i-2] == '?') {
			return i
		}
		if word == 0 {
			word = i
		}
	}
	if word > 0 {
		return word
	}
	for hi > lo && !utf8.RuneStart(line[hi]) {
		hi--
	}
	return hi
}

// topLevel are the offsets of the lines on which a top-level block begins.
func topLevel(tree ast.Node, src []byte) []int {
	var starts []int
	for n := tree.FirstChild(); n != nil; n = n.NextSibling() {
		line := lineStart(src, blockStart(n))
		if len(starts) == 0 || line > starts[len(starts)-1] {
			starts = append(starts, line)
		}
	}
	return starts
}

// blockStart is where a block begins. The parser notes the underline of an
// underlined heading, which is not the beginning.
func blockStart(n ast.Node) int {
	pos := n.Pos()
	if lines := n.Lines(); lines != nil && lines.Len() > 0 && (pos < 0 || lines.At(0).Start < pos) {
		pos = lines.At(0).Start
	}
	return max(0, pos)
}

func lineStart(src []byte, pos int) int {
	return bytes.LastIndexByte(src[:min(pos, len(src))], '\n') + 1
}

// column is the column of an offset, counting a tab to the next multiple of 4.
func column(src []byte, pos int) int {
	col := 0
	for _, c := range src[lineStart(src, pos):pos] {
		if c == '\t' {
			col += 4 - col%4
		} else {
			col++
		}
	}
	return col
}

// isBlank reports whether nothing but quote markers is there.
func isBlank(b []byte) bool {
	return len(bytes.Trim(b, " \t\n>")) == 0
}
