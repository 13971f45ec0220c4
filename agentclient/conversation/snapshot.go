package conversation

import (
	"encoding/json"
	"slices"

	"cairn/agui"
)

// This file merges a MESSAGES_SNAPSHOT (protocol section 6.6).

// messagesSnapshot merges: what the snapshot names stays in its place with the
// snapshot's content, what it does not name goes, what is new is appended.
// Reasoning stays when the snapshot has none, activities by the ownership rule, and
// what subagents said stays on the page when the snapshot has nothing of any: an
// agent's memory of its own messages says nothing about theirs (measured: one that
// sends a snapshot after every message, so a child's text would vanish from its card).
//
// Agents send one after every step and hostile ones at will, so it costs what the
// snapshot names and removes. What goes is looked for from the end, where what came
// since the last snapshot stands, and no further than the last of it; only new
// calls of old messages go over the whole page, to stand behind them.
func (c *Conversation) messagesSnapshot(e *agui.MessagesSnapshot) {
	former := c.adoptIDs(e.Messages)
	for _, id := range c.aliases {
		if r := c.byID[id]; r != nil && r.id != id {
			delete(c.byID, id)
		}
	}
	c.aliases = c.aliases[:0]
	c.misplaced = false

	named, oldCalls := c.takeApart(e.Messages)
	hadResult := map[*call]ToolCall{}
	for _, t := range c.calls {
		if t.shown.HasResult && !t.aside() {
			hadResult[t] = ToolCall{Status: t.shown.Status, Result: t.shown.Result}
			t.shown.HasResult, t.shown.Status = false, ToolIncomplete
		}
	}
	moved := map[agui.Role]bool{}
	for _, m := range e.Messages {
		if r := c.byID[m.ID]; r != nil && m.Role != agui.RoleTool && knownRole(m.Role) {
			if r.role != m.Role {
				moved[r.role], moved[m.Role] = true, true
				c.byRole[m.Role] = append(c.byRole[m.Role], r)
				r.role = m.Role
			}
			c.fill(r, m)
			continue
		}
		c.importMessage(m, false)
	}
	for role := range moved {
		c.walked += len(c.byRole[role])
		listed := make(map[*record]bool, len(c.byRole[role]))
		c.byRole[role] = slices.DeleteFunc(c.byRole[role], func(r *record) bool {
			was := listed[r]
			listed[r] = true
			return was || r.role != role
		})
	}
	for t, was := range hadResult {
		if !t.shown.HasResult || t.shown.Status != was.Status || t.shown.Result != was.Result {
			c.touch(t.entry)
		}
	}

	gone := c.dropUnnamed(e)
	for id, t := range oldCalls {
		if c.calls[id] != t {
			gone = append(gone, t.entry)
		}
	}
	for _, r := range named {
		r.was = nil
	}
	for _, t := range c.calls {
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

// takeApart marks the records that messages name and takes their calls and
// results off them. The calls that messages name are all that are left, without a
// holder; it gives those there were.
func (c *Conversation) takeApart(messages []agui.Message) (named []*record, oldCalls map[string]*call) {
	oldCalls = c.calls
	c.calls, c.results = make(map[string]*call, len(messages)), make(map[string]*call, len(messages))
	pick := func(id string) {
		if t := oldCalls[id]; t != nil && c.calls[id] == nil {
			c.calls[id] = t
			t.was, t.holder = t.holder, nil
		}
	}
	for _, m := range messages {
		if r := c.byID[m.ID]; r != nil && r.named != c.epoch {
			r.named, r.aside = c.epoch, false
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
	if tagged(messages) {
		return named, oldCalls
	}
	for id, t := range oldCalls { // what subagents called stays with what they said
		if c.calls[id] == nil && t.aside() {
			c.calls[id] = t
			if t.shown.HasResult {
				c.results[t.resultID] = t
			}
		}
	}
	return named, oldCalls
}

// dropUnnamed drops the records that the snapshot neither names nor leaves to us,
// and puts results that lost their call where they stood. It gives the entries of
// what went.
func (c *Conversation) dropUnnamed(e *agui.MessagesSnapshot) (gone []*Entry) {
	hasReasoning, hasActivity := false, false
	for _, m := range e.Messages {
		hasReasoning = hasReasoning || m.Role == agui.RoleReasoning
		hasActivity = hasActivity || m.Role == agui.RoleActivity
	}
	ownsActivity := activityOwnership(e.Metadata, hasActivity)
	keepsTagged := !tagged(e.Messages)

	stays := func(r *record) bool {
		return r.named == c.epoch || r.made == c.epoch ||
			r.role == agui.RoleReasoning && !hasReasoning ||
			r.tag != "" && keepsTagged && r.role != agui.RoleActivity ||
			r.role == agui.RoleActivity && (ownsActivity == nil || !ownsActivity(r.shown.ActivityType))
	}
	left, places := 0, c.placed
	c.placed = 0
	for role, all := range c.byRole {
		if role == agui.RoleReasoning && !hasReasoning || role == agui.RoleActivity && ownsActivity == nil {
			continue
		}
		c.walked += len(all)
		c.byRole[role] = slices.DeleteFunc(all, func(r *record) bool {
			r.aside = r.aside || r.tag != "" && r.named != c.epoch && r.made != c.epoch
			return !stays(r)
		})
		left += len(all) - len(c.byRole[role])
	}
	// displaced are the results to be put behind r.
	displaced := func(r *record) (out []*record) {
		answers := r.was
		if !stays(r) {
			answers = r.answers
		}
		for _, t := range answers {
			if t.was == r && t.orphan != nil && t.orphan.placed {
				out = append(out, t.orphan)
			}
		}
		return out
	}
	from := len(c.list)
	for from > 0 && (left > 0 || places > 0) {
		from--
		c.walked++
		if !stays(c.list[from]) {
			left--
		}
		places -= len(displaced(c.list[from]))
	}
	tail := slices.Clone(c.list[from:])
	c.list = slices.Delete(c.list, from, len(c.list))
	for _, r := range tail {
		results := displaced(r)
		if stays(r) {
			c.list = append(c.list, r)
		} else {
			c.setContent(r, nil)
			if c.byID[r.id] == r {
				delete(c.byID, r.id)
			}
			if r.entry != nil {
				gone = append(gone, r.entry)
			}
		}
		for _, o := range results {
			o.placed = false
			c.list = append(c.list, o)
		}
	}
	return gone
}

// tagged reports that the snapshot speaks of subagents.
func tagged(messages []agui.Message) bool {
	return slices.ContainsFunc(messages, func(m agui.Message) bool { return m.SubagentRunID != "" })
}

// aside reports a call that a subagent made, or the result of one.
func (t *call) aside() bool {
	return t.holder != nil && t.holder.tag != "" || t.holder == nil && t.orphan != nil && t.orphan.tag != ""
}

// activityOwnership says which activity types the snapshot speaks for; nil is none.
func activityOwnership(md map[string]json.RawMessage, hasActivity bool) func(string) bool {
	all := func(string) bool { return true }
	var client map[string]json.RawMessage
	if json.Unmarshal(md["@ag-ui/client"], &client) == nil {
		if raw, ok := client["authoritativeActivityTypes"]; ok {
			var types []string
			switch {
			case string(raw) == "null":
				return all
			case json.Unmarshal(raw, &types) == nil:
				owned := map[string]bool{}
				for _, t := range types {
					owned[t] = true
				}
				return func(t string) bool { return owned[t] }
			}
			return nil
		}
	}
	if hasActivity {
		return all
	}
	return nil
}
