package markdown

import (
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// Work of the block parsers, in units.
const (
	peekWork  = 8   // looking at a line
	blockWork = 250 // a block, with the memory of its node
	cellWork  = 120 // a cell of a table
)

var budgetKey = parser.NewContextKey()

func budgetOf(pc parser.Context) *budget { return pc.Get(budgetKey).(*budget) }

// countedReader is the text as the block parsers read it. Every look at a line
// is counted; when the budget is used up, the text ends.
type countedReader struct {
	text.Reader
	budget *budget
}

func (r countedReader) PeekLine() ([]byte, text.Segment) {
	line, seg := r.Reader.PeekLine()
	work := peekWork
	for _, c := range line { // what parsers skip on every look
		if c != ' ' && c != '\t' {
			break
		}
		work++
	}
	if r.budget.done() || line != nil && !r.budget.spend(work) {
		return nil, seg
	}
	return line, seg
}

func (r countedReader) SkipBlankLines() (text.Segment, int, bool) {
	seg, lines, ok := r.Reader.SkipBlankLines()
	return seg, lines, ok && !r.budget.done()
}

func (r countedReader) AdvanceLine() {
	r.Reader.AdvanceLine()
	_, seg := r.Position()
	n := seg.Stop - seg.Start
	r.budget.spend(n / 4)
	if r.budget.bytes += n; r.budget.bytes > limits.bytes {
		r.budget.refuse(tooLong)
	}
}

// countedBlock is a block parser that counts its work.
type countedBlock struct{ parser.BlockParser }

func (p countedBlock) Open(parent ast.Node, reader text.Reader, pc parser.Context) (ast.Node, parser.State) {
	b := budgetOf(pc)
	if !b.spend(peekWork) {
		return nil, parser.NoChildren
	}
	_, before := reader.Position()
	node, state := p.BlockParser.Open(parent, reader, pc)
	if node == nil {
		b.spend(rulerWork(reader))
		return nil, state
	}
	if parent.Kind() == ast.KindDocument {
		b.begin(before)
	}
	b.spend(blockWork)
	if len(pc.OpenedBlocks()) >= limits.nesting {
		b.refuse(tooDeep)
	}
	return node, state
}

// begin starts the budget of a top-level block.
func (b *budget) begin(line text.Segment) {
	b.bytes = line.Stop - line.Start
	if b.perUnit > 0 && !b.done() {
		b.left = b.perUnit
	}
	if b.bytes > limits.bytes {
		b.refuse(tooLong)
	}
}

// rulerWork is what it cost to find that a line is no rule and no underline.
func rulerWork(reader text.Reader) int {
	if c, ok := reader.(countedReader); ok {
		reader = c.Reader
	}
	line, _ := reader.PeekLine()
	n := 0
	for n < len(line) && (line[n] == ' ' || line[n] == '\t' || line[n] == '-' || line[n] == '*' || line[n] == '_' || line[n] == '=') {
		n++
	}
	return n
}

func (p countedBlock) Continue(node ast.Node, reader text.Reader, pc parser.Context) parser.State {
	if !budgetOf(pc).spend(peekWork + rulerWork(reader)/4) {
		return parser.Close
	}
	return p.BlockParser.Continue(node, reader, pc)
}

// countBlocks wraps block parsers.
func countBlocks(parsers ...parser.BlockParser) parser.Option {
	var out []util.PrioritizedValue
	for i, p := range parsers {
		out = append(out, util.Prioritized(countedBlock{p}, 100*(i+1)))
	}
	return parser.WithBlockParsers(out...)
}
