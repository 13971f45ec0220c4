package markdown

import (
	"bytes"
	"context"
	"strings"
)

// closeBlocks renders the blocks of open that ended.
func (s *Stream) closeBlocks(ctx context.Context) error {
	for window := 2 * limits.bytes; !s.cut; {
		if err := ctx.Err(); err != nil {
			return err
		}
		if s.plainRun {
			if err := s.closePlain(ctx); err != nil || s.plainRun {
				return err
			}
			continue
		}
		s.dropBlank()
		lines := s.lines(window)
		if lines == s.searched && !s.done || !s.mayHaveEnded(ctx, lines) {
			return nil
		}
		tree, b := outline(ctx, s.open[:lines], limits.outline)
		if b.err != nil {
			return b.err
		}
		starts := topLevel(tree, s.open[:lines])
		last := lines == len(s.open) && s.done
		switch {
		case len(starts) > 1:
			read := !b.done() && lines == s.lines(len(s.open))
			if err := s.closeUpTo(ctx, starts); err != nil {
				return err
			}
			if read {
				s.searched = s.lines(len(s.open))
			}
		case b.done():
			from := 0
			if len(starts) == 1 {
				from = starts[0]
			}
			if err := s.beginPlain(ctx, b.over, b.stopped-from); err != nil {
				return err
			}
			s.open = s.open[from:]
		case last:
			if err := s.finish(ctx, s.open); err != nil {
				return err
			}
			s.openBlock(len(s.open))
			return nil
		case lines < s.lines(len(s.open)):
			window *= 2
		default:
			s.searched = lines
			s.alarm = s.frozen > 0 && len(s.open) < s.confirm
			s.confirm = 2 * len(s.open)
			return nil
		}
	}
	s.openBlock(len(s.open)) // nothing is rendered any more
	return nil
}

// lines is how much of open, up to the given length or the end of the first line,
// is complete lines.
func (s *Stream) lines(window int) int {
	if window >= len(s.open) {
		if s.done {
			return len(s.open)
		}
		return bytes.LastIndexByte(s.open, '\n') + 1
	}
	if n := bytes.LastIndexByte(s.open[:window], '\n') + 1; n > 0 {
		return n
	}
	if n := bytes.IndexByte(s.open[window:], '\n') + 1; n > 0 {
		return window + n
	}
	return s.lines(len(s.open))
}

// dropBlank leaves out empty lines before a block.
func (s *Stream) dropBlank() {
	if s.frozen > 0 {
		return
	}
	text := bytes.TrimLeft(s.open, " \t\n")
	n := lineStart(s.open, len(s.open)-len(text))
	if len(text) == 0 && s.done {
		n = len(s.open)
	}
	s.open = s.open[n:]
	s.searched = max(0, s.searched-n)
}

// mayHaveEnded spares a frozen block from being parsed whole at every line: its
// remainder, parsed in its place, tells whether that is worth it.
func (s *Stream) mayHaveEnded(ctx context.Context, lines int) bool {
	switch {
	case s.done, len(s.open) >= s.confirm:
		return true
	case s.full:
		return false
	case s.frozen == 0:
		return true
	}
	return !s.alarm && lines > s.frozen && s.at.mayEnd(ctx, s.open[s.frozen:lines])
}

// closeUpTo renders all blocks that begin at starts but the last one.
func (s *Stream) closeUpTo(ctx context.Context, starts []int) error {
	from := 0
	defer func() {
		if from > 0 {
			s.openBlock(from)
		}
	}()
	for _, next := range starts[1:] {
		if err := s.finish(ctx, s.open[from:next]); err != nil {
			return err
		}
		from = next
	}
	return nil
}

// openBlock begins a block at offset from: nothing of it is frozen.
func (s *Stream) openBlock(from int) {
	s.open = bytes.Clone(s.open[min(from, len(s.open)):])
	s.begun++
	s.head, s.headSize, s.tail, s.full, s.openPlain = nil, 0, "", false, false
	s.searched, s.frozen, s.at, s.confirm, s.alarm = 0, 0, place{}, 0, false
}

// finish adds a final block.
func (s *Stream) finish(ctx context.Context, src []byte) error {
	if s.cut {
		return nil
	}
	b := newBudget(ctx, min(limits.block, limits.message-s.spent))
	room := s.limit() - s.closedSize
	work, colours := b.left, s.ink.finalPalette(ctx, s.colourable(room))
	had := colours.bytes
	html, err := renderBlock(src, b, room, colours)
	if err == over(tooLong) && colours.bytes < had {
		b = newBudget(ctx, max(0, b.left))
		html, err = renderBlock(src, b, room, &palette{ctx: ctx})
	}
	if why, ok := err.(over); ok {
		err = s.addPlain(ctx, src, string(why))
	} else if err == nil && strings.TrimSpace(string(html)) != "" {
		s.add(html, false)
	}
	if err == nil {
		s.spent += work - max(0, b.left)
		s.ink.final += colours.used
		s.ink.coloured += had - colours.bytes
	}
	return err
}

// add appends a final block unless it does not fit.
func (s *Stream) add(html HTML, plain bool) {
	if s.cut = s.cut || s.closedSize+len(html) > s.limit(); s.cut {
		return
	}
	s.closed = append(s.closed, html)
	s.closedSize += len(html)
	s.lastPlain, s.anyPlain = plain, s.anyPlain || plain
}

// addPlain adds a final block as plain text.
func (s *Stream) addPlain(ctx context.Context, src []byte, why string) error {
	room := s.limit() - s.closedSize
	var pieces []HTML
	for run := newPlainRun(len(src)); len(src) > 0 && room >= 0; {
		n, _ := run.piece(src, true)
		html, err := sanitise(ctx, plainHTML(src[:n]))
		if err != nil {
			return err
		}
		pieces = append(pieces, html)
		src, room = src[n:], room-len(html)
	}
	if err := s.say(ctx, why); err != nil {
		return err
	}
	for _, html := range pieces {
		if html != "" {
			s.add(html, true)
		}
	}
	return nil
}

// say adds the sentence before plain text, once for blocks that follow each other.
func (s *Stream) say(ctx context.Context, why string) error {
	if s.lastPlain {
		return nil
	}
	html, err := sanitise(ctx, said(why))
	if err == nil {
		s.add(html, true)
	}
	return err
}

// beginPlain goes on with the open block as plain text, of which the first lead
// bytes belong to the block whatever they are.
func (s *Stream) beginPlain(ctx context.Context, why string, lead int) error {
	if err := s.say(ctx, why); err != nil {
		return err
	}
	s.openBlock(0)
	s.plainRun, s.run = true, newPlainRun(lead)
	return nil
}

// closePlain adds what is complete of a block that is shown as plain text.
func (s *Stream) closePlain(ctx context.Context) error {
	for !s.cut {
		run := s.run
		n, ended := run.piece(s.open, s.done)
		if n == 0 && !ended && len(s.open) > 0 || len(s.open) == 0 && !s.done {
			return nil
		}
		html, err := sanitise(ctx, plainHTML(s.open[:n]))
		if err != nil {
			return err
		}
		s.run, s.open = run, s.open[n:]
		if html != "" {
			s.add(html, true)
		}
		if ended || len(s.open) == 0 && s.done {
			s.plainRun = false
			s.openBlock(0)
			return nil
		}
	}
	return nil
}
