package view

import (
	"bytes"
	"context"
	"fmt"
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
	from     int           // index of the first entry of the live window
	shown    map[int]shown // by entry key
	bodies   map[int]*body // by message key, of children too
	sizes    map[int]int   // of entries without a body, by key; see size
	typing   bool
	again    string
	composer components.Composer
	panel    string // rendered
	// whole is the page for a tab that joins, nil when it has changed since it was
	// rendered. asking is the phase of the open approval that it shows.
	whole  Frame
	asking string
}

// shown is what decides whether an entry can be patched in place.
type shown struct {
	status string // of a message or a subagent
	parts  uint64 // what a subagent's card consists of, or how large a message's parts are
	bodies int    // how often the text was begun anew
	over   bool   // the text is cut, or shown as plain text
}

// body is the markdown of one message as far as it has been read.
type body struct {
	stream   markdown.Stream
	read     int // bytes of the message given to the stream
	revision int // of the message that they are of
	begun    int // how often it was begun anew
	closed   bool
	over     bool // the text is cut, or shown as plain text
}

func newPage() page {
	return page{shown: map[int]shown{}, bodies: map[int]*body{}, sizes: map[int]int{}}
}

// frame renders what changed since the last frame. Its cost is that of the changed
// entries, and for text that of the new text; it ends with ctx.
func (v *view) frame(ctx context.Context) (Frame, error) {
	if v.plain != nil {
		return v.plain.frame(ctx, v)
	}
	var f Frame
	var err error
	c := &v.changed
	whole := c.structure
	if !whole {
		if f, whole, err = v.changedItems(ctx, f); err != nil {
			return nil, err
		}
	}
	if whole {
		all, err := v.allItems(ctx)
		if err != nil {
			return nil, err
		}
		f = Frame{all}
	}
	if now := v.composer(); now != v.page.composer {
		v.page.composer = now
		if f, err = v.patch(ctx, f, "#composer-state", ModeOuter, components.ComposerState(now)); err != nil {
			return nil, err
		}
	}
	if c.state || c.run {
		now, err := render(ctx, components.PanelView(v.panelView()))
		if err != nil {
			return nil, err
		}
		if now != v.page.panel {
			v.page.panel = now
			f = append(f, Patch{"#panel", ModeOuter, now})
		}
	}
	clear(c.keys)
	c.state, c.run, c.structure = false, false, false
	return f, nil
}

// changedItems appends the patches of what changed in the live window. whole is true
// when the window has to be drawn anew instead.
func (v *view) changedItems(ctx context.Context, f Frame) (_ Frame, whole bool, err error) {
	for _, key := range slices.Sorted(maps.Keys(v.changed.keys)) {
		if f, whole, err = v.patchEntry(ctx, f, key); err != nil || whole {
			return f, whole, err
		}
	}
	if on := v.typing(); on != v.page.typing {
		v.page.typing = on
		if f, err = v.patch(ctx, f, "#typing", ModeOuter, components.TypingView(on)); err != nil {
			return f, false, err
		}
	}
	if f, err = v.patchAgain(ctx, f); err != nil || len(f) == 0 {
		return f, false, err
	}
	return v.slide(ctx, f)
}

// patchAgain adds the offer of another answer to the end of the conversation, or
// removes it.
func (v *view) patchAgain(ctx context.Context, f Frame) (Frame, error) {
	now, was := v.regenerateURL(), v.page.again
	if now == was {
		return f, nil
	}
	v.page.again = now
	if was != "" {
		f = append(f, Patch{"#again", ModeRemove, ""})
	}
	if now == "" {
		return f, nil
	}
	return v.patch(ctx, f, "#typing", ModeBefore, components.AgainView(now))
}

// snapshot is the whole page, rendered once for all tabs that join before it changes. It
// changes nothing that a later frame relies on: flush before it.
func (v *view) snapshot(ctx context.Context) (Frame, error) {
	if v.plain != nil {
		return v.plain.snapshot(ctx, v)
	}
	asking := ""
	if a := v.thread.Open(); a != nil {
		asking, _ = v.approvalPhase(a) // it may have run out without a new row
	}
	if v.page.whole != nil && v.page.asking == asking {
		return v.page.whole, nil
	}
	items, err := v.allItems(ctx)
	if err != nil {
		return nil, err
	}
	rest, err := v.aroundItems(ctx, v.composer(), v.panelView())
	if err != nil {
		return nil, err
	}
	v.page.whole, v.page.asking = append(Frame{items}, rest...).oneLine(), asking
	return v.page.whole, nil
}

// wholeFrame is a page as one frame.
func (v *view) wholeFrame(ctx context.Context, r Run) (Frame, error) {
	items, err := v.patch(ctx, nil, "#chat-items", ModeOuter, components.ChatItems(r.Chat))
	if err != nil {
		return nil, err
	}
	rest, err := v.aroundItems(ctx, r.Chat.Composer, r.Panel)
	return append(items, rest...).oneLine(), err
}

