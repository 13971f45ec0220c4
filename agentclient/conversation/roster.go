package conversation

import (
	"slices"
	"strconv"

	"cairn/agui"
)

// This file keeps the protocol messages: their order, and the groups in which a
// snapshot looks for those that it may rename, set aside or drop. A snapshot costs
// nothing for the groups that it cannot speak for.

// sequence is the messages in order, linked, so that one goes and another comes in its
// place without a search.
type sequence struct {
	first, last *record
	n           int
}

// insert puts r behind the record at, or at the beginning when at is nil.
func (s *sequence) insert(at, r *record) {
	s.n++
	r.linked, r.prev = true, at
	if at == nil {
		r.next, s.first = s.first, r
	} else {
		r.next, at.next = at.next, r
	}
	if r.next == nil {
		s.last = r
	} else {
		r.next.prev = r
	}
}

// remove takes r out; one that is in no sequence stays so.
func (s *sequence) remove(r *record) {
	if !r.linked {
		return
	}
	s.n--
	if r.prev == nil {
		s.first = r.next
	} else {
		r.prev.next = r.next
	}
	if r.next == nil {
		s.last = r.prev
	} else {
		r.next.prev = r.prev
	}
	r.linked, r.prev, r.next = false, nil, nil
}

// group is what a snapshot treats alike. The zero group is that of the user's messages,
// which no snapshot speaks for, and of those that are gone.
type group struct {
	role          agui.Role
	tagged, aside bool // a subagent's, not of activities
	kept          bool
	activity      string // type
}

func (r *record) groupNow() group {
	switch {
	case r.local, !r.linked && !r.placed:
		return group{}
	case r.role == agui.RoleActivity:
		return group{role: r.role, activity: r.shown.ActivityType}
	default:
		return group{role: r.role, tagged: r.tag != "", aside: r.aside, kept: r.kept}
	}
}

// enlist puts r into the group that it belongs to now. Where it was before, it is
// forgotten when that group is next looked through.
func (c *Conversation) enlist(r *record) {
	now := r.groupNow()
	if now == r.group {
		return
	}
	r.group = now
	if now != (group{}) {
		c.groups[now] = append(c.groups[now], r)
	}
}

// members returns the records of a group, oldest first but for those that came from
// another one.
func (c *Conversation) members(g group) []*record {
	all, listed := c.groups[g]
	if !listed {
		return nil
	}
	c.walked += len(all)
	c.round++
	all = slices.DeleteFunc(all, func(r *record) bool {
		twice := r.round == c.round
		r.round = c.round
		return twice || r.group != g
	})
	if len(all) == 0 {
		delete(c.groups, g)
		return nil
	}
	c.groups[g] = all
	return all
}

// roles are those of a group of messages that snapshots speak for by their role.
var roles = []agui.Role{agui.RoleDeveloper, agui.RoleSystem, agui.RoleUser, agui.RoleAssistant, agui.RoleTool, agui.RoleReasoning}

// newID returns an id that nothing has, for what cannot keep its own.
func (c *Conversation) newID(id string) string {
	for {
		next := c.mint(id)
		if c.byID[next] == nil && c.results[next] == nil {
			return next
		}
	}
}

func (c *Conversation) mint(id string) string {
	c.minted++
	return id + "~" + strconv.Itoa(c.minted)
}
