package conversation

import (
	"slices"
	"strings"

	"cairn/agui"
)

// This file keeps a message on the page when a snapshot names it by another id
// than it streamed by, as bridges do that store messages under ids of their own:
// by the protocol's merge it would go and come back as another one.

// maxStreaming is how many of the messages that stream, the last ones, are asked
// whether a snapshot goes on from them: each is for each message of the snapshot.
const maxStreaming = 32

// adoptIDs renames messages a snapshot does not name to the id of a message in it
// that says the same: the same role, subagent and text, or the same
// call, or while one streams text that goes on from it. It returns those renamed that
// still stream, by their former id, under which their deltas come.
func (c *Conversation) adoptIDs(messages []agui.Message) (former map[string]*record) {
	named := make(map[string]bool, len(messages))
	var unknown []agui.Message
	var speaking []group
	for _, m := range messages {
		if r := c.byID[m.ID]; (r == nil || r.id != m.ID) && speaks(m.Role) {
			unknown = append(unknown, m)
			g := group{role: m.Role, tagged: m.SubagentRunID != ""}
			if !slices.Contains(speaking, g) {
				speaking = append(speaking, g)
			}
		}
		named[m.ID] = true
	}
	if len(unknown) == 0 {
		return nil
	}
	type words struct {
		role      agui.Role
		tag, text string
	}
	free := map[words][]*record{}
	var streaming []*record
	for _, g := range speaking {
		all := c.members(g)
		kept, aside := g, g
		kept.kept, aside.aside = true, true
		all = slices.Concat(c.members(aside), c.members(kept), all)
		for _, r := range all {
			if named[r.id] || r.shown.Len() == 0 {
				continue
			}
			k := words{r.role, r.tag, r.shown.Text()}
			free[k] = append(free[k], r)
			if r.shown.Status == StatusStreaming {
				streaming = append(streaming, r)
			}
		}
	}
	streaming = streaming[max(0, len(streaming)-maxStreaming):]
	taken := map[string]bool{}
	for _, m := range unknown {
		if taken[m.ID] {
			continue
		}
		k := words{m.Role, m.SubagentRunID, m.Content.Text()}
		r := c.holderOf(m, named)
		for ; len(free[k]) > 0 && r == nil; free[k] = free[k][1:] {
			if first := free[k][0]; !named[first.id] {
				r = first
			}
		}
		for _, s := range streaming {
			c.walked++
			if r == nil && !named[s.id] && s.role == k.role && s.tag == k.tag && strings.HasPrefix(k.text, s.shown.Text()) {
				r = s
			}
		}
		if r == nil {
			continue
		}
		if r.shown.Status == StatusStreaming {
			if former == nil {
				former = map[string]*record{}
			}
			former[r.id] = r
		}
		taken[m.ID] = true
		delete(c.byID, r.id)
		r.id, r.shown.ID = m.ID, m.ID // which is named, so it is not taken twice
		c.byID[m.ID] = r
		c.touch(r.entry)
	}
	return former
}

// holderOf finds the message under another id that holds a call of m's and says
// the same.
func (c *Conversation) holderOf(m agui.Message, named map[string]bool) *record {
	for _, tc := range m.ToolCalls {
		t := c.calls[tc.ID]
		if t == nil || t.holder == nil {
			continue
		}
		if r := t.holder; !named[r.id] && r.role == m.Role && r.tag == m.SubagentRunID && r.shown.Text() == m.Content.Text() {
			return r
		}
	}
	return nil
}

// speaks reports a role whose messages are known by what they say.
func speaks(r agui.Role) bool {
	return r == agui.RoleUser || r == agui.RoleAssistant || r == agui.RoleReasoning
}
