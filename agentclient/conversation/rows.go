package conversation

import (
	"strings"

	"cairn/agui"
)

// This file looks at the rows of a MESSAGES_SNAPSHOT before they are merged: what cannot be
// used is left out, and what says less than what was shown does not take it away.

// usable reports whether a message of a snapshot names something.
func usable(m agui.Message) bool {
	return knownRole(m.Role) && (m.Role != agui.RoleTool || m.ToolCallID != "")
}

// mergeRow merges one message of a snapshot.
func (c *Conversation) mergeRow(m agui.Message) {
	r := c.byID[m.ID]
	switch {
	case m.Role == agui.RoleTool:
		if t := c.calls[m.ToolCallID]; t == nil || !t.blank {
			c.importMessage(m)
		}
	case r == nil:
		c.importMessage(m)
	case inside(m.Role) && r.entry != nil:
		// The shown text stays; it is not sent to the model.
		c.fill(c.newUnder(m.ID, m.Role, m.SubagentRunID), m)
		c.setAside([]*record{r})
	default:
		r.role = m.Role
		if m.SubagentRunID == "" {
			r.tag = ""
		}
		c.fill(r, m)
	}
}

// inside reports a role whose messages are for the model alone.
func inside(r agui.Role) bool { return r == agui.RoleSystem || r == agui.RoleDeveloper }

// lags reports whether text of a snapshot says less than what it is to replace: nothing
// where something was said, or the beginning of what still streams.
func lags(text, shown string, streams bool) bool {
	return len(text) < len(shown) && (text == "" || streams && strings.HasPrefix(shown, text))
}

// keeps reports whether a message keeps what it said though a snapshot has other content
// for it, because that says less.
func (c *Conversation) keeps(r *record, content agui.Content) bool {
	switch {
	case !c.merging || r.shown.Len() == 0 && r.shown.Parts.IsZero():
		return false
	case isBlank(content):
		c.blanks++
		return true
	}
	return r.shown.Status == StatusStreaming && lags(content.Text(), r.shown.Text(), true)
}

// isBlank reports content that says nothing, or that no message can have.
func isBlank(content agui.Content) bool {
	raw := space(content.Raw)
	switch {
	case len(raw) == 0:
		return true
	case raw[0] == '"':
		return len(raw) == 2
	case raw[0] == '[':
		return len(space(raw[1:len(raw)-1])) == 0
	}
	return true
}
