package markdown

import (
	"bytes"
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
type Stream struct {
	norm normaliser
	done bool
	// open is the text from the first byte of the open block.
	open []byte
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

	closed []HTML
	head   []HTML
	tail   HTML
	stale  bool // tail does not show the end of open

	// What the last Update left the page with.
	shown struct {
		closed, head, block int
		tail                HTML
	}
}

// Update is what changed since the last one, in the order in which it is to be
// applied.
type Update struct {
	// Closed are blocks that became final, to be appended to the closed ones.
	Closed []HTML
	// HeadReset says to empty the head: its block is among Closed now.
	HeadReset bool
	// Head is more of the open block that will not change until it closes, to be
	// appended to the head.
	Head HTML
	// Tail replaces the tail.
	Tail HTML
	// Changed is false when there is nothing to apply.
	Changed bool
}

// Body is everything that is shown. Its slice is not to be changed.
type Body struct {
	Closed     []HTML
	Head, Tail HTML
}

// Write appends text. Control characters and line ends are normalised.
func (s *Stream) Write(delta string) {
	if delta != "" && !s.done {
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

// Update returns what changed since the last Update. Someone who joins gets a
// Body after the others got an Update, or would be sent the difference twice.
func (s *Stream) Update() Update {
	s.advance()
	u := Update{Closed: s.closed[s.shown.closed:len(s.closed):len(s.closed)], Tail: s.tail}
	if s.shown.block != len(s.closed) {
		// The head on the page belongs to a block that has closed.
		u.HeadReset = s.shown.head > 0
		s.shown.head = 0
	}
	u.Head = join(s.head[s.shown.head:])
	u.Changed = len(u.Closed) > 0 || u.HeadReset || u.Head != "" || u.Tail != s.shown.tail
	s.shown.closed, s.shown.block = len(s.closed), len(s.closed)
	s.shown.head, s.shown.tail = len(s.head), s.tail
	return u
}

// Body returns everything written so far. It does not change what the next
// Update is relative to.
func (s *Stream) Body() Body {
	s.advance()
	return Body{Closed: slices.Clip(s.closed), Head: join(s.head), Tail: s.tail}
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

// advance brings closed, head and tail up to what was written.
func (s *Stream) advance() {
	if !s.stale {
		return
	}
	s.stale = false
	s.closeBlocks()
	if s.done {
		s.finish(s.open)
		s.openBlock()
		s.open, s.tail = nil, ""
		return
	}
	if len(s.open)-s.frozen > OpenBlockLimit {
		s.freeze()
	}
	s.tail = s.at.render(s.open[s.frozen:], true)
}

// closeBlocks renders the blocks of open that ended.
func (s *Stream) closeBlocks() {
	lines := bytes.LastIndexByte(s.open, '\n') + 1
	if s.done {
		lines = len(s.open)
	}
	if lines == s.searched || !s.mayHaveEnded(lines) {
		return
	}
	s.searched = lines
	starts := blockStarts(s.open[:lines])
	if len(starts) < 2 {
		s.alarm = s.frozen > 0 && len(s.open) < s.confirm
		s.confirm = 2 * len(s.open)
		return
	}
	from := 0
	for _, next := range starts[1:] {
		s.finish(s.open[from:next])
		from = next
	}
	s.open = bytes.Clone(s.open[from:])
	s.searched = lines - from
	s.openBlock()
}

// openBlock begins a block: nothing of it is frozen.
func (s *Stream) openBlock() {
	s.head, s.frozen, s.at, s.confirm, s.alarm = nil, 0, place{}, 0, false
}

// mayHaveEnded spares a frozen block from being parsed whole at every line: its
// remainder, parsed in its place, tells whether that is worth it.
func (s *Stream) mayHaveEnded(lines int) bool {
	if s.frozen == 0 || s.done || len(s.open) >= s.confirm {
		return true
	}
	return !s.alarm && lines > s.frozen && s.at.mayEnd(s.open[s.frozen:lines])
}

// finish adds a final block.
func (s *Stream) finish(src []byte) {
	if html := renderBlock(src); strings.TrimSpace(string(html)) != "" {
		s.closed = append(s.closed, html)
	}
}

// freeze moves most of the tail to the head.
func (s *Stream) freeze() {
	n, next := s.at.cut(s.open[s.frozen:])
	s.head = append(s.head, s.at.render(s.open[s.frozen:s.frozen+n], false))
	s.frozen += n
	s.at = next
}
