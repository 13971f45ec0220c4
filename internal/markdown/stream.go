package markdown

import (
	"context"
	"slices"
	"strings"
)

// OpenBlockLimit is how much of an open block is rendered again and again, in
// bytes of source. What is over it moves from the tail to the head.
const OpenBlockLimit = 2 << 10

// Stream renders a text while it arrives. The zero value is ready. It is used by
// one goroutine at a time.
//
// The text is cut into blocks where CommonMark begins a new one at top level.
// That depends on complete lines alone and is never taken back, so a closed
// block is rendered once, and however the text is split into deltas the same
// blocks come out. The block that is still open is shown in two parts: a head
// that was frozen to keep updates small, and a tail that is rendered anew, with
// half-finished syntax completed.
//
// A block that costs more than its budget is shown as plain text. Of a text
// beyond MaxHTML nothing is shown, and Cut is set.
type Stream struct {
	// Limit is how many bytes of HTML are rendered at most, 0 for MaxHTML. It does not
	// change after the first Write.
	Limit int

	norm normaliser
	done bool
	// open is the text from the first byte of the open block.
	open []byte
	// begun counts the blocks that were begun; it tells the open block from those
	// before it.
	begun int
	// searched is how much of open was looked at for a block boundary.
	searched int
	// frozen is how much of open is in head, and at is where that point lies in
	// the block's structure.
	frozen int
	at     place
	// confirm is the length of open at which a frozen block is parsed as a whole
	// whatever its remainder looks like; alarm says that the remainder looked
	// like an end and was not, so that only confirm counts.
	confirm int
	alarm   bool
	// run divides the open block when it is over its budget.
	run      plainRun
	plainRun bool

	closed     []HTML
	closedSize int
	head       []HTML
	headSize   int
	tail       HTML
	stale      bool // tail does not show the end of open

	cut       bool // MaxHTML is reached: nothing is rendered any more
	full      bool // the open block does not fit below MaxHTML
	anyPlain  bool // a closed block is shown plain
	lastPlain bool // the last closed block is shown plain
	openPlain bool // a part of the open block is shown plain
	spent     int  // work of the closed blocks
	ink       ink  // of all blocks

	// State of the page after the last Update.
	shown struct {
		closed, head, block int
		tail                HTML
		cut, plain          bool
	}
}

// Update is what changed since the last one, in the order in which it is to be
// applied.
type Update struct {
	// Closed are blocks that became final, to be appended to the closed ones.
	Closed []HTML
	// HeadReset reports whether to empty the head: its block is among Closed now.
	HeadReset bool
	// Head is more of the open block that will not change until it closes, to be
	// appended to the head.
	Head HTML
	// Tail replaces the tail.
	Tail HTML
	// Cut reports whether text beyond MaxHTML is not shown.
	Cut bool
	// Plain reports whether a block is shown as plain text because it is over its
	// budget.
	Plain bool
	// Changed is false when there is nothing to apply.
	Changed bool
}

// Body is everything that is shown. Its slice is not to be changed.
type Body struct {
	Closed     []HTML
	Head, Tail HTML
	Cut, Plain bool // as in Update
}

// Write appends text. Control characters and line ends are normalised.
func (s *Stream) Write(delta string) {
	if delta != "" && !s.done && !s.cut {
		s.open = s.norm.append(s.open, delta)
		s.stale = true
	}
}

// Close ends the text: what is open becomes closed, and later writes are
// ignored.
func (s *Stream) Close() {
	if !s.done {
		s.done, s.stale = true, true
	}
}

// Size returns the bytes of HTML in a Body as of the last Advance, Update or Body.
func (s *Stream) Size() int { return s.closedSize + s.headSize + len(s.tail) }

