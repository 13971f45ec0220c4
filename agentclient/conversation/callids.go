package conversation

import (
	"maps"
	"slices"

	"cairn/agui"
)

// This file reads a MESSAGES_SNAPSHOT that has several calls under one id, as agents have
// that number them anew in each turn.

// request is what distinguishes calls under one id.
type request struct{ id, name, args string }

func requestOf(tc agui.ToolCall) request {
	return request{tc.ID, tc.Function.Name, tc.Function.Arguments}
}

// inCalls returns the messages of a snapshot with each of several calls under one id, and
// its result, under an id of its own. Fresh are those that were not shown yet.
func (c *Conversation) inCalls(messages []agui.Message) (out []agui.Message, fresh []minted) {
	times := map[string]int{} // calls under an id that are not the same
	for _, m := range messages {
		for _, tc := range m.ToolCalls {
			times[tc.ID]++
		}
	}
	reads := len(c.former) > 0
	for id, n := range times {
		reads = reads || n > 1
		times[id] = 0
	}
	if !reads {
		return messages, nil
	}
	at := map[request]int{} // after how many of the user's messages it was told last, and one
	turn := 1
	for _, m := range messages {
		if m.Role == agui.RoleUser {
			turn++
		}
		for _, tc := range m.ToolCalls {
			if at[requestOf(tc)] != turn {
				at[requestOf(tc)] = turn
				times[tc.ID]++
			}
		}
	}
	k := callKeys{
		c: c, times: maps.Clone(times), taken: map[*call]bool{}, free: map[request][]*call{},
		listed: map[string]bool{}, told: map[request]told{},
	}
	read := map[string][]string{} // by the id given, those of the calls so far
	answered := map[string]bool{}
	for _, m := range messages {
		switch {
		case m.Role == agui.RoleUser:
			k.turn++
		case m.Role == agui.RoleTool && len(read[m.ToolCallID]) > 0:
			m.ToolCallID = c.answeredBy(m, read[m.ToolCallID], answered)
			answered[m.ToolCallID] = true
		}
		if len(m.ToolCalls) > 0 {
			m.ToolCalls = slices.Clone(m.ToolCalls)
		}
		for i := range m.ToolCalls {
			tc := &m.ToolCalls[i]
			given := tc.ID
			if given == "" {
				continue
			}
			if was, ok := k.told[requestOf(*tc)]; ok && was.turn == k.turn {
				tc.ID = was.id
				continue
			}
			key := requestOf(*tc)
			times[given]--
			if times[given] > 0 || len(read[given]) > 0 || len(c.former[given]) > 0 {
				if tc.ID = k.find(m, *tc, times[given] == 0); tc.ID == "" {
					tc.ID = c.newCallID(given)
					fresh = append(fresh, minted{given, tc.ID})
				}
			}
			k.told[key] = told{k.turn, tc.ID}
			read[given] = append(read[given], tc.ID)
		}
		out = append(out, m)
	}
	return out, fresh
}

// answeredBy returns which of the calls that a snapshot has under one id a result of it is
// for: the one that it answered before, else the last one without a result.
func (c *Conversation) answeredBy(m agui.Message, ids []string, answered map[string]bool) string {
	if t := c.results[m.ID]; t != nil && slices.Contains(ids[max(0, len(ids)-maxEarlier):], t.shown.ID) {
		return t.shown.ID
	}
	for n, id := range slices.Backward(ids) {
		if !answered[id] {
			return id
		}
		if n < len(ids)-maxEarlier {
			break
		}
	}
	return ids[len(ids)-1]
}

// told is a call of a snapshot, and after how many of the user's messages it comes.
type told struct {
	turn int
	id   string
}

// callKeys finds out which calls those of a snapshot are.
type callKeys struct {
	c      *Conversation
	times  map[string]int
	turn   int
	taken  map[*call]bool
	free   map[request][]*call
	listed map[string]bool // ids whose calls are in free
	told   map[request]told
}

// find returns the id of the call that a message of the snapshot has, empty when it is none
// that is known and has to get one.
func (k *callKeys) find(m agui.Message, tc agui.ToolCall, last bool) string {
	t := k.match(m, tc)
	newest := k.c.calls[tc.ID]
	switch {
	case t != nil:
	case last && !k.taken[newest]:
		t = newest
	default:
		return ""
	}
	if t == nil {
		return tc.ID
	}
	k.taken[t] = true
	return t.shown.ID
}

// match returns the call of the same message that has or had the id of tc, else one that
// asks for the same.
func (k *callKeys) match(m agui.Message, tc agui.ToolCall) *call {
	c := k.c
	if !k.listed[tc.ID] {
		k.listed[tc.ID] = true
		all := c.former[tc.ID]
		all = all[max(0, len(all)-max(k.times[tc.ID], maxEarlier)):]
		for _, t := range append(slices.Clone(all), c.calls[tc.ID]) {
			if t != nil && c.calls[t.shown.ID] == t {
				r := request{tc.ID, t.shown.Name, t.shown.Args()}
				k.free[r] = append(k.free[r], t)
			}
		}
	}
	var its *call // of the same message
	if r := c.byID[m.ID]; r != nil {
		for _, t := range r.calls[max(0, len(r.calls)-maxEarlier):] {
			if k.taken[t] || t.holder != r || t.asked != tc.ID && t.shown.ID != tc.ID {
				continue
			}
			if t.shown.Name == tc.Function.Name && t.shown.Args() == tc.Function.Arguments {
				return t
			}
			its = t
		}
	}
	if its != nil {
		return its
	}
	all := k.free[requestOf(tc)]
	for len(all) > 0 && k.taken[all[0]] {
		all = all[1:]
	}
	k.free[requestOf(tc)] = all
	if len(all) == 0 {
		return nil
	}
	return all[0]
}

// newCallID returns a call id that nothing has.
func (c *Conversation) newCallID(id string) string {
	for {
		if next := c.mint(id); c.calls[next] == nil {
			return next
		}
	}
}

// settle remembers by which ids the agent has what a snapshot brought.
func (c *Conversation) settle(messages, calls []minted) {
	for _, f := range messages {
		if r := c.byID[f.id]; r != nil {
			c.had(f.given, r)
		}
	}
	for _, f := range calls {
		if t := c.calls[f.id]; t != nil {
			t.asked = f.given
			c.former[f.given] = append(c.former[f.given], t)
		}
	}
}
