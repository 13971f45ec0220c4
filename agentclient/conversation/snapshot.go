package conversation

import (
	"bytes"
	"slices"

	"cairn/agui"
)

// This file merges a MESSAGES_SNAPSHOT (protocol section 6.6).

// messagesSnapshot merges: what the snapshot names stays in its place with the
// snapshot's content, what it does not name goes, what is new is appended. What the
// user wrote stays as it is, whatever the snapshot says of it.
// Reasoning stays when the snapshot has none, activities by the ownership rule, and
// what subagents said stays on the page when the snapshot has nothing of any: an
// agent's memory of its own messages says nothing about theirs (measured: one that
// sends a snapshot after every message, so a child's text would vanish from its card).
//
// Agents send one after every step and hostile ones at will, so it costs what the
// snapshot names and removes: what stays by these rules is in groups of its own that
// are not looked through. Only new calls of old messages go over the whole page, to
// stand behind them.
func (c *Conversation) messagesSnapshot(e *agui.MessagesSnapshot) {
	messages := c.withoutOurs("6.6", e.Messages)
	former := c.adoptIDs(messages)
	for _, id := range c.aliases {
		if r := c.byID[id]; r != nil && r.id != id {
			delete(c.byID, id)
		}
	}
	c.aliases = c.aliases[:0]
	c.misplaced = false

	named, picked, lost := c.takeApart(messages)
	hadResult := map[*call]ToolCall{}
	for _, t := range picked {
		if t.shown.HasResult && !t.aside() {
			hadResult[t] = ToolCall{Status: t.shown.Status, Result: t.shown.Result, ResultParts: t.shown.ResultParts}
			t.shown.HasResult, t.shown.Status = false, ToolIncomplete
		}
	}
	for _, m := range messages {
		c.credit += creditEach * (1 + len(m.ToolCalls))
		if r := c.byID[m.ID]; r != nil && m.Role != agui.RoleTool && knownRole(m.Role) {
			r.role = m.Role
			c.fill(r, m)
			continue
		}
		c.importMessage(m)
	}
	for t, was := range hadResult {
		if !t.shown.HasResult || t.shown.Status != was.Status || t.shown.Result != was.Result || !bytes.Equal(t.shown.ResultParts.Raw, was.ResultParts.Raw) {
			c.touch(t.entry)
		}
	}

	gone := c.dropUnnamed(messages, e.Metadata)
	for _, t := range lost {
		gone = append(gone, t.entry)
	}
	for _, r := range named {
		r.was = nil
	}
	for _, t := range picked {
		t.was = nil
	}
	for id, r := range former {
		if c.byID[id] == nil {
			c.byID[id] = r
			c.aliases = append(c.aliases, id)
		}
	}
	c.takeOff(gone)
	if c.misplaced {
		c.orderByMessages()
	}
}

// takeApart marks the records that messages name and takes their calls and results
// off them. It returns those records, the calls that messages name, which are without
// a holder then, and the calls that are gone because they do not.
func (c *Conversation) takeApart(messages []agui.Message) (named []*record, picked, lost []*call) {
	pick := func(id string) {
		t := c.calls[id]
		if t == nil || t.picked == c.epoch {
			return
		}
		t.picked, t.was, t.holder = c.epoch, t.holder, nil
		c.forgetResult(t)
		picked = append(picked, t)
		if t.apart {
			t.apart = false
			c.own = append(c.own, t)
		}
	}
	for _, m := range messages {
		if r := c.byID[m.ID]; r != nil && r.named != c.epoch {
			r.named, r.aside = c.epoch, false
			c.enlist(r)
			r.was, r.calls, r.answers = r.answers, nil, nil
			named = append(named, r)
		}
		for _, tc := range m.ToolCalls {
			pick(tc.ID)
		}
		if m.Role == agui.RoleTool {
			pick(m.ToolCallID)
		}
	}
	// What subagents called stays with what they said.
	lose := func(t *call) {
		c.forgetResult(t)
		delete(c.calls, t.shown.ID)
		lost = append(lost, t)
	}
	keepsTagged := !tagged(messages)
	c.walked += len(c.own)
	c.own = slices.DeleteFunc(c.own, func(t *call) bool {
		switch {
		case t.picked == c.epoch:
			return false
		case keepsTagged && t.aside():
			t.apart = true
			if !t.listed {
				t.listed = true
				c.apart = append(c.apart, t)
			}
		default:
			lose(t)
		}
		return true
	})
	if !keepsTagged {
		c.walked += len(c.apart)
		for _, t := range c.apart {
			if t.listed = false; t.apart {
				lose(t)
			}
		}
		c.apart = nil
	}
	return named, picked, lost
}

func (c *Conversation) forgetResult(t *call) {
	if c.results[t.resultID] == t {
		delete(c.results, t.resultID)
	}
}

// tagged reports that the snapshot speaks of subagents.
func tagged(messages []agui.Message) bool {
	return slices.ContainsFunc(messages, func(m agui.Message) bool { return m.SubagentRunID != "" })
}

// aside reports a call that a subagent made, or the result of one.
func (t *call) aside() bool {
	return t.holder != nil && t.holder.tag != "" || t.holder == nil && t.orphan != nil && t.orphan.tag != ""
}
