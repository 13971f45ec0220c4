package view

import (
	"context"
	"slices"

	"cairn/agentclient/conversation"
	"cairn/components"
)

// A page shows a window of the conversation. Its size is checked against sizes that
// are known before the page is put together.
const (
	// maxItems and maxItemsHTML bound what a page shows of a conversation; the second
	// is in bytes. One item may be larger than that alone: see maxItem.
	maxItems     = 200
	maxItemsHTML = 320 << 10
	// maxPassed bounds how many entries a window passes over that show nothing.
	maxPassed = 2000
	// itemHTML is what the markup around a text counts, in bytes.
	itemHTML = 1 << 10
)

// Place is the part of a conversation that a page shows. The zero value is its end,
// which grows as the conversation does.
type Place struct {
	Before int // the entries before the one with this key
	At     int // the entry with this key, and those around it
}

// window is a range of the conversation's entries, by index.
type window struct{ from, to int }

// window returns the part of the conversation that a place means. live is true when
// that is its end.
func (v *view) window(ctx context.Context, p Place) (w window, live bool, err error) {
	entries := v.thread.Conversation.Entries()
	index := func(key int) int {
		return slices.IndexFunc(entries, func(e *conversation.Entry) bool { return e.Key == key })
	}
	w.to = len(entries)
	if w.from, err = v.backFrom(ctx, w.to, maxItems, maxItemsHTML); err != nil {
		return w, true, err
	}
	at := -1
	if p.Before > 0 {
		at = index(p.Before) - 1
	} else if p.At > 0 {
		at = index(p.At)
	}
	if at < 0 || p.Before == 0 && at >= w.from {
		return w, true, nil
	}
	w.to = at + 1
	if p.At > 0 { // up to half of the page is what follows
		if w.to, err = v.forwardTo(ctx, w.to, maxItems/2, maxItemsHTML/2); err != nil {
			return w, false, err
		}
		w.from, err = v.backFrom(ctx, at+1, maxItems/2, maxItemsHTML/2)
		return w, false, err
	}
	w.from, err = v.backFrom(ctx, w.to, maxItems, maxItemsHTML)
	return w, false, err
}

// backFrom returns the index of the first of the entries before to that fit together.
// There is at least one.
func (v *view) backFrom(ctx context.Context, to, items, html int) (from int, err error) {
	entries, shown := v.thread.Conversation.Entries(), 0
	for from = to; from > 0 && to-from < maxPassed; from-- {
		e := entries[from-1]
		if !v.visible(e) {
			continue
		}
		n, err := v.size(ctx, e)
		if err != nil {
			return from, err
		}
		if html -= n; shown > 0 && html < 0 || shown == items {
			break
		}
		shown++
	}
	return from, nil
}

// forwardTo returns the index after the last of the entries from on that fit together.
func (v *view) forwardTo(ctx context.Context, from, items, html int) (to int, err error) {
	entries, shown := v.thread.Conversation.Entries(), 0
	for to = from; to < len(entries) && to-from < maxPassed; to++ {
		if !v.visible(entries[to]) {
			continue
		}
		n, err := v.size(ctx, entries[to])
		if err != nil {
			return to, err
		}
		if html -= n; html < 0 || shown == items {
			break
		}
		shown++
	}
	return to, nil
}

// size returns how many bytes of markup an entry counts. It follows from the entry
// alone, so that a reload comes to the same window as a tab that saw every frame.
func (v *view) size(ctx context.Context, e *conversation.Entry) (int, error) {
	switch {
	case e.Message != nil && !plain(e.Message.Role):
		s := &v.body(e).stream
		err := s.Advance(ctx)
		return itemHTML + s.Size(), err
	case e.Subagent != nil:
		sum := itemHTML
		for _, child := range inCard(e.Subagent) {
			if child.Subagent != nil {
				sum += itemHTML
				continue
			}
			n, err := v.size(ctx, child)
			if err != nil {
				return 0, err
			}
			sum += n
		}
		return sum, nil
	}
	n, known := v.page.sizes[e.Key]
	if !known {
		it, err := v.item(ctx, e)
		if err != nil {
			return 0, err
		}
		html, err := render(ctx, components.ItemView(it))
		if err != nil {
			return 0, err
		}
		n = len(html)
		v.page.sizes[e.Key] = n
	}
	return n, nil
}

// slide moves the start of the live window to where it belongs now, and appends the
// patches that take the entries before it off the page. whole is true when entries
// have to come back, so that the page is to be drawn anew.
func (v *view) slide(ctx context.Context, f Frame) (_ Frame, whole bool, err error) {
	entries := v.thread.Conversation.Entries()
	from, err := v.backFrom(ctx, len(entries), maxItems, maxItemsHTML)
	if err != nil || from < v.page.from {
		return f, true, err
	}
	if from == v.page.from {
		return f, false, nil
	}
	for _, e := range entries[v.page.from:from] {
		if _, on := v.page.shown[e.Key]; on {
			f = append(f, Patch{"#" + itemID(e), ModeRemove, ""})
		}
		v.forgetEntry(e)
	}
	v.page.from = from
	link, err := render(ctx, components.EarlierView(v.earlier(from)))
	return append(f, Patch{"#earlier", ModeOuter, link}), false, err
}

// earlier returns where the entries before an index are shown, "" when none of them
// shows anything.
func (v *view) earlier(from int) string {
	entries := v.thread.Conversation.Entries()
	for i := from - 1; i >= max(0, from-maxPassed); i-- {
		if v.visible(entries[i]) {
			return v.hub.urls.Before(v.demo.Slug, v.threadID, entries[from].Key)
		}
	}
	if from > maxPassed {
		return v.hub.urls.Before(v.demo.Slug, v.threadID, entries[from].Key)
	}
	return ""
}

// later returns where the entries from an index on are shown.
func (v *view) later(to int) string {
	if entries := v.thread.Conversation.Entries(); to < len(entries) {
		return v.hub.urls.At(v.demo.Slug, v.threadID, entries[to].Key)
	}
	return ""
}

// forgetSize drops what is known of the size of an entry that has changed.
func (v *view) forgetSize(key int) {
	delete(v.page.sizes, key)
	if e := v.thread.Conversation.Entry(key); e != nil && e.Subagent != nil {
		for _, child := range inCard(e.Subagent) {
			delete(v.page.sizes, child.Key)
		}
	}
}

// forgetEntry drops what was kept to draw an entry that is not on the page.
func (v *view) forgetEntry(e *conversation.Entry) {
	delete(v.page.shown, e.Key)
	delete(v.page.bodies, e.Key)
	delete(v.media, e.Key)
	if e.Subagent != nil {
		for _, child := range inCard(e.Subagent) {
			delete(v.page.bodies, child.Key)
		}
	}
}
