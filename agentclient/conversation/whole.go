package conversation

import (
	"bytes"
	"strings"

	"cairn/agui"
)

// This file takes in messages that come whole: our own, those RUN_STARTED echoes, and
// those of a snapshot.

// importMessage adds one message unless its id is known.
func (c *Conversation) importMessage(m agui.Message) {
	if !knownRole(m.Role) {
		return
	}
	if t := c.calls[m.ToolCallID]; c.merging && m.Role == agui.RoleTool && t != nil && !t.shown.HasResult {
		// Its id may be another's too.
	} else if c.byID[m.ID] != nil || c.results[m.ID] != nil {
		return
	}
	if m.Role == agui.RoleTool {
		c.answer(m.ToolCallID, m.ID, m.Content, m.Error, m.SubagentRunID, m.Metadata)
		return
	}
	c.fill(c.newRecord(m.ID, m.Role, m.SubagentRunID, false), m)
}

// knownRole reports a role of the protocol; a message of any other is left out
// (section 9, row 10).
func knownRole(r agui.Role) bool {
	switch r {
	case agui.RoleDeveloper, agui.RoleSystem, agui.RoleUser, agui.RoleAssistant, agui.RoleTool, agui.RoleActivity, agui.RoleReasoning:
		return true
	}
	return false
}

// fill sets a record to what m says and shows what there is to show.
func (c *Conversation) fill(r *record, m agui.Message) {
	r.encrypted = m.EncryptedValue
	r.metadata = merge(nil, m.Metadata)
	r.shown.ActivityType = m.ActivityType
	c.enlist(r)
	text := ""
	var parts agui.Content
	switch {
	case m.Role == agui.RoleActivity && c.merging && len(m.Content.Raw) == 0:
		c.blanks++
	case m.Role == agui.RoleActivity:
		r.raw = agui.Content{}
		c.setContent(r, bytes.Clone(m.Content.Raw))
	case c.keeps(r, m.Content):
		text, parts = r.shown.Text(), r.shown.Parts
	default:
		m.Content = c.textOrParts(m.Content, m.ID)
		r.raw = agui.Content{Raw: bytes.Clone(m.Content.Raw)}
		c.setContent(r, nil)
		text, parts = m.Content.Text(), partsOf(r.raw)
	}
	changed := r.shown.Text() != text || r.shown.Name != m.Name || r.shown.Role != m.Role || !bytes.Equal(r.shown.Parts.Raw, parts.Raw)
	r.shown.Name, r.shown.Role, r.shown.Parts = m.Name, m.Role, parts
	if more, grew := strings.CutPrefix(text, r.shown.Text()); grew {
		r.shown.text.held = ""
		r.shown.text.WriteString(more)
	} else {
		r.shown.Revision++
		r.shown.text.set(text)
	}
	quiet := c.merging && r.tag != "" && r.entry == nil && !r.streamed // of a nested agent, and never shown
	switch {
	case quiet && m.Role != agui.RoleActivity:
	case r.entry != nil:
		if changed || m.Role == agui.RoleActivity {
			c.touch(r.entry)
		}
	case text != "" || parts.Raw != nil || m.Role == agui.RoleUser || m.Role == agui.RoleActivity:
		c.show(r)
	}
	for _, tc := range m.ToolCalls {
		c.fillCall(r, tc)
	}
}

// textOrParts returns the content of a message other than an activity. What is
// neither text nor parts no request may hold: it becomes text, the JSON that it is,
// so that the thread can go on.
func (c *Conversation) textOrParts(content agui.Content, id string) agui.Content {
	raw := space(content.Raw)
	if len(raw) == 0 || raw[0] == '"' || raw[0] == '[' {
		return content
	}
	c.note("2.2", "content of message %s is neither text nor parts; read as text", short(id))
	return agui.TextContent(string(raw))
}

// partsOf returns content that is an array of parts, and zero for any other.
func partsOf(content agui.Content) agui.Content {
	if raw := space(content.Raw); len(raw) > 0 && raw[0] == '[' {
		return content
	}
	return agui.Content{}
}

// fillCall puts a whole call under r, keeping the entry it may have already.
func (c *Conversation) fillCall(r *record, tc agui.ToolCall) {
	t := c.calls[tc.ID]
	if t == nil || t.holder != r {
		t = c.newCall(t, tc.ID, r, r.tag)
	}
	if t.entry == nil && !(c.merging && r.tag != "") {
		c.showCall(t)
	}
	if c.merging && t.shown.Name != "" && tc.Function.Name == "" {
		tc.Function.Name = t.shown.Name
	}
	changed := t.shown.Name != tc.Function.Name
	t.shown.Name = tc.Function.Name
	switch less := c.merging && lags(tc.Function.Arguments, t.shown.Args(), !t.ended); {
	case less && t.ended:
		c.blanks++
	case less: // it lags behind
	case t.shown.Args() != tc.Function.Arguments:
		t.shown.args.set(tc.Function.Arguments)
		t.judged = -1
		changed = true
	}
	t.judge()
	t.encrypted, t.metadata = tc.EncryptedValue, merge(nil, tc.Metadata)
	if t.shown.Status == "" {
		// Whole and not answered yet: it can still be, while a run is going.
		t.shown.Status = ToolIncomplete
		if c.run.Status == RunRunning {
			t.shown.Status = ToolRunning
			c.live.calls = append(c.live.calls, t)
		}
		t.ended = true
		changed = true
	}
	if changed {
		c.touch(t.entry)
	}
}
