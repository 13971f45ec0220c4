package conversation

import (
	"encoding/json"
	"slices"
	"strings"

	"cairn/agui"
)

// This file takes in messages that come whole: our own, those RUN_STARTED
// echoes, and MESSAGES_SNAPSHOT (protocol sections 6.6 and 6.8).

// importMessage adds one message unless its id is known.
func (c *Conversation) importMessage(m agui.Message, local bool) {
	if c.byID[m.ID] != nil || c.results[m.ID] != nil || !knownRole(m.Role) {
		return
	}
	if m.Role == agui.RoleTool {
		c.answer(m.ToolCallID, m.ID, m.Content, m.Error, m.SubagentRunID, m.Metadata)
		return
	}
	r := c.newRecord(m.ID, m.Role, m.SubagentRunID)
	r.local = local && m.Role == agui.RoleUser
	c.fill(r, m)
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
	r.raw = cloneContent(m.Content)
	r.encrypted = m.EncryptedValue
	r.metadata = merge(nil, m.Metadata)
	r.shown.ActivityType = m.ActivityType
	text := ""
	if m.Role == agui.RoleActivity {
		r.shown.Content = r.raw.Raw
	} else {
		text = m.Content.Text()
	}
	changed := r.shown.Text() != text || r.shown.Name != m.Name || r.shown.Role != m.Role
	r.shown.Name, r.shown.Role = m.Name, m.Role
	if more, grew := strings.CutPrefix(text, r.shown.Text()); grew {
		r.shown.text.held = ""
		r.shown.text.WriteString(more)
	} else {
		r.shown.Revision++
		r.shown.text.set(text)
	}
	switch {
	case r.entry != nil:
		if changed || m.Role == agui.RoleActivity {
			c.touch(r.entry)
		}
	case text != "" || m.Role == agui.RoleUser || m.Role == agui.RoleActivity:
		c.show(r)
	}
	for _, tc := range m.ToolCalls {
		c.fillCall(r, tc)
	}
}

// fillCall puts a whole call under r, keeping the entry it may have already.
func (c *Conversation) fillCall(r *record, tc agui.ToolCall) {
	t := c.calls[tc.ID]
	if t == nil || t.holder != r {
		t = c.newCall(t, tc.ID, r, r.tag)
	}
	changed := t.shown.Name != tc.Function.Name
	t.shown.Name = tc.Function.Name
	if t.shown.Args() != tc.Function.Arguments {
		t.shown.args.set(tc.Function.Arguments)
		changed = true
	}
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

// messagesSnapshot merges: what the snapshot names stays in its place with the
// snapshot's content, what it does not name goes, what is new is appended.
// Reasoning stays when the snapshot has none, activities by the ownership rule.
func (c *Conversation) messagesSnapshot(e *agui.MessagesSnapshot) {
	former := c.adoptIDs(e.Messages)
	inS := make(map[string]bool, len(e.Messages))
	hasReasoning, hasActivity := false, false
	for _, m := range e.Messages {
		inS[m.ID] = true
		hasReasoning = hasReasoning || m.Role == agui.RoleReasoning
		hasActivity = hasActivity || m.Role == agui.RoleActivity
	}
	ownsActivity := activityOwnership(e.Metadata, hasActivity)
	keep := func(r *record) bool {
		switch {
		case inS[r.id]:
			return true
		case r.role == agui.RoleReasoning:
			return !hasReasoning
		case r.role == agui.RoleActivity:
			return !ownsActivity(r.shown.ActivityType)
		}
		return false
	}

	// Take the list apart. Calls and results come back as the snapshot names them;
	// those that do not lose their entry at the end.
	old := c.list
	c.list = nil
	c.byID = make(map[string]*record, len(e.Messages))
	for _, r := range old {
		for _, t := range r.calls {
			t.holder = nil
		}
		r.calls, r.answers = nil, nil
		if r.role != agui.RoleTool && keep(r) && c.byID[r.id] == nil {
			c.list = append(c.list, r)
			c.byID[r.id] = r
		}
	}
	oldCalls, oldResults := c.calls, c.results
	c.calls, c.results = make(map[string]*call, len(oldCalls)), make(map[string]*call, len(oldResults))
	for _, m := range e.Messages {
		for _, tc := range m.ToolCalls {
			if t := oldCalls[tc.ID]; t != nil {
				c.calls[tc.ID] = t
			}
		}
		if t := oldCalls[m.ToolCallID]; t != nil && m.Role == agui.RoleTool {
			c.calls[m.ToolCallID] = t
		}
	}
	hadResult := map[*call]ToolCall{}
	for _, t := range c.calls {
		if t.shown.HasResult {
			hadResult[t] = ToolCall{Status: t.shown.Status, Result: t.shown.Result}
			t.shown.HasResult, t.shown.Status = false, ToolIncomplete
		}
	}
	for _, m := range e.Messages {
		if r := c.byID[m.ID]; r != nil && m.Role != agui.RoleTool && knownRole(m.Role) {
			r.role = m.Role
			c.fill(r, m)
			continue
		}
		c.importMessage(m, false)
	}
	for t, was := range hadResult {
		if !t.shown.HasResult || t.shown.Status != was.Status || t.shown.Result != was.Result {
			c.touch(t.entry)
		}
	}
	for id, r := range former {
		if c.byID[id] == nil {
			c.byID[id] = r
		}
	}
	c.rebuild()
}

// activityOwnership says which activity types the snapshot speaks for.
func activityOwnership(md map[string]json.RawMessage, hasActivity bool) func(string) bool {
	all := func(string) bool { return true }
	none := func(string) bool { return false }
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
			return none
		}
	}
	if hasActivity {
		return all
	}
	return none
}

