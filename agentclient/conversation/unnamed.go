package conversation

import (
	"encoding/json"
	"slices"

	"cairn/agui"
)

// This file takes off what a MESSAGES_SNAPSHOT does not name.

// dropUnnamed takes off what the snapshot neither names nor leaves to us, sets aside what
// it does not speak of, and puts results that lost their call where they stood. It returns
// the entries of what went.
func (c *Conversation) dropUnnamed(messages []agui.Message, md map[string]json.RawMessage) (gone []*Entry, left int) {
	hasReasoning, hasActivity := false, false
	for _, m := range messages {
		hasReasoning = hasReasoning || m.Role == agui.RoleReasoning
		hasActivity = hasActivity || m.Role == agui.RoleActivity
	}
	keepsTagged := !tagged(messages)
	fresh := c.freshIn(messages)

	var leaving []*record
	for _, role := range roles {
		if role == agui.RoleReasoning && !hasReasoning {
			continue
		}
		for _, g := range []group{{role: role}, {role: role, tagged: true}} {
			var earlier, present []*record
			for _, r := range c.members(g) {
				switch {
				case r.named == c.epoch || r.made == c.epoch:
				case r.number == c.live.number:
					present = append(present, r)
				default:
					earlier = append(earlier, r)
				}
			}
			if g.tagged && keepsTagged {
				c.setAside(append(earlier, present...))
				continue
			}
			c.setAside(earlier)
			if len(present) <= fresh[g] {
				for _, r := range present {
					switch {
					case r.going():
						r.kept = true
						c.enlist(r)
					case r.streamed:
						left++
						c.setAside([]*record{r})
					default:
						leaving = append(leaving, r)
					}
				}
				continue
			}
			for _, r := range present {
				if !r.going() {
					left++
				}
				r.kept = true
				c.enlist(r)
			}
		}
	}
	for _, g := range c.ownedActivities(md, hasActivity) {
		for _, r := range c.members(g) {
			if r.named != c.epoch && r.made != c.epoch {
				leaving = append(leaving, r)
			}
		}
	}
	for _, r := range leaving {
		r.leaving = true
	}
	c.putBack()
	for _, r := range leaving {
		c.list.remove(r)
		c.enlist(r)
		c.setContent(r, nil)
		if c.byID[r.id] == r {
			delete(c.byID, r.id)
		}
		if r.entry != nil {
			gone = append(gone, r.entry)
		}
		for _, t := range r.calls {
			if t.picked != c.epoch {
				c.lose(t)
				if t.entry != nil {
					gone = append(gone, t.entry)
				}
			}
		}
	}
	return gone, left
}

// going reports whether more is to come of a message, or of a call in it.
func (r *record) going() bool {
	return r.shown.Status == StatusStreaming || slices.ContainsFunc(r.calls, func(t *call) bool {
		return t.shown.Status == ToolRunning
	})
}

// setAside keeps messages on the page that are not sent any more.
func (c *Conversation) setAside(all []*record) {
	for _, r := range all {
		r.aside = true
		c.enlist(r)
	}
}

// freshIn counts the messages that the snapshot brought for the present run and nobody knew,
// by what they could be taken for: those behind the last message of the user's in it.
func (c *Conversation) freshIn(messages []agui.Message) map[group]int {
	fresh := map[group]int{}
	for _, m := range slices.Backward(messages) {
		if m.Role == agui.RoleUser {
			break
		}
		if r := c.byID[m.ID]; r != nil && r.made == c.epoch {
			fresh[group{role: r.role, tagged: r.tag != ""}]++
		}
	}
	return fresh
}

// putBack puts the results that lost their call behind the message that their call stood
// in, in the order in which they came there.
func (c *Conversation) putBack() {
	for _, t := range c.placed {
		if t.orphan == nil || !t.orphan.placed {
			continue
		}
		holder := t.was
		answers := holder.was
		if holder.leaving {
			answers = holder.answers
		}
		at := holder
		for _, t := range answers {
			if o := t.orphan; t.was == holder && o != nil && o.placed {
				o.placed = false
				c.list.insert(at, o)
				at = o
			}
		}
		if o := t.orphan; o.placed { // of a message that stays and is not sent
			o.placed = false
			c.enlist(o)
		}
	}
	c.placed = c.placed[:0]
}

// ownedActivities returns the groups of the activities that the snapshot speaks for.
func (c *Conversation) ownedActivities(md map[string]json.RawMessage, hasActivity bool) (owned []group) {
	all := hasActivity
	var client map[string]json.RawMessage
	if json.Unmarshal(md["@ag-ui/client"], &client) == nil {
		if raw, ok := client["authoritativeActivityTypes"]; ok {
			var types []string
			if all = string(raw) == "null"; !all && json.Unmarshal(raw, &types) == nil {
				for _, t := range types {
					owned = append(owned, group{role: agui.RoleActivity, activity: t})
				}
				return owned
			}
		}
	}
	if all {
		for g := range c.groups {
			if g.role == agui.RoleActivity {
				owned = append(owned, g)
			}
		}
	}
	return owned
}
