package view

import (
	"bytes"
	"context"
	"maps"
	"slices"

	"github.com/a-h/templ"

	"cairn/agentclient/conversation"
	"cairn/agui"
	"cairn/components"
	"cairn/internal/markdown"
)

// page remembers what the tabs show, so that a frame holds only differences.
type page struct {
	shown    map[int]shown // by entry key
	bodies   map[int]*body // by message key, of children too
	typing   bool
	again    string
	composer components.Composer
	panel    string // rendered
}

// shown is what decides whether an entry can be patched in place.
type shown struct {
	status string // of a message or a subagent
	parts  int    // messages and tools of a subagent
	bodies int    // how often the text was begun anew
}

// body is the markdown of one message as far as it has been read.
type body struct {
	stream   markdown.Stream
	read     int // bytes of the message given to the stream
	revision int // of the message that they are of
	begun    int // how often it was begun anew
	closed   bool
}

func newPage() page {
	return page{shown: map[int]shown{}, bodies: map[int]*body{}}
}

// frame renders what changed since the last frame. Its cost is that of the
// changed entries, and for text that of the new text.
func (v *view) frame() Frame {
	var f Frame
	c := &v.changed
	if c.structure {
		f = append(f, v.allItems())
	} else {
		for _, key := range slices.Sorted(maps.Keys(c.keys)) {
			f = v.patchEntry(f, key)
		}
		if on := v.typing(); on != v.page.typing {
			v.page.typing = on
			f = append(f, Patch{"#typing", ModeOuter, render(components.TypingView(on))})
		}
		f = v.patchAgain(f)
	}
	if now := v.composer(); now != v.page.composer {
		v.page.composer = now
		f = append(f, Patch{"#composer-state", ModeOuter, render(components.ComposerState(now))})
	}
	if c.state || c.run {
		if now := render(components.PanelView(v.panel.View())); now != v.page.panel {
			v.page.panel = now
			f = append(f, Patch{"#panel", ModeOuter, now})
		}
	}
	clear(c.keys)
	c.state, c.run, c.structure = false, false, false
	return f
}

// patchAgain brings the offer of another answer to the end of the conversation, or
// takes it off the page.
func (v *view) patchAgain(f Frame) Frame {
	now, was := v.again(), v.page.again
	if now == was {
		return f
	}
	v.page.again = now
	if was != "" {
		f = append(f, Patch{"#again", ModeRemove, ""})
	}
	if now != "" {
		f = append(f, Patch{"#typing", ModeBefore, render(components.AgainView(now))})
	}
	return f
}

// snapshot is the whole page. It changes nothing that a later frame relies on:
// flush before it.
func (v *view) snapshot() Frame {
	return Frame{
		v.allItems(),
		{"#composer-state", ModeOuter, render(components.ComposerState(v.composer()))},
		{"#panel", ModeOuter, render(components.PanelView(v.panel.View()))},
	}
}

// allItems renders every entry anew and notes that it is shown.
func (v *view) allItems() Patch {
	chat := v.chat()
	clear(v.page.shown)
	for _, e := range v.thread.Conversation.Entries() {
		if v.visible(e) {
			v.page.shown[e.Key] = v.shownAs(e)
		}
	}
	for _, b := range v.page.bodies {
		b.stream.Update()
	}
	v.page.typing, v.page.again = chat.Typing, chat.Again
	return Patch{"#chat-items", ModeOuter, render(components.ChatItems(chat))}
}

// patchEntry appends the patches that bring one entry up to date.
func (v *view) patchEntry(f Frame, key int) Frame {
	e := v.thread.Conversation.Entry(key)
	if e == nil {
		return f
	}
	was, on := v.page.shown[key]
	switch visible := v.visible(e); {
	case !visible && !on:
		return f
	case !visible:
		delete(v.page.shown, key)
		return append(f, Patch{"#" + itemID(e), ModeRemove, ""})
	case !on:
		f = append(f, Patch{"#typing", ModeBefore, render(components.ItemView(v.item(e)))})
	default:
		now := v.shownAs(e)
		if now == was && e.Message != nil && !plain(e.Message.Role) {
			return v.patchBody(f, e)
		}
		if now == was && e.Subagent != nil {
			for _, child := range e.Subagent.Entries {
				if child.Message != nil {
					f = v.patchBody(f, child)
				}
			}
			return f
		}
		f = append(f, Patch{"#" + itemID(e), ModeOuter, render(components.ItemView(v.item(e)))})
	}
	v.page.shown[key] = v.shownAs(e)
	v.settleBodies(e)
	return f
}

// patchBody sends what is new of a message's text: blocks that are final now, more
// of the open block, and its tail.
func (v *view) patchBody(f Frame, e *conversation.Entry) Frame {
	id := bodyID(e)
	u := v.body(e).stream.Update()
	if !u.Changed {
		return f
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
	return append(f, Patch{"#" + id + "-tail", ModeInner, string(u.Tail)})
}

// settleBodies forgets the pending updates of an entry that was rendered whole.
func (v *view) settleBodies(e *conversation.Entry) {
	if e.Message != nil {
		v.body(e).stream.Update()
	}
	if e.Subagent != nil {
		for _, child := range e.Subagent.Entries {
			v.settleBodies(child)
		}
	}
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

func (v *view) shownAs(e *conversation.Entry) shown {
	switch {
	case e.Message != nil:
		s := shown{status: string(e.Message.Status)}
		if !plain(e.Message.Role) {
			s.bodies = v.body(e).begun
		}
		return s
	case e.Subagent != nil:
		s := shown{status: string(e.Subagent.Status), parts: subagentParts(e.Subagent)}
		for _, child := range e.Subagent.Entries {
			if child.Message != nil {
				s.bodies += v.body(child).begun
			}
		}
		return s
	}
	return shown{}
}

// plain says whose text is shown as it is, without markdown.
func plain(r agui.Role) bool { return r == agui.RoleUser || r == agui.RoleSystem }

// subagentParts counts what a card consists of; tool cards of a child change too
// rarely to be patched alone, so their state counts as well.
func subagentParts(s *conversation.Subagent) int {
	n := 0
	for _, e := range s.Entries {
		n++
		if e.ToolCall != nil && e.ToolCall.Status != conversation.ToolRunning {
			n++
		}
	}
	return n
}

// render makes markup of a component. Components fail only when their writer does.
func render(c templ.Component) string {
	var b bytes.Buffer
	if err := c.Render(context.Background(), &b); err != nil {
		panic("view: " + err.Error())
	}
	return b.String()
}
