package markdown

import (
	"bytes"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/renderer"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// tables is the table extension with a budget: a short row is padded to all
// columns, so that a few bytes may become many cells.
type tables struct{}

// Extend implements goldmark.Extender.
func (tables) Extend(m goldmark.Markdown) {
	m.Parser().AddOptions(
		parser.WithParagraphTransformers(util.Prioritized(countedTable{extension.NewTableParagraphTransformer()}, 200)),
		parser.WithASTTransformers(util.Prioritized(extension.NewTableASTTransformer(), 0)),
	)
	m.Renderer().AddOptions(renderer.WithNodeRenderers(util.Prioritized(
		extension.NewTableHTMLRenderer(extension.WithTableCellAlignMethod(extension.TableCellAlignAttribute)), 500)))
}

// countedTable makes tables of paragraphs unless they are too large.
type countedTable struct{ parser.ParagraphTransformer }

func (t countedTable) Transform(node *ast.Paragraph, reader text.Reader, pc parser.Context) {
	b := budgetOf(pc)
	lines, src := node.Lines(), reader.Source()
	all := lines.Len()
	for i := 1; i < all; i++ {
		below, above := lines.At(i), lines.At(i-1)
		columns := delimiterColumns(below.Value(src))
		if columns == 0 {
			continue
		}
		header := above.Value(src)
		if bytes.Count(header, []byte("|"))-bytes.Count(header, []byte(`\|`)) > columns+1 {
			return // it has other columns
		}
		if columns > limits.columns {
			// Where a block ends does not depend on it: there, it is no table.
			if !b.outline {
				b.refuse(tooWide)
			}
			return
		}
		if b.outline {
			lines.SetSliced(0, i+1) // the rows do not matter
		} else if rows := all - i; columns*rows > limits.cells || escapedPipes(lines, src) > limits.block/4 {
			b.refuse(tooWide)
			return
		} else if !b.spend(columns * rows * cellWork) {
			return
		}
		if t.ParagraphTransformer.Transform(node, reader, pc); lines.Len() == i+1 {
			lines.SetSliced(0, all) // it has other columns
		}
		return
	}
}

// delimiterColumns is the number of columns that the line under a table's header
// sets, or 0 when it is no such line.
func delimiterColumns(line []byte) int {
	if w, _ := util.IndentWidth(line, 0); w > 3 {
		return 0
	}
	if len(bytes.Trim(line, "-")) == 0 || len(bytes.Trim(line, "-:| \t\n")) > 0 {
		return 0
	}
	line = bytes.Trim(line, " \t\n")
	line = bytes.TrimSuffix(bytes.TrimPrefix(line, []byte("|")), []byte("|"))
	columns := 0
	for col := range bytes.SplitSeq(line, []byte("|")) {
		col = bytes.Trim(col, " \t\n")
		col = bytes.TrimSuffix(bytes.TrimPrefix(col, []byte(":")), []byte(":"))
		if len(col) == 0 || len(bytes.Trim(col, "-")) > 0 {
			return 0
		}
		columns++
	}
	return columns
}

// escapedPipes is the work for pipes that are escaped within code: each is looked
// for in each code span of the cells that have some.
func escapedPipes(lines *text.Segments, src []byte) int {
	pipes, ticks := 0, 0
	for i := range lines.Len() {
		at := lines.At(i)
		line := at.Value(src)
		if n := bytes.Count(line, []byte(`\|`)); n > 0 {
			pipes += n
			ticks += bytes.Count(line, []byte("`"))
		}
	}
	return pipes * (pipes + ticks)
}
