package conversation

import (
	"slices"
	"strings"

	"cairn/agui"
)

// This file reads a MESSAGES_SNAPSHOT of messages whose ids were used again. The agent has
// several of them under one id, or one for what was shown as several. Here each has an id of
// its own, so the snapshot is read as if it had those.

// minted is an id that something in a snapshot gets because another there has the one given.
type minted struct{ given, id string }

// speech is what distinguishes messages under one id.
type speech struct {
	role      agui.Role
	tag, text string
}

// inParts returns the messages of a snapshot with each that was shown as several as these,
// and each of several under one id under its own. Fresh are those that were not shown yet.
func (c *Conversation) inParts(messages []agui.Message) (out []agui.Message, fresh []minted) {
	spoken := func(m agui.Message) bool {
		return m.Role != agui.RoleTool && m.Role != agui.RoleActivity && knownRole(m.Role)
	}
	if len(c.earlier) == 0 {
		seen := make(map[string]bool, len(messages))
		if !slices.ContainsFunc(messages, func(m agui.Message) bool {
			twice := spoken(m) && seen[m.ID]
			seen[m.ID] = seen[m.ID] || spoken(m)
			return twice
		}) {
			return messages, nil
		}
	}
	places := map[string][]int{}
	for i, m := range messages {
		if spoken(m) {
			places[m.ID] = append(places[m.ID], i)
		}
	}
	as := make([][]agui.Message, len(messages))
	for i, m := range messages {
		as[i] = []agui.Message{m}
	}
	for i, m := range messages {
		at := places[m.ID]
		if len(at) == 0 || at[0] != i || len(at) == 1 && len(c.earlier[m.ID]) == 0 {
			continue
		}
		s := spread{c: c, parts: c.partsOf(m.ID, len(at))}
		fresh = append(fresh, s.over(messages, at, as)...)
	}
	return slices.Concat(as...), fresh
}

// partsOf returns the messages that had an id, the last ones, and the one that has it.
func (c *Conversation) partsOf(id string, n int) (parts []*record) {
	all := c.earlier[id]
	all = append(slices.Clone(all[max(0, len(all)-max(n, maxEarlier)):]), c.byID[id])
	return slices.DeleteFunc(all, func(r *record) bool {
		return r == nil || r.local || r.role == agui.RoleActivity || c.byID[r.id] != r
	})
}

// spread finds out which messages those of a snapshot under one id are.
type spread struct {
	c     *Conversation
	parts []*record
	of    map[*record]bool // they
	taken map[*record]bool
}

// over writes what the messages at these places are into as: first those that say what was
// shown, then the others.
func (s *spread) over(messages []agui.Message, at []int, as [][]agui.Message) (fresh []minted) {
	free := map[speech][]*record{}
	s.of, s.taken = map[*record]bool{}, map[*record]bool{}
	for _, r := range s.parts {
		s.of[r] = true
		k := speech{r.role, r.tag, r.shown.Text()}
		free[k] = append(free[k], r)
	}
	is := map[int]*record{}
	var left []int
	again := map[string]int{} // how often something is said
	for _, i := range at {
		m := messages[i]
		again[wholeOf(m)]++
		k := speech{m.Role, m.SubagentRunID, m.Content.Text()}
		if all := free[k]; len(all) > 0 {
			is[i], s.taken[all[0]], free[k] = all[0], true, all[1:]
			continue
		}
		left = append(left, i)
	}
	for _, i := range at {
		if is[i] != nil {
			as[i] = s.with(is[i], messages[i])
		}
	}
	for n, i := range left {
		m := messages[i]
		newest := s.c.byID[m.ID]
		if split := s.split(m); split != nil {
			as[i] = split
		} else if again[wholeOf(m)] > 1 {
			again[wholeOf(m)]--
			as[i] = nil // said twice
		} else if n == len(left)-1 && !s.taken[newest] {
			as[i] = s.with(newest, m)
		} else {
			fresh = append(fresh, minted{m.ID, s.c.newID(m.ID)})
			m.ID = fresh[len(fresh)-1].id
			as[i] = []agui.Message{m}
		}
	}
	return fresh
}

