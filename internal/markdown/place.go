package markdown

import (
	"bytes"
	"context"
	"strings"

	"github.com/yuin/goldmark/ast"
)

// continued is the class of an element that continues the one before it: the
// page draws no bullet, number, gap or corner between the two.
const continued = "md-cont"

// joiner (U+2060, without width) stands for the part of a paragraph that is not
// rendered with the rest, so that the rest cannot be taken for a heading or a
// list. It is removed from the HTML.
const joiner = "\u2060"

// place is a point inside a block: enough of what is open there to render what
// follows on its own. The zero value is the beginning of a block.
type place struct {
	in    []container // outermost first
	fence string      // the line that opened the code around the point
	table string      // the header and delimiter lines of the table around it
	para  bool        // inside a paragraph
	line  bool        // in the middle of a line
	ended bool        // after a blank line, so that a paragraph cannot go on
	start int         // number of the ordered item that begins here
	plain bool        // what follows is shown as plain text
}

// container is a quote or list item that the point is inside of.
type container struct {
	marker string // ">", "-", "12."
	col    int    // where the marker stands in its line
}

// skeleton opens what is open at the point.
func (p place) skeleton() []byte {
	var first, cont, out strings.Builder
	for _, c := range p.in {
		pad := strings.Repeat(" ", max(0, c.col-first.Len()))
		first.WriteString(pad + c.marker + " ")
		if c.marker != ">" {
			c.marker = strings.Repeat(" ", len(c.marker))
		}
		cont.WriteString(pad + c.marker + " ")
	}
	if len(p.in) > 0 {
		out.WriteString(first.String() + "\n")
	}
	for line := range strings.Lines(p.fence + p.table) {
		out.WriteString(cont.String() + line)
	}
	if p.line || p.para {
		out.WriteString(cont.String())
	}
	if p.para {
		out.WriteString(joiner)
		if !p.line {
			out.WriteByte('\n')
		}
	}
	return []byte(out.String())
}

// blank counts the blank lines to leave out of what follows: an item that
// begins with an empty line, as in a skeleton, ends at a second one.
func (p place) blank(rest []byte) int {
	if len(p.in) == 0 || p.fence != "" || p.table != "" || p.para {
		return 0
	}
	return len(rest) - len(bytes.TrimLeft(rest, "\n"))
}

// source is what follows the point, in its place.
func (p place) source(rest []byte) []byte {
	return append(p.skeleton(), rest[p.blank(rest):]...)
}

// mayEnd reports whether the block that the point is in seems to end in rest,
// which is complete lines.
func (p place) mayEnd(ctx context.Context, rest []byte) bool {
	if p.ended && len(p.in) == 0 && !p.plain {
		return len(bytes.TrimSpace(rest)) > 0
	}
	if p.plain {
		run := newPlainRun(0)
		run.was = p.ended
		_, ended := run.scan(rest)
		return ended
	}
	tree, b := outline(ctx, p.source(rest), openWork(len(rest)))
	return b.done() || len(topLevel(tree, p.source(rest))) > 1
}

// render shows what follows the point. An open end is completed. What is over its
// budget is shown as plain text, and plain says so.
func (p place) render(ctx context.Context, rest []byte, open bool, room int, colours *palette) (out HTML, plain bool, err error) {
	if open {
		rest = trimPartialRune(rest)
	}
	if len(bytes.TrimSpace(rest)) == 0 {
		return "", false, nil
	}
	if !p.plain {
		out, err = p.markup(ctx, rest, open, room, colours)
		if _, ok := err.(over); !ok {
			return out, false, err
		}
	}
	out, err = sanitise(ctx, plainHTML(rest))
	return out, true, err
}

func (p place) markup(ctx context.Context, rest []byte, open bool, room int, colours *palette) (HTML, error) {
	src := bytes.ToValidUTF8(p.source(rest), []byte("\uFFFD"))
	if open {
		var err error
		if src, err = complete(ctx, src); err != nil {
			return "", err
		}
	}
	b := newBudget(ctx, openWork(len(rest)))
	tree := parse(src, b)
	if err := b.failed(); err != nil {
		return "", err
	}
	p.mark(tree)
	html, err := renderTree(tree, src, b, room, colours)
	if err != nil {
		return "", err
	}
	if p.para {
		html = HTML(strings.Replace(string(html), joiner, "", 1))
	}
	if p.table != "" {
		if before, rest, ok := strings.Cut(string(html), "<thead>"); ok {
			_, after, _ := strings.Cut(rest, "</thead>")
			html = HTML(before + after)
		}
	}
	return html, nil
}

// mark marks the elements of the tree that continue earlier ones.
func (p place) mark(tree ast.Node) {
	node := tree
	for range p.in {
		if node = node.FirstChild(); node == nil {
			return
		}
		if node.Kind() == ast.KindList {
			node = node.FirstChild()
			node.SetAttributeString("class", continued)
		}
	}
	first := node.FirstChild()
	if first == nil {
		return
	}
	if list, ok := first.(*ast.List); ok && list.IsOrdered() && p.start > 0 {
		list.Start = p.start
	}
	if p.line || p.para || p.fence != "" || p.table != "" {
		first.SetAttributeString("class", continued)
	}
}
