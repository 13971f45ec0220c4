package markdown

import (
	"context"

	"github.com/yuin/goldmark/text"
)

// bounds limits what one text may cost. A unit of work is about a nanosecond.
// Work is counted and not timed, so that the same text always becomes the same
// HTML.
type bounds struct {
	html     int // bytes of HTML of a message
	bytes    int // source of one block
	outline  int // work for finding where a block ends
	block    int // work for rendering one block
	message  int // work for rendering all blocks of a message
	open     int // work for rendering 2 KiB of an open block once
	nesting  int // open containers: a quote counts once, a list item twice
	columns  int // of a table
	cells    int // of a table, with those that short rows are padded with
	delims   int // emphasis delimiters of one paragraph
	depth    int // elements within elements
	plain    int // source of one piece of plain text
	checking int // work between two looks at the context
}

// MaxHTML is how much HTML of one message a [Stream] renders, in bytes.
const MaxHTML = 256 << 10

// limits are the bounds in use. Tests lower them.
var limits = bounds{
	html:     MaxHTML,
	bytes:    256 << 10,
	outline:  16_000_000,
	block:    30_000_000,
	message:  120_000_000,
	open:     300_000,
	nesting:  64,
	columns:  100,
	cells:    12_000,
	delims:   4_000,
	depth:    100,
	plain:    2 << 10,
	checking: 500_000,
}

// The reasons for which a block is shown as plain text, as the page words them.
const (
	tooDeep    = "it nests too deeply"
	tooLong    = "it is too long"
	tooWide    = "its table is too large"
	tooComplex = "it has too much markup"
)

// budget is what one parse or rendering may still cost. After it ran out or its
// context ended, the parsers that share it do nothing any more.
type budget struct {
	ctx     context.Context
	left    int
	perUnit int // what left becomes with every top-level block; 0 is never

	unchecked int
	err       error  // of the context
	over      string // why the budget ran out
	reader    text.Reader
	stopped   int  // end of the line at which the budget ran out
	bytes     int  // source of the current block
	outline   bool // only the structure is wanted
	leaf      leaf
}

func newBudget(ctx context.Context, work int) *budget { return &budget{ctx: ctx, left: work} }

// spend takes n units and reports whether work may go on.
func (b *budget) spend(n int) bool {
	if b.done() {
		return false
	}
	b.left -= n
	if b.unchecked += n; b.unchecked >= limits.checking {
		b.unchecked = 0
		b.err = b.ctx.Err()
	}
	if b.left < 0 {
		b.refuse(tooComplex)
	}
	return !b.done()
}

func (b *budget) refuse(why string) {
	if b.done() {
		return
	}
	b.over = why
	if b.reader != nil {
		_, line := b.reader.Position()
		b.stopped = line.Stop
	}
}

func (b *budget) done() bool { return b.over != "" || b.err != nil }

// over is the error for what is over its budget: the reason as the page words it.
type over string

func (o over) Error() string { return string(o) }

// failed returns the context's error or, when the budget ran out, an over.
func (b *budget) failed() error {
	switch {
	case b.err != nil:
		return b.err
	case b.over != "":
		return over(b.over)
	}
	return nil
}
