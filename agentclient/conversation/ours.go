package conversation

import "cairn/agui"

// This file keeps the user's words the user's. A message that [Conversation.AddMessage]
// brought is shown and sent as it was added: no event and no snapshot changes its role,
// name or content, moves it past another one of ours, or takes it off the page. What
// tries to is noted. Another id for it is only learned, so that it is not shown twice.

// addOurs adds a message of the user's at the end. What the agent sent under its id
// keeps its place and gets another id, so that what else comes under that id is about
// the user's message, and changes nothing.
func (c *Conversation) addOurs(m agui.Message) {
	r := c.byID[m.ID]
	if r != nil && r.local && r.id == m.ID {
		return // said again
	}
	if r != nil && r.id == m.ID {
		r.id = c.newID(m.ID)
		r.shown.ID = r.id
		c.byID[r.id] = r
		c.touch(r.entry)
		c.note("6.2", "message %s has the id of one that the user wrote now; it is %s", short(m.ID), short(r.id))
	}
	delete(c.byID, m.ID)
	if t := c.results[m.ID]; t != nil {
		c.renameResult(t)
	}
	r = c.newRecord(m.ID, m.Role, m.SubagentRunID, true)
	c.fill(r, m)
	k := wordsOf(r.shown.Text(), r.raw)
	c.ours[k] = append(c.ours[k], r)
}

// renameResult changes the message id of a tool's result.
func (c *Conversation) renameResult(t *call) {
	delete(c.results, t.resultID)
	t.resultID = c.resultID(t, t.resultID)
	c.results[t.resultID] = t
	if t.orphan != nil {
		t.orphan.id, t.orphan.shown.ID = t.resultID, t.resultID
	}
}

// resultID returns an id for a result that cannot have the one that the agent sent: the
// same as before when it had one.
func (c *Conversation) resultID(t *call, given string) string {
	if t.given != given || t.instead == "" || c.byID[t.instead] != nil || c.results[t.instead] != nil && c.results[t.instead] != t {
		t.given, t.instead = given, c.newID(given)
	}
	return t.instead
}

// wordsOf returns what messages without a common id are known by.
func wordsOf(text string, content agui.Content) string {
	if text == "" {
		return string(content.Raw)
	}
	return text
}

// withoutOurs returns what is left of messages that come whole without those that the
// user wrote: by their id, or under another id in the same words. Rule is the section
// for the note on one that says something else.
func (c *Conversation) withoutOurs(rule string, messages []agui.Message) []agui.Message {
	named := map[*record]bool{}
	candidates := false
	for _, m := range messages {
		r := c.byID[m.ID]
		switch {
		case r != nil && r.local:
			named[r] = true
			if m.Role != r.role || m.Content.Text() != r.shown.Text() || m.Name != "" && m.Name != r.shown.Name || len(m.ToolCalls) > 0 {
				c.note(rule, "message %s is the user's, and said otherwise; kept as the user wrote it", short(r.id))
			}
		case r == nil && m.Role == agui.RoleUser:
			candidates = true
		}
	}
	if len(named) == 0 && !candidates {
		return messages
	}
	next := map[string]int{} // into ours
	var left []agui.Message
	for _, m := range messages {
		r := c.byID[m.ID]
		if r == nil && m.Role == agui.RoleUser && c.results[m.ID] == nil {
			k := wordsOf(m.Content.Text(), m.Content)
			for all := c.ours[k]; r == nil && next[k] < len(all); next[k]++ {
				if first := all[next[k]]; !named[first] && first.tag == m.SubagentRunID {
					r, named[first], c.byID[m.ID] = first, true, first
				}
			}
		}
		if r == nil || !r.local {
			left = append(left, m)
		}
	}
	return left
}
