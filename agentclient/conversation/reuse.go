package conversation

import (
	"cmp"
	"slices"

	"cairn/agui"
)

// This file distinguishes messages and calls under one id. Agents number messages and calls anew in
// each turn, use one id for what they say before and after a tool, and one for what they
// think and what they say. The protocol's own client takes all of it for one message.
// Here a message that has ended is over once the agent is in another run, or something was
// shown after it; a call is over with its turn. The newest has the agent's id, so that what
// comes later is about it, and the one before gets another.

// spoken returns the message that an event for an id is about: the newest under it that is
// reasoning, or is not, and has the event's tag. One that has another tag counts where none
// that streams has it.
func (c *Conversation) spoken(id string, reasoning bool, tag string) *record {
	r := c.byID[id]
	if r == nil || r.local || r.role == agui.RoleActivity || r.isReasoning() == reasoning && r.tag == tag {
		return r
	}
	var other, ended *record
	if r.isReasoning() == reasoning {
		other = r
	}
	all := c.earlier[id]
	for i := len(all) - 1; i >= 0 && i >= len(all)-maxEarlier; i-- {
		e := all[i]
		streams := e.shown.Status == StatusStreaming
		if e.isReasoning() != reasoning || !streams && e.number != c.live.number {
			continue
		}
		if streams && e.tag == tag {
			return e
		}
		if ended == nil && e.tag == tag {
			ended = e
		}
		if other == nil {
			other = e
		}
	}
	if tag != "" && ended != nil {
		return ended
	}
	return cmp.Or(other, ended, r)
}

func (r *record) isReasoning() bool { return r.role == agui.RoleReasoning }

// thought returns the message that an encrypted value under an id belongs to: what the
// agent thought before what it said under the same id.
func (c *Conversation) thought(id string) *record {
	r := c.byID[id]
	if r == nil || r.local || r.isReasoning() {
		return r
	}
	all := c.earlier[id]
	for i := len(all) - 1; i >= 0 && i >= len(all)-maxEarlier; i-- {
		if e := all[i]; e.isReasoning() && e.number == c.live.number {
			return e
		}
	}
	return r
}

// maxEarlier bounds how many messages that had an id are looked through for one.
const maxEarlier = 16

// another reports whether text that begins under the id of r is another message.
func (c *Conversation) another(r *record, role agui.Role, tag string) bool {
	if r.role != role || r.tag != tag {
		return true
	}
	return r.shown.Status != StatusStreaming && (r.number != c.live.number || c.shownSince(r))
}

// shownSince reports whether something was shown after a message. A message that only holds
// calls waits for its words until one of them has its result.
func (c *Conversation) shownSince(r *record) bool {
	if r.entry == nil {
		return slices.ContainsFunc(r.calls, func(t *call) bool { return t.shown.HasResult })
	}
	line := c.entries
	if r.entry.in != nil {
		line = r.entry.in.Subagent.Entries
	}
	return line[len(line)-1] != r.entry
}

// newUnder makes a message with an id that another one had until now.
func (c *Conversation) newUnder(id string, role agui.Role, tag string) *record {
	c.release(id)
	return c.newRecord(id, role, tag, false)
}

// release renames the message with an id.
func (c *Conversation) release(id string) {
	r := c.byID[id]
	if r == nil || r.local {
		return
	}
	delete(c.byID, id)
	if r.id != id {
		return // it was only known by it
	}
	if r.entry != nil { // a message of calls alone may have their id
		c.note("6.2", "the id %s is used again; what had it before is another message", short(id))
	}
	r.id = c.newID(id)
	r.shown.ID = r.id
	c.byID[r.id] = r
	c.had(id, r)
	c.touch(r.entry)
}

// over reports whether a call that begins under the id of t is another call: in another
// turn, and in another run of the turn when t has its result.
func (c *Conversation) over(t *call) bool {
	return t.holder != nil && (t.turn != c.turn || t.stage != c.stage && t.shown.HasResult)
}

// releaseCall renames a call.
func (c *Conversation) releaseCall(t *call) {
	from := t.shown.ID
	c.note("6.3", "the tool call id %s is used again; what had it before is another call", short(from))
	to := c.newCallID(from)
	delete(c.calls, from)
	c.former[from] = append(c.former[from], t)
	if t.asked == "" {
		t.asked = from
	}
	t.shown.ID = to
	c.calls[to] = t
	if t.orphan != nil {
		t.orphan.toolID = to
	}
	if n := c.delegated[from]; n > 0 {
		delete(c.delegated, from)
		c.delegated[to] = n
		for _, s := range c.subagents {
			if s.shown.ToolCallID == from {
				s.shown.ToolCallID = to
				c.touch(s.entry)
			}
		}
	}
	key := 0
	if t.entry != nil {
		key = t.entry.Key
	}
	c.changes.Renamed = append(c.changes.Renamed, Renamed{key, from, to})
	c.touch(t.entry)
}

// had remembers that r had an id.
func (c *Conversation) had(id string, r *record) { c.earlier[id] = append(c.earlier[id], r) }

// called returns the call that an event for an id is about: the newest, and of several that
// the agent and its subagents made at once the one with the event's tag.
func (c *Conversation) called(id, tag string) *call {
	t := c.calls[id]
	if t == nil || t.tag == tag || tag == "" && !t.shown.HasResult {
		return t
	}
	all := c.former[id]
	for i := len(all) - 1; i >= 0 && i >= len(all)-maxEarlier; i-- {
		if e := all[i]; e.tag == tag && e.turn == c.turn && !e.shown.HasResult && c.calls[e.shown.ID] == e {
			return e
		}
	}
	return t
}

// anotherCall reports whether a start under the id of t begins another call: in another
// turn, by another agent, or of another tool once t is answered.
func (c *Conversation) anotherCall(t *call, e *agui.ToolCallStart) bool {
	switch {
	case c.over(t), t.turn != c.turn:
		return true
	case t.holder == nil:
		return false
	case e.SubagentRunID != "" && e.SubagentRunID != t.tag:
		return t.ended
	}
	return t.answered() && t.shown.Name != "" && t.shown.Name != e.ToolCallName
}
