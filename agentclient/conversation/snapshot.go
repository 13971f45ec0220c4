package conversation

import (
	"bytes"
	"slices"

	"cairn/agui"
)

// This file merges a MESSAGES_SNAPSHOT (protocol section 6.6).

// messagesSnapshot merges: what the snapshot names stays in its place with the
// snapshot's content, and what is new is appended. What the user wrote stays as it is,
// whatever the snapshot says of it.
//
// By the protocol what it does not name goes. Here a snapshot takes nothing off the page
// that came in events of its own, for agents send empty ones, ones of the present run
// alone and ones that lag behind: what it does not name of earlier runs is not sent any
// more, but shown, and what it does not name of the present run stays. Where it has others
// in the place of all that it does not name of the present run, these are not sent, and
// those that only an earlier snapshot brought go (see unnamed.go). What it has without
// words, arguments or a result stays as it was, and a result that it leaves out too.
// Activities go by the ownership rule. What only snapshots have of nested agents, and what
// is for the model alone, is sent and not shown.
//
// Agents send one after every step and hostile ones at will, so it costs what the
// snapshot names and removes: what stays by these rules is in groups of its own that
// are not looked through. Only new calls of old messages go over the whole page, to
// stand behind them.
func (c *Conversation) messagesSnapshot(e *agui.MessagesSnapshot) {
	names := slices.ContainsFunc(e.Messages, usable)
	if !names {
		c.note("6.6", "a snapshot without messages; nothing is removed")
	}
	messages, newCalls := c.inCalls(c.withoutOurs("6.6", e.Messages))
	messages, newMessages := c.inParts(messages)
	former := c.adoptIDs(messages)
	for _, id := range c.aliases {
		if r := c.byID[id]; r != nil && r.id != id {
			delete(c.byID, id)
		}
	}
	c.aliases = c.aliases[:0]
	c.misplaced = false

	named, picked := c.takeApart(messages)
	hadResult := map[*call]call{}
	for _, t := range picked {
		if t.shown.HasResult && !t.delegated() {
			was := *t
			was.shown = &ToolCall{Status: t.shown.Status, Result: t.shown.Result, ResultParts: t.shown.ResultParts}
			hadResult[t] = was
			t.shown.HasResult, t.shown.Status = false, ToolIncomplete
		}
	}
	c.merging, c.blanks = true, 0
	for _, m := range messages {
		c.credit += creditEach * (1 + len(m.ToolCalls))
		c.mergeRow(m)
	}
	if c.blanks > 0 {
		c.note("6.6", "a snapshot has %d messages or calls without what they said; it stays", c.blanks)
	}
	c.settle(newMessages, newCalls)
	left := 0 // of what the run going on brought
	for _, t := range picked {
		was, had := hadResult[t]
		if had && !t.shown.HasResult { // the result that was seen stays
			c.answer(t.shown.ID, was.resultID, was.result, was.errorText, was.resultTag, was.resultMD)
			if !t.blank {
				left++
			}
		}
		t.blank = false
		if had && (t.shown.Status != was.shown.Status || t.shown.Result != was.shown.Result ||
			!bytes.Equal(t.shown.ResultParts.Raw, was.shown.ResultParts.Raw)) {
			c.touch(t.entry)
		}
	}
	c.merging = false

	var gone []*Entry
	if names {
		more := 0
		gone, more = c.dropUnnamed(messages, e.Metadata)
		left += more
	}
	if left > 0 {
		c.note("6.6", "a snapshot leaves out %d messages or results of the run going on; they stay", left)
	}
	for _, r := range named {
		r.was = nil
	}
	for _, t := range picked {
		if r := t.was; t.holder == nil && r != nil && r.named != c.epoch && !r.leaving { // its message stays
			c.dropOrphan(t)
			t.holder = r
			if t.shown.HasResult && !slices.Contains(r.answers, t) {
				r.answers = append(r.answers, t)
			}
		}
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

// takeApart marks the records that messages name and takes their calls and results
// off them. It returns those records, and the calls that messages name, which are without
// a holder then. A call that they do not name of a message that they do is not sent any
// more.
func (c *Conversation) takeApart(messages []agui.Message) (named []*record, picked []*call) {
	pick := func(id string) {
		t := c.calls[id]
		if t == nil || t.picked == c.epoch {
			return
		}
		t.picked, t.was, t.holder, t.aside = c.epoch, t.holder, nil, false
		c.forgetResult(t)
		picked = append(picked, t)
	}
	var had [][]*call // of each that is named
	for _, m := range messages {
		if r := c.byID[m.ID]; r != nil && r.named != c.epoch {
			r.named, r.aside, r.kept = c.epoch, false, false
			c.enlist(r)
			had = append(had, r.calls)
			r.was, r.calls, r.answers = r.answers, nil, nil
			named = append(named, r)
		}
		for _, tc := range m.ToolCalls {
			pick(tc.ID)
		}
		if m.Role == agui.RoleTool {
			pick(m.ToolCallID)
			if t := c.calls[m.ToolCallID]; t != nil && t.shown.Result != "" && m.Error == "" && isBlank(m.Content) {
				t.blank = true
				c.blanks++
			}
		}
	}
	for _, calls := range had {
		for _, t := range calls {
			c.walked++
			t.aside = t.picked != c.epoch
		}
	}
	return named, picked
}

// lose forgets a call that goes with its message.
func (c *Conversation) lose(t *call) {
	c.forgetResult(t)
	if c.calls[t.shown.ID] == t {
		delete(c.calls, t.shown.ID)
	}
}

func (c *Conversation) forgetResult(t *call) {
	if c.results[t.resultID] == t {
		delete(c.results, t.resultID)
	}
}

// tagged reports whether the snapshot speaks of subagents.
func tagged(messages []agui.Message) bool {
	return slices.ContainsFunc(messages, func(m agui.Message) bool { return m.SubagentRunID != "" })
}

// delegated reports a call that a subagent made, or the result of one.
func (t *call) delegated() bool {
	return t.holder != nil && t.holder.tag != "" || t.holder == nil && t.orphan != nil && t.orphan.tag != ""
}