// Update returns what changed since the last Update. A tab that joins gets a
// Body after the others got an Update, or would be sent the difference twice.
// It fails only with the error of ctx; then nothing counts as sent, and it may be
// called again.
func (s *Stream) Update(ctx context.Context) (Update, error) {
	if err := s.Advance(ctx); err != nil {
		return Update{}, err
	}
	was := &s.shown
	u := Update{
		Closed: s.closed[was.closed:len(s.closed):len(s.closed)],
		Tail:   s.tail, Cut: s.cut || s.full, Plain: s.anyPlain || s.openPlain,
	}
	if was.block != s.begun {
		// The head on the page belongs to a block that has closed.
		u.HeadReset = was.head > 0
		was.head = 0
	}
	u.Head = join(s.head[was.head:])
	u.Changed = len(u.Closed) > 0 || u.HeadReset || u.Head != "" || u.Tail != was.tail || u.Cut != was.cut || u.Plain != was.plain
	was.closed, was.head, was.block = len(s.closed), len(s.head), s.begun
	was.tail, was.cut, was.plain = u.Tail, u.Cut, u.Plain
	return u, nil
}

// Body returns everything written so far. It does not change what the next
// Update is relative to. It fails as Update does.
func (s *Stream) Body(ctx context.Context) (Body, error) {
	if err := s.Advance(ctx); err != nil {
		return Body{}, err
	}
	return Body{slices.Clip(s.closed), join(s.head), s.tail, s.cut || s.full, s.anyPlain || s.openPlain}, nil
}

func join(parts []HTML) HTML {
	if len(parts) == 1 {
		return parts[0]
	}
	var b strings.Builder
	for _, p := range parts {
		b.WriteString(string(p))
	}
	return HTML(b.String())
}

// Advance renders what was written since the last Advance, Update or Body. When ctx
// ends, what was done until then stays.
func (s *Stream) Advance(ctx context.Context) error {
	if !s.stale {
		return nil
	}
	if err := s.closeBlocks(ctx); err != nil {
		return err
	}
	if err := s.showOpen(ctx); err != nil {
		return err
	}
	s.stale = false
	return nil
}

// showOpen renders what is new of the open block.
func (s *Stream) showOpen(ctx context.Context) error {
	if s.full || s.cut || s.done {
		s.tail = ""
		return nil
	}
	if s.plainRun {
		tail, err := sanitise(ctx, plainHTML(trimPartialRune(s.open)))
		s.setTail(tail, true)
		return err
	}
	if len(s.open)-s.frozen > OpenBlockLimit {
		if err := s.freeze(ctx); err != nil || s.full {
			return err
		}
	}
	colours := s.ink.tailPalette(ctx, s.colourable(s.room()))
	tail, plain, err := s.at.render(ctx, s.open[s.frozen:], true, s.room(), colours)
	if err == nil {
		s.ink.tail += colours.used
		s.setTail(tail, plain)
	}
	return err
}

// room is how many bytes of HTML may still come.
func (s *Stream) room() int { return s.limit() - s.closedSize - s.headSize }

func (s *Stream) limit() int {
	if s.Limit > 0 {
		return s.Limit
	}
	return limits.html
}

func (s *Stream) setTail(tail HTML, plain bool) {
	s.openPlain = s.openPlain || plain
	if s.tail = tail; len(tail) > s.room() {
		s.fill()
	}
}

// fill notes that the open block does not fit: no more of it is shown, and it is
// looked at again when it is twice as long.
func (s *Stream) fill() {
	s.full, s.tail, s.confirm = true, "", 2*len(s.open)
}

// freeze moves most of the tail to the head.
func (s *Stream) freeze(ctx context.Context) error {
	n, next, err := s.at.cut(ctx, s.open[s.frozen:])
	if err != nil {
		return err
	}
	colours := s.ink.headPalette(ctx, s.colourable(s.room()))
	html, plain, err := s.at.render(ctx, s.open[s.frozen:s.frozen+n], false, s.room(), colours)
	if err != nil {
		return err
	}
	s.ink.head += colours.used
	if len(html) > s.room() {
		s.fill()
		return nil
	}
	if html != "" {
		s.head = append(s.head, html)
		s.headSize += len(html)
	}
	next.plain = next.plain || plain
	s.openPlain = s.openPlain || plain
	s.frozen += n
	s.at = next
	return nil
}
