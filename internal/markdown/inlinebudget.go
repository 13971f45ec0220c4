package markdown

import (
	"bytes"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// nodeWork is the work for an inline element, with the memory of its node.
const nodeWork = 150

// leaf is the paragraph, heading or cell whose text is parsed.
type leaf struct {
	node     ast.Node
	end      int   // of its source
	lines    int   // how many it has
	delims   int   // emphasis delimiters so far
	brackets []int // where the open ones stand
}

// at notes that node is parsed now.
func (l *leaf) at(node ast.Node) {
	if l.node == node {
		return
	}
	*l = leaf{node: node, lines: node.Lines().Len(), brackets: l.brackets[:0]}
	if l.lines > 0 {
		l.end = node.Lines().At(l.lines - 1).Stop
	}
}

// countedInline is an inline parser that counts its work. before returns the work
// that depends on the text ahead, after what a failed or successful attempt cost.
type countedInline struct {
	parser.InlineParser
	before func(l *leaf, rest []byte, pos int) int
	after  func(l *leaf, node ast.Node, rest []byte, pos int) int
}

func (p countedInline) Parse(parent ast.Node, block text.Reader, pc parser.Context) ast.Node {
	b := budgetOf(pc)
	b.leaf.at(parent)
	rest, seg := block.PeekLine()
	work := peekWork
	if p.before != nil {
		work += p.before(&b.leaf, rest, seg.Start)
	}
	if b.leaf.delims > limits.delims {
		b.refuse(tooComplex)
	}
	if !b.spend(work) {
		return skip(block, pc)
	}
	node := p.InlineParser.Parse(parent, block, pc)
	work = 0
	if node != nil {
		work = nodeWork
	}
	if p.after != nil {
		work += p.after(&b.leaf, node, rest, seg.Start)
	}
	if !b.spend(work) && node == nil {
		return skip(block, pc)
	}
	return node
}

// skip ends the parsing of a paragraph: nothing of it is used.
func skip(block text.Reader, pc parser.Context) ast.Node {
	pc.ClearDelimiters(nil)
	for {
		if line, _ := block.PeekLine(); line == nil {
			return ast.NewText()
		}
		block.AdvanceLine()
	}
}

// CloseBlock lets the link parser tidy up.
func (p countedInline) CloseBlock(parent ast.Node, block text.Reader, pc parser.Context) {
	if c, ok := p.InlineParser.(parser.CloseBlocker); ok {
		c.CloseBlock(parent, block, pc)
	}
}

// countedLink counts the work of brackets: a closing one looks at everything since
// its opening one, a link at all its siblings, and an address without an end reads
// to the end of the text.
func countedLink(p parser.InlineParser) parser.InlineParser {
	return countedInline{p, func(l *leaf, rest []byte, pos int) int {
		switch {
		case rest[0] == '[', len(rest) > 1 && rest[1] == '[' && rest[0] == '!':
			l.brackets = append(l.brackets, pos)
		case rest[0] == ']' && len(l.brackets) > 0:
			from := l.brackets[len(l.brackets)-1]
			l.brackets = l.brackets[:len(l.brackets)-1]
			return pos - from + 2*l.lines
		}
		return 0
	}, func(l *leaf, node ast.Node, rest []byte, pos int) int {
		switch node.(type) {
		case *ast.Link, *ast.Image:
			return 4 * l.node.ChildCount()
		}
		if node == nil && len(rest) > 1 && rest[0] == ']' && (rest[1] == '(' || rest[1] == '[') {
			return l.end - pos
		}
		return 0
	}}
}

// countedDelimiter counts that every emphasis delimiter may be compared with all
// before it, and is found anew at each of its characters when it is none.
func countedDelimiter(p parser.InlineParser) parser.InlineParser {
	return countedInline{p, func(l *leaf, rest []byte, _ int) int {
		l.delims++
		return l.delims/2 + run(rest, rest[0])
	}, nil}
}

// countedCode counts that backticks without their counterpart are looked for to
// the end of the text.
func countedCode(p parser.InlineParser) parser.InlineParser {
	return countedInline{p, nil, func(l *leaf, node ast.Node, _ []byte, pos int) int {
		if _, ok := node.(*ast.CodeSpan); ok {
			return 0
		}
		return l.end - pos + peekWork*l.lines
	}}
}

// countedAddress counts what its expressions cost on what looks like an address.
func countedAddress(p parser.InlineParser) parser.InlineParser {
	return countedInline{p, func(_ *leaf, rest []byte, _ int) int {
		if len(rest) > 1 && !util.IsAlphaNumeric(rest[0]) {
			rest = rest[1:]
		}
		n := 0
		for n < len(rest) && n < 300 && rest[n] > ' ' {
			n++
		}
		word := rest[:n]
		if bytes.HasPrefix(word, []byte("www.")) || bytes.HasPrefix(word, []byte("http")) || bytes.HasPrefix(word, []byte("ftp:")) {
			host := bytes.IndexByte(word[min(n, 8):], '/') + 8
			if host < 8 {
				host = n
			}
			return 4 * host * host
		}
		if at := bytes.IndexByte(word[:min(n, 65)], '@'); at > 0 {
			return 60 * n
		}
		return min(n, 64)
	}, nil}
}

func run(b []byte, c byte) int {
	n := 0
	for n < len(b) && b[n] == c {
		n++
	}
	return n
}
