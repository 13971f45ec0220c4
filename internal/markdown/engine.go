package markdown

import (
	"context"
	"sync"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/renderer"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// engine is CommonMark with tables, strikethrough, task lists and bare links,
// without raw HTML and without reference definitions. All its parsers count their
// work.
var engine = sync.OnceValue(func() goldmark.Markdown {
	m := newEngine(
		util.Prioritized(extension.NewTaskCheckBoxParser(), 0),
		util.Prioritized(countedCode(parser.NewCodeSpanParser()), 100),
		util.Prioritized(countedLink(parser.NewLinkParser()), 200),
		util.Prioritized(countedInline{InlineParser: parser.NewAutoLinkParser()}, 300),
		util.Prioritized(countedDelimiter(parser.NewEmphasisParser()), 500),
		util.Prioritized(countedDelimiter(extension.NewStrikethroughParser()), 501),
		util.Prioritized(countedAddress(extension.NewLinkifyParser()), 999),
	)
	m.Renderer().AddOptions(renderer.WithNodeRenderers(
		util.Prioritized(nodes{}, 100),
		util.Prioritized(extension.NewStrikethroughHTMLRenderer(), 500),
		util.Prioritized(extension.NewTaskCheckBoxHTMLRenderer(), 500),
	))
	return m
})

// outliner finds the structure of blocks and leaves their text alone.
var outliner = sync.OnceValue(func() goldmark.Markdown { return newEngine() })

func newEngine(inline ...util.PrioritizedValue) goldmark.Markdown {
	return goldmark.New(
		goldmark.WithParser(parser.NewParser(
			countBlocks(
				parser.NewSetextHeadingParser(),
				parser.NewThematicBreakParser(),
				parser.NewListParser(),
				parser.NewListItemParser(),
				parser.NewCodeBlockParser(),
				parser.NewATXHeadingParser(),
				parser.NewFencedCodeBlockParser(),
				parser.NewBlockquoteParser(),
				parser.NewParagraphParser(),
			),
			parser.WithInlineParsers(inline...),
		)),
		goldmark.WithExtensions(tables{}),
	)
}

// parse reads one block of normalised text into a tree. The tree is of no use
// when the budget is done.
func parse(src []byte, b *budget) ast.Node { return parseWith(engine(), src, b) }

// outline reads the structure of a text whose top-level blocks have a budget of
// work units each. When one is over it, the tree ends with what was read of that
// block.
func outline(ctx context.Context, src []byte, work int) (ast.Node, *budget) {
	b := newBudget(ctx, work)
	b.perUnit, b.outline = work, true
	return parseWith(outliner(), src, b), b
}

// openWork is the work that n bytes of an open block may cost with every update.
func openWork(n int) int { return min(limits.block, limits.open*(1+n/OpenBlockLimit)) }

func parseWith(m goldmark.Markdown, src []byte, b *budget) ast.Node {
	b.err = b.ctx.Err()
	pc := parser.NewContext()
	pc.Set(budgetKey, b)
	b.reader = text.NewReader(src)
	return m.Parser().Parse(countedReader{b.reader, b}, parser.WithContext(pc))
}