// wholeOf returns what a message says and calls.
func wholeOf(m agui.Message) string {
	whole := wordsOf(m.Content.Text(), m.Content)
	for _, tc := range m.ToolCalls {
		whole += "\x00" + tc.ID
	}
	return whole
}

// with returns m as r, nil for one that is not known. Calls of it that others of the
// messages hold stay with them, and these stay as they are.
func (s *spread) with(r *record, m agui.Message) (out []agui.Message) {
	if r != nil {
		m.ID = r.id
		s.taken[r] = true
	}
	var its []agui.ToolCall
	others := map[*record]int{} // places in out, and one
	for _, tc := range m.ToolCalls {
		t := s.c.calls[tc.ID]
		if t == nil || t.holder == nil || t.holder == r || !s.of[t.holder] {
			its = append(its, tc)
			continue
		}
		if others[t.holder] == 0 {
			if s.taken[t.holder] {
				its = append(its, tc)
				continue
			}
			s.taken[t.holder] = true
			out = append(out, t.holder.said())
			others[t.holder] = len(out)
		}
		held := &out[others[t.holder]-1]
		held.ToolCalls = append(held.ToolCalls, tc)
	}
	m.ToolCalls = its
	return append(out, m)
}

// said returns the message as it stands, without its calls.
func (r *record) said() agui.Message {
	m := agui.Message{
		ID: r.id, Role: r.role, Name: r.shown.Name, Content: r.raw, EncryptedValue: r.encrypted,
		SubagentRunID: r.tag, Metadata: r.metadata,
	}
	if m.Content.IsZero() && (r.shown.Len() > 0 || r.role != agui.RoleAssistant) {
		m.Content = agui.TextContent(r.shown.Text())
	}
	return m
}

// split returns m as the messages whose texts it begins with, nil when it does not. What it
// says beyond them is the last one's.
func (s *spread) split(m agui.Message) (out []agui.Message) {
	if raw := space(m.Content.Raw); len(raw) == 0 || raw[0] != '"' {
		return nil
	}
	var all []*record
	for _, r := range s.parts[max(0, len(s.parts)-maxEarlier):] {
		if !s.taken[r] && r.role == m.Role && r.tag == m.SubagentRunID {
			all = append(all, r)
		}
	}
	n, rest, spoke := 0, m.Content.Text(), false
	for n < len(all) {
		text := all[n].shown.Text()
		after, begins := strings.CutPrefix(rest, text)
		if !begins {
			if after, begins = strings.CutPrefix(strings.TrimSpace(rest), text); !begins {
				break
			}
		}
		spoke = spoke || text != ""
		rest = after
		n++
	}
	more := strings.TrimSpace(rest)
	if n == len(all)-1 && more != "" && spoke && all[0].number == all[n].number {
		n++ // the last one was changed
	} else {
		more = rest
		if n > 0 && more != "" {
			more = all[n-1].shown.Text() + more
		}
		if strings.TrimSpace(rest) == "" {
			more = ""
		}
	}
	if !spoke || n == 0 || strings.TrimSpace(rest) != "" && n < len(all) {
		return nil
	}
	calls := m.ToolCalls
	for i, r := range all[:n] {
		s.taken[r] = true
		part := m
		part.ID, part.Content, part.ToolCalls = r.id, agui.TextContent(r.shown.Text()), nil
		if i == n-1 && more != "" {
			part.Content = agui.TextContent(more)
		}
		var left []agui.ToolCall
		for _, tc := range calls {
			if t := s.c.calls[tc.ID]; i == n-1 || t != nil && t.holder == r {
				part.ToolCalls = append(part.ToolCalls, tc)
			} else {
				left = append(left, tc)
			}
		}
		calls = left
		out = append(out, part)
	}
	return out
}
