package conversation

import (
	"slices"

	"cairn/agui"
)

// This file keeps the page in step with a MESSAGES_SNAPSHOT.

// takeOff takes entries off the page.
func (c *Conversation) takeOff(gone []*Entry) {
	if len(gone) == 0 {
		return
	}
	slices.SortFunc(gone, func(a, b *Entry) int { return a.Key - b.Key })
	lost := map[*Entry]int{} // by the subagent's entry, nil is the top level
	for _, e := range gone {
		c.byKey[e.Key-1] = nil
		lost[e.in]++
	}
	c.changes.Structure = true
	for _, e := range gone {
		switch n := lost[e.in]; {
		case n == 0: // done
		case e.in == nil:
			c.entries = c.withoutDead(c.entries, n)
		default:
			e.in.Subagent.Entries = c.withoutDead(e.in.Subagent.Entries, n)
			c.touch(e.in)
		}
		lost[e.in] = 0
	}
	c.changes.Keys = slices.DeleteFunc(c.changes.Keys, func(key int) bool { return c.Entry(key) == nil })
}

// withoutDead returns entries less the n that have no key any more.
func (c *Conversation) withoutDead(entries []*Entry, n int) []*Entry {
	dead := func(e *Entry) bool { return c.byKey[e.Key-1] != e }
	from := len(entries)
	for from > 0 && n > 0 {
		from--
		c.walked++
		if dead(entries[from]) {
			n--
		}
	}
	kept := slices.DeleteFunc(entries[from:], dead)
	return entries[:from+len(kept)]
}

// ordered reports whether the entry's place follows from the order of the messages.
func (e *Entry) ordered() bool { return e.Message != nil || e.ToolCall != nil }

// creditEach is how many entries of the page may be put in order for each event, and for
// each message and call of a snapshot. In an ordinary thread it is enough for dozens of
// times the whole page.
const creditEach = 64

// orderByMessages puts the top level in message order when something new stands
// before something old. Markers and subagents stay behind the entry they stood
// behind. On a page too large for the events that made it the new entries stay at the
// end: a snapshot of a hundred bytes may ask for it each time.
func (c *Conversation) orderByMessages() {
	cost := len(c.entries) + len(c.calls) + c.list.n
	if cost > c.credit {
		c.note("6.6", "new calls of old messages stay at the end of the page")
		return
	}
	c.credit -= cost
	c.walked += cost
	for _, e := range c.entries {
		e.wanted = c.epoch
	}
	wanted := make([]*Entry, 0, len(c.entries))
	add := func(e *Entry) {
		if e != nil && e.in == nil && e.wanted == c.epoch {
			e.wanted = 0
			wanted = append(wanted, e)
		}
	}
	for r := c.list.first; r != nil; r = r.next {
		add(r.entry)
		for _, t := range r.calls {
			add(t.entry)
		}
		if r.role == agui.RoleTool {
			if t := c.calls[r.toolID]; t != nil {
				add(t.entry)
			}
		}
	}
	for _, e := range c.entries {
		if e.ordered() {
			add(e)
		}
	}
	misplaced := false
	for i := 1; i < len(wanted); i++ {
		fresh := wanted[i-1].epoch == c.epoch && wanted[i-1].Key > wanted[i].Key
		misplaced = misplaced || fresh
	}
	if !misplaced {
		return
	}
	followers := map[*Entry][]*Entry{}
	var before *Entry
	for _, e := range c.entries {
		if e.ordered() {
			before = e
		} else {
			followers[before] = append(followers[before], e)
		}
	}
	ordered := append(make([]*Entry, 0, len(c.entries)), followers[nil]...)
	for _, e := range wanted {
		ordered = append(ordered, e)
		ordered = append(ordered, followers[e]...)
	}
	c.entries = ordered
	c.changes.Structure = true
}
