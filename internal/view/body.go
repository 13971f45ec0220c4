package view

import (
	"bytes"
	"context"
	"fmt"
	"hash/fnv"

	"cairn/agentclient/conversation"
	"cairn/internal/markdown"
)

// This file keeps the texts of messages on the page in step with the conversation.

// patchBodies appends what is new of the texts of an entry that is otherwise unchanged.
func (v *view) patchBodies(ctx context.Context, f Frame, e *conversation.Entry) (Frame, error) {
	if e.Message != nil {
		return v.patchBody(ctx, f, e)
	}
	var err error
	for _, child := range inCard(e.Subagent) {
		if child.Message != nil {
			if f, err = v.patchBody(ctx, f, child); err != nil {
				return f, err
			}
		}
	}
	return f, nil
}

// patchBody appends what is new of a message's text: blocks that are final now, more of
// the open block, and its tail.
func (v *view) patchBody(ctx context.Context, f Frame, e *conversation.Entry) (Frame, error) {
	id := bodyID(e)
	u, err := v.update(ctx, e)
	if err != nil || !u.Changed {
		return f, err
	}
	if len(u.Closed) > 0 {
		var all bytes.Buffer
		for _, h := range u.Closed {
			all.WriteString(string(h))
		}
		f = append(f, Patch{"#" + id + "-closed", ModeAppend, all.String()})
	}
	switch {
	case u.HeadReset:
		f = append(f, Patch{"#" + id + "-head", ModeInner, string(u.Head)})
	case u.Head != "":
		f = append(f, Patch{"#" + id + "-head", ModeAppend, string(u.Head)})
	}
	return append(f, Patch{"#" + id + "-tail", ModeInner, string(u.Tail)}), nil
}

func (v *view) update(ctx context.Context, e *conversation.Entry) (markdown.Update, error) {
	b := v.body(e)
	u, err := b.stream.Update(ctx)
	b.over = u.Cut || u.Plain
	return u, err
}

// settleBodies forgets the pending updates of an entry that was rendered whole.
func (v *view) settleBodies(ctx context.Context, e *conversation.Entry) error {
	if e.Message != nil && !plain(e.Message.Role) {
		if _, err := v.update(ctx, e); err != nil {
			return err
		}
	}
	if e.Subagent != nil {
		for _, child := range inCard(e.Subagent) {
			if child.Message == nil {
				continue
			}
			if err := v.settleBodies(ctx, child); err != nil {
				return err
			}
		}
	}
	return nil
}

// body brings a message's markdown up to date with its text.
func (v *view) body(e *conversation.Entry) *body {
	b := v.page.bodies[e.Key]
	if b == nil {
		b = new(body)
		v.page.bodies[e.Key] = b
	}
	n := e.Message.Len()
	if b.revision != e.Message.Revision || b.closed && n > b.read { // replaced, or taken up again after its end
		*b = body{revision: e.Message.Revision, begun: b.begun + 1}
	}
	if e.Nested() {
		b.stream.Limit = maxChildPart
	}
	if n > b.read {
		b.stream.Write(e.Message.Slice(b.read))
		b.read = n
	}
	if !b.closed && e.Message.Status != conversation.StatusStreaming {
		b.closed = true
		b.stream.Close()
	}
	return b
}

func (v *view) shownAs(e *conversation.Entry) (s shown) {
	switch {
	case e.Message != nil:
		s.status, s.parts = string(e.Message.Status), uint64(len(e.Message.Parts.Raw))
		if !plain(e.Message.Role) {
			s.add(v.body(e))
		}
	case e.Subagent != nil:
		s.status, s.parts = string(e.Subagent.Status), v.subagentParts(e.Subagent)
		for _, child := range inCard(e.Subagent) {
			if child.Message != nil {
				s.add(v.body(child))
			}
		}
	}
	return s
}

func (s *shown) add(b *body) {
	s.bodies += b.begun
	s.over = s.over || b.over
}

// lately returns what a subagent's card shows of its work: the last things, and fewer in a
// card within a card.
func lately(s *conversation.Subagent, level int) []*conversation.Entry {
	if level == maxLevels {
		return nil
	}
	return s.Entries[max(0, len(s.Entries)-maxChildren>>level):]
}

// inCard returns all that a subagent's card shows, at any depth, in order.
func inCard(s *conversation.Subagent) (all []*conversation.Entry) {
	var walk func(s *conversation.Subagent, level int)
	walk = func(s *conversation.Subagent, level int) {
		for _, e := range lately(s, level) {
			all = append(all, e)
			if e.Subagent != nil {
				walk(e.Subagent, level+1)
			}
		}
	}
	walk(s, 0)
	return all
}

// subagentParts is a number for what a card consists of, besides its texts, which differs
// when that does: tools, and cards in the card, change too rarely to be patched alone.
func (v *view) subagentParts(s *conversation.Subagent) uint64 {
	h := fnv.New64a()
	fmt.Fprint(h, len(s.Entries))
	for _, e := range inCard(s) {
		switch {
		case e.ToolCall != nil:
			t := e.ToolCall
			fmt.Fprint(h, t.Status, min(len(t.Args()), maxRunningArgs+1), len(t.Result), v.thread.Unanswered(t.ID))
		case e.Subagent != nil:
			fmt.Fprint(h, e.Subagent.Status, e.Subagent.Name, len(e.Subagent.Entries))
		}
	}
	return h.Sum64()
}