// rebuild takes entries off the page whose message or call is gone, and puts the
// rest in message order when something new belongs before something old.
func (c *Conversation) rebuild() {
	alive := make(map[*Entry]bool, len(c.byKey))
	for _, r := range c.list {
		if r.entry != nil {
			alive[r.entry] = true
		}
	}
	for _, t := range c.calls {
		alive[t.entry] = true
	}
	filter := func(entries []*Entry) []*Entry {
		kept := entries[:0:0]
		for _, e := range entries {
			if e.Marker != nil || e.Subagent != nil || alive[e] {
				kept = append(kept, e)
				continue
			}
			c.byKey[e.Key-1] = nil
			c.changes.Structure = true
			c.touch(e.in)
		}
		return kept
	}
	c.entries = filter(c.entries)
	for _, e := range c.byKey {
		if e != nil && e.Subagent != nil {
			e.Subagent.Entries = filter(e.Subagent.Entries)
		}
	}
	c.changes.Keys = slices.DeleteFunc(c.changes.Keys, func(key int) bool { return c.Entry(key) == nil })
	if ordered := c.inMessageOrder(); ordered != nil {
		c.entries = ordered
		c.changes.Structure = true
	}
}

// inMessageOrder gives the top level in message order, nil when new entries
// already stand after all old ones. Markers and subagents stay behind the entry
// they stood behind.
func (c *Conversation) inMessageOrder() []*Entry {
	place := make(map[*Entry]bool, len(c.entries))
	for _, e := range c.entries {
		place[e] = true
	}
	var wanted []*Entry
	add := func(e *Entry) {
		if e != nil && place[e] {
			place[e] = false
			wanted = append(wanted, e)
		}
	}
	for _, r := range c.list {
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
	misplaced := false
	for i := 1; i < len(wanted); i++ {
		fresh := wanted[i-1].epoch == c.epoch && wanted[i-1].Key > wanted[i].Key
		misplaced = misplaced || fresh
	}
	if !misplaced {
		return nil
	}
	followers := map[*Entry][]*Entry{}
	var before *Entry
	for _, e := range c.entries {
		if e.Marker != nil || e.Subagent != nil {
			followers[before] = append(followers[before], e)
		} else {
			before = e
		}
	}
	ordered := append([]*Entry{}, followers[nil]...)
	for _, e := range wanted {
		ordered = append(ordered, e)
		ordered = append(ordered, followers[e]...)
	}
	return ordered
}

func cloneContent(content agui.Content) agui.Content {
	if content.Raw == nil {
		return content
	}
	return agui.Content{Raw: append(json.RawMessage(nil), content.Raw...)}
}