// aroundItems is what a page shows beside the conversation.
func (v *view) aroundItems(ctx context.Context, c components.Composer, p components.Panel) (f Frame, err error) {
	if f, err = v.patch(ctx, f, "#composer-state", ModeOuter, components.ComposerState(c)); err != nil {
		return nil, err
	}
	return v.patch(ctx, f, "#panel", ModeOuter, components.PanelView(p))
}

// allItems renders the live window and remembers that it is shown.
func (v *view) allItems(ctx context.Context) (Patch, error) {
	w, _, err := v.window(ctx, Place{})
	if err != nil {
		return Patch{}, err
	}
	chat, err := v.chat(ctx, w)
	if err != nil {
		return Patch{}, err
	}
	html, err := render(ctx, components.ChatItems(chat))
	if err != nil {
		return Patch{}, err
	}
	v.page.from = w.from
	clear(v.page.shown)
	bodies := v.page.bodies
	v.page.bodies = map[int]*body{} // of entries that are not on the page, nothing is kept
	for _, e := range v.thread.Conversation.Entries()[w.from:] {
		if !v.visible(e) {
			continue
		}
		v.keepBodies(e, bodies)
		v.page.shown[e.Key] = v.shownAs(e)
	}
	for _, b := range v.page.bodies {
		if _, err := b.stream.Update(ctx); err != nil {
			return Patch{}, err
		}
	}
	v.page.typing, v.page.again = chat.Typing, chat.Again
	return Patch{"#chat-items", ModeOuter, html}, nil
}

// keepBodies takes over what was rendered of an entry's texts.
func (v *view) keepBodies(e *conversation.Entry, from map[int]*body) {
	if b := from[e.Key]; b != nil {
		v.page.bodies[e.Key] = b
	}
	if e.Subagent != nil {
		for _, child := range inCard(e.Subagent) {
			if b := from[child.Key]; b != nil {
				v.page.bodies[child.Key] = b
			}
		}
	}
}

// patchEntry appends the patches that bring one entry up to date. whole is true when
// its place is inside the window and not at its end.
func (v *view) patchEntry(ctx context.Context, f Frame, key int) (_ Frame, whole bool, err error) {
	e := v.thread.Conversation.Entry(key)
	if e == nil {
		return f, false, nil
	}
	was, on := v.page.shown[key]
	visible := v.visible(e)
	switch {
	case !visible && !on:
		return f, false, nil
	case !visible:
		v.forgetEntry(e)
		return append(f, Patch{"#" + itemID(e), ModeRemove, ""}), false, nil
	case !on:
		inside, last := v.placeOf(e)
		if !inside || !last {
			return f, inside, nil
		}
		if f, err = v.patchItem(ctx, f, "#typing", ModeBefore, e); err != nil {
			return f, false, err
		}
	default:
		if v.shownAs(e) == was && (e.Subagent != nil || e.Message != nil && !plain(e.Message.Role)) {
			before := len(f)
			f, err = v.patchBodies(ctx, f, e)
			if err != nil || v.shownAs(e) == was {
				return f, false, err
			}
			f = f[:before] // the text exceeds its budget from here on, and the page notes it
		}
		if f, err = v.patchItem(ctx, f, "#"+itemID(e), ModeOuter, e); err != nil {
			return f, false, err
		}
	}
	v.page.shown[key] = v.shownAs(e)
	return f, false, v.settleBodies(ctx, e)
}

// placeOf reports whether an entry that is not shown is inside the live window, and
// whether everything that is shown stands before it.
func (v *view) placeOf(e *conversation.Entry) (inside, last bool) {
	last = true
	entries := v.thread.Conversation.Entries()
	for _, other := range slices.Backward(entries[min(v.page.from, len(entries)):]) {
		if other == e {
			return true, last
		}
		if _, on := v.page.shown[other.Key]; on {
			last = false
		}
	}
	return false, false
}

func (v *view) patchItem(ctx context.Context, f Frame, selector string, mode Mode, e *conversation.Entry) (Frame, error) {
	it, err := v.item(ctx, e)
	if err != nil {
		return f, err
	}
	return v.patch(ctx, f, selector, mode, components.ItemView(it))
}

func (v *view) patch(ctx context.Context, f Frame, selector string, mode Mode, c templ.Component) (Frame, error) {
	html, err := render(ctx, c)
	if err != nil {
		return f, err
	}
	return append(f, Patch{selector, mode, html}), nil
}

// render makes markup of a component. It ends with ctx.
func render(ctx context.Context, c templ.Component) (string, error) {
	var b bytes.Buffer
	if err := c.Render(ctx, &b); err != nil {
		return "", fmt.Errorf("render: %w", err)
	}
	return b.String(), nil
}

// plain reports whether text of the role is shown as it is, without markdown.
func plain(r agui.Role) bool { return r == agui.RoleUser || r == agui.RoleSystem }
