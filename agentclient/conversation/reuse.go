package conversation

import (
	"slices"
	"strconv"

	"cairn/agui"
)

// This file tells apart what comes under one id. Agents number messages and calls anew in
// each turn, use one id for what they say before and after a tool, and one for what they
// think and what they say. The protocol's own client takes all of it for one message.
// Here a message that has ended is over once the agent is in another run, or something was
// shown after it; a call is over with its turn. The newest has the agent's id, so that what
// comes later is about it, and the one before gets another.

// spoken returns the newest message under an id that is reasoning, or is not.
func (c *Conversation) spoken(id string, reasoning bool) *record {
	r := c.byID[id]
	if r == nil || r.local || r.role == agui.RoleActivity || (r.role == agui.RoleReasoning) == reasoning {
		return r
	}
	all := c.earlier[id]
	for i := len(all) - 1; i >= 0 && i >= len(all)-maxEarlier; i-- {
		if e := all[i]; (e.role == agui.RoleReasoning) == reasoning && e.shown.Status == StatusStreaming {
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

// shownSince reports whether something was shown after a message.
func (c *Conversation) shownSince(r *record) bool {
	if r.entry == nil {
		return len(r.calls) > 0
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

// release gives the message with an id another one.
func (c *Conversation) release(id string) {
	r := c.byID[id]
	if r == nil || r.local {
		return
	}
	delete(c.byID, id)
	if r.id != id {
		return // it was only known by it
	}
	r.id = c.newID(id)
	r.shown.ID = r.id
	c.byID[r.id] = r
	c.earlier[id] = append(c.earlier[id], r)
	c.touch(r.entry)
}

// over reports whether a call that begins under the id of t is another call.
func (c *Conversation) over(t *call) bool { return t.holder != nil && t.turn != c.turn }

// releaseCall gives a call another id.
func (c *Conversation) releaseCall(t *call) {
	from := t.shown.ID
	to := from
	for c.calls[to] != nil {
		c.minted++
		to = from + "~" + strconv.Itoa(c.minted)
	}
	delete(c.calls, from)
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

// inParts returns the messages of a snapshot with each that was shown in several, because
// its id was used again, as these: the agent has them as one, or under one id.
func (c *Conversation) inParts(messages []agui.Message) []agui.Message {
	if len(c.earlier) == 0 {
		return messages
	}
	var out []agui.Message
	taken := map[*record]bool{}
	for _, m := range messages {
		parts := c.partsOf(m)
		if len(parts) == 0 {
			out = append(out, m)
			continue
		}
		if one := saying(parts, m.Content.Text(), taken); one != nil {
			taken[one] = true
			m.ID = one.id
			out = append(out, m)
			continue
		}
		whole := ""
		for _, r := range parts {
			whole += r.shown.Text()
		}
		if whole != m.Content.Text() {
			out = append(out, m)
			continue
		}
		rest := m.ToolCalls
		for i, r := range parts {
			part := m
			part.ID, part.Content, part.ToolCalls = r.id, agui.TextContent(r.shown.Text()), nil
			var later []agui.ToolCall
			for _, tc := range rest {
				if t := c.calls[tc.ID]; i == len(parts)-1 || t != nil && t.holder == r {
					part.ToolCalls = append(part.ToolCalls, tc)
				} else {
					later = append(later, tc)
				}
			}
			rest = later
			out = append(out, part)
		}
	}
	return out
}

// partsOf returns the messages that had the id of m and the one that has it, oldest first,
// as far as they could be m; none when only one could.
func (c *Conversation) partsOf(m agui.Message) (parts []*record) {
	all := c.earlier[m.ID]
	if len(all) == 0 || c.byID[m.ID] == nil {
		return nil
	}
	for _, r := range append(slices.Clone(all[max(0, len(all)-maxEarlier):]), c.byID[m.ID]) {
		if r.role == m.Role && r.tag == m.SubagentRunID && c.byID[r.id] == r {
			parts = append(parts, r)
		}
	}
	if len(parts) < 2 {
		return nil
	}
	return parts
}

// saying returns the first of the messages with the text that is not taken, or nil.
func saying(all []*record, text string, taken map[*record]bool) *record {
	i := slices.IndexFunc(all, func(r *record) bool { return !taken[r] && r.shown.Text() == text })
	if i < 0 {
		return nil
	}
	return all[i]
}
