package conversation

import (
	"bytes"
	"cmp"
	"encoding/json"
	"strings"

	"cairn/agui"
)

// toolStart opens a call, or opens one again: agents replay calls, and go on with the
// arguments of one that had ended. What comes is added to the arguments, but for a whole
// call that is told again; see settleArgs.
func (c *Conversation) toolStart(e *agui.ToolCallStart) {
	t := c.called(e.ToolCallID, e.SubagentRunID)
	if t != nil && c.anotherCall(t, e) {
		c.releaseCall(c.calls[e.ToolCallID])
		t = nil
	}
	if t == nil || t.holder == nil {
		holder := c.holder(e)
		t = c.newCall(t, e.ToolCallID, holder, cmp.Or(e.SubagentRunID, holder.tag))
		t.shown.ParentMessageID = e.ParentMessageID
	}
	if t.ended {
		if t.answered() {
			t.restart = &agui.ToolCallStart{
				Base:       agui.Base{SubagentRunID: e.SubagentRunID},
				ToolCallID: e.ToolCallID, ToolCallName: e.ToolCallName, ParentMessageID: e.ParentMessageID,
			}
		}
		t.ended, t.again = false, t.whole
	}
	if t.shown.Name != "" && t.shown.Name != e.ToolCallName {
		c.note("6.3", "tool call %s was %s and is now %s", short(e.ToolCallID), short(t.shown.Name), short(e.ToolCallName))
	}
	t.shown.Name = e.ToolCallName
	if !t.shown.HasResult && t.shown.Status != ToolRunning {
		t.shown.Status = ToolRunning
		c.live.calls = append(c.live.calls, t)
	}
	t.metadata = merge(t.metadata, e.Metadata)
	c.showCall(t)
}

// newCall makes a call in holder, or returns an orphan result's call its holder.
// The call is not yet running.
func (c *Conversation) newCall(t *call, id string, holder *record, tag string) *call {
	if t == nil {
		t = &call{shown: &ToolCall{ID: id}, turn: c.turn, stage: c.stage}
		t.tag = tag
		c.addCall(t, tag)
		c.misplaced = c.misplaced || holder.made != c.epoch
	} else {
		c.misplaced = c.misplaced || t.was != holder
	}
	t.holder = holder
	holder.streamed = holder.streamed || !c.merging
	holder.calls = append(holder.calls, t)
	// The answer under its call replaces the orphan message.
	c.dropOrphan(t)
	if t.shown.HasResult {
		holder.answers = append(holder.answers, t)
	}
	return t
}

// addCall adds a call that was not known. One of a nested agent's that only a snapshot
// has is not shown.
func (c *Conversation) addCall(t *call, tag string) {
	c.calls[t.shown.ID] = t
	if c.merging && tag != "" {
		return
	}
	t.entry = &Entry{ToolCall: t.shown}
	c.addEntry(c.subagentOf(tag), t.entry)
}

// showCall shows a call, also one that only a snapshot had until now.
func (c *Conversation) showCall(t *call) {
	if t.entry != nil {
		c.touch(t.entry)
		return
	}
	tag := t.resultTag
	if t.holder != nil {
		tag = t.holder.tag
		t.holder.streamed = true
	}
	t.entry = &Entry{ToolCall: t.shown}
	c.addEntry(c.subagentOf(tag), t.entry)
}

// holder finds or makes the assistant message a call stands in (section 6.3). One of an
// earlier turn holds no call of this one.
func (c *Conversation) holder(e *agui.ToolCallStart) *record {
	id := cmp.Or(e.ParentMessageID, e.ToolCallID)
	r := c.byID[id]
	if r != nil && r.role != agui.RoleAssistant && id != e.ToolCallID {
		c.note("6.3", "parent %s of tool call %s is no assistant message", short(id), short(e.ToolCallID))
		id = e.ToolCallID
		r = c.byID[id]
	}
	if r == nil && c.results[id] != nil {
		if r = c.live.holders[id]; r == nil {
			c.note("6.3", "parent %s of tool call %s is the result of another", short(id), short(e.ToolCallID))
			r = c.newRecord(id, agui.RoleAssistant, e.SubagentRunID, false)
			if c.live.holders == nil {
				c.live.holders = map[string]*record{}
			}
			c.live.holders[id] = r
		}
		return r
	}
	another := e.ParentMessageID == "" && e.SubagentRunID != "" && r != nil && r.tag != e.SubagentRunID
	if r != nil && r.role == agui.RoleAssistant && r.turn == c.turn && !another {
		return r
	}
	return c.newUnder(id, agui.RoleAssistant, e.SubagentRunID)
}

func (c *Conversation) toolArgs(e *agui.ToolCallArgs) {
	t := c.called(e.ToolCallID, e.SubagentRunID)
	if t == nil {
		c.note("6.3", "arguments for unknown tool call %s; dropped", short(e.ToolCallID))
		return
	}
	if c.over(t) {
		c.note("6.3", "arguments for tool call %s of an earlier turn; dropped", short(e.ToolCallID))
		return
	}
	if t.again {
		n := t.more.Len()
		t.more.add(e.Delta)
		if t.restart != nil && !strings.HasPrefix(t.shown.Args()[n:], t.more.String()[n:]) {
			t = c.part(t)
		}
	} else {
		t.shown.args.add(e.Delta)
	}
	t.metadata = merge(t.metadata, e.Metadata)
	c.showCall(t)
}

func (c *Conversation) toolEnd(e *agui.ToolCallEnd) {
	t := c.called(e.ToolCallID, e.SubagentRunID)
	if t == nil || c.over(t) {
		return
	}
	t.ended = true
	c.settleArgs(t, false)
	t.metadata = merge(t.metadata, e.Metadata)
	c.touch(t.entry)
}

// answered reports whether the call is whole and has its result, so that nothing can go on
// with it.
func (t *call) answered() bool { return t.ended && t.whole && t.shown.HasResult }

// part makes a call of its own of the arguments that came since an answered call was started
// again: they are not those that it has.
func (c *Conversation) part(t *call) *call {
	start, more := t.restart, t.more.String()
	held := t.more.held
	t.restart, t.again, t.ended, t.more = nil, false, true, growing{}
	c.releaseCall(t)
	holder := c.holder(start)
	n := c.newCall(nil, start.ToolCallID, holder, cmp.Or(start.SubagentRunID, holder.tag))
	n.shown.Name, n.shown.ParentMessageID, n.shown.Status = start.ToolCallName, start.ParentMessageID, ToolRunning
	n.shown.args.WriteString(more)
	n.shown.args.held = held
	c.live.calls = append(c.live.calls, n)
	return n
}

// settleArgs ends the arguments of a call. Whole arguments that were told again take the
// place of those before; anything else is added to them, but for what the end of the run cut
// off.
func (c *Conversation) settleArgs(t *call, cut bool) {
	t.restart = nil
	if t.again {
		t.again = false
		t.more.end()
		more := t.more.String()
		t.more = growing{}
		if cut && !json.Valid([]byte(more)) {
			t.ended = true
			return
		}
		switch {
		case more == "" || more == t.shown.Args():
			return
		case json.Valid([]byte(more)):
			t.shown.args.set(more)
		default:
			t.shown.args.add(more)
			t.whole = false
		}
		c.touch(t.entry)
		return
	}
	if t.shown.args.held != "" {
		t.shown.args.end()
		c.touch(t.entry)
	}
	t.judge()
}

// freeJudging is how many bytes of a call's arguments are looked through, besides a few
// times all of them, to find out whether they are JSON. An agent may end a call as often as
// it likes.
const freeJudging = 64 << 10

// judge finds out whether the arguments are JSON; those that grow in very many steps are
// taken for none.
func (t *call) judge() {
	n := t.shown.args.Len()
	if n == t.judged {
		return
	}
	t.judged = n
	t.judging += n
	t.whole = t.judging <= freeJudging+8*n && json.Valid([]byte(t.shown.Args()))
}

// toolResult answers a call. A result that is here already, by its message id,
// changes nothing; another one for the same call replaces the first.
func (c *Conversation) toolResult(e *agui.ToolCallResult) {
	if known := c.results[e.MessageID]; known != nil && known.shown.ID == e.ToolCallID {
		return
	}
	id := e.ToolCallID
	if t := c.called(id, e.SubagentRunID); t != nil {
		taken := c.byID[e.MessageID]
		if t.shown.HasResult && t.given != "" && t.given == e.MessageID && t.turn == c.turn && (taken == nil || !taken.local) {
			return
		}
		id = t.shown.ID
	}
	c.answer(id, e.MessageID, e.Content, "", e.SubagentRunID, e.Metadata)
}

func (c *Conversation) answer(callID, messageID string, content agui.Content, errorText, tag string, md map[string]json.RawMessage) {
	if content = c.textOrParts(content, messageID); content.IsZero() {
		content = agui.TextContent("")
	}
	t := c.calls[callID]
	if t != nil && !t.shown.HasResult && content.Text() == NoResult && messageID == c.answerID(t) {
		return // our own words, told again
	}
	if t == nil {
		t = &call{shown: &ToolCall{ID: callID}, turn: c.turn, stage: c.stage, ended: true}
		c.addCall(t, tag)
	}
	if r := c.byID[messageID]; r != nil {
		whose := "a message"
		if r.local {
			whose = "what the user wrote"
		}
		c.note("6.3", "result of tool call %s under the id of %s, %s; it gets another", short(callID), whose, short(messageID))
		messageID = c.resultID(t, messageID)
	}
	if other := c.results[messageID]; other != nil && other != t {
		c.renameResult(other)
	}
	switch {
	case t.shown.HasResult:
		c.note("6.3", "another result for tool call %s; the last counts", short(callID))
		delete(c.results, t.resultID)
		if t.orphan != nil {
			t.orphan.id, t.orphan.tag = messageID, tag
		}
	case t.holder == nil:
		c.keepPlace(t, messageID, tag)
	default:
		t.holder.answers = append(t.holder.answers, t)
	}
	c.results[messageID] = t
	t.resultID, t.resultTag, t.errorText = messageID, tag, errorText
	t.result = agui.Content{Raw: bytes.Clone(content.Raw)} // without the rest of its frame
	t.resultMD = merge(nil, md)
	t.shown.Result, t.shown.HasResult = resultText(content), true
	t.shown.ResultParts = partsOf(t.result)
	t.shown.ResultError = errorText != "" || SaysFailed(t.shown.Result)
	t.shown.Status = ToolComplete
	if t.shown.ResultError {
		t.shown.Status = ToolError
	}
	if c.merging {
		c.touch(t.entry)
		return
	}
	if t.holder != nil {
		t.holder.streamed = true
	}
	c.showCall(t)
}

// keepPlace keeps the place of a result without a call: at the end, and of one
// that a snapshot names where it is, be it under a call that the snapshot does not
// name.
func (c *Conversation) keepPlace(t *call, messageID, tag string) {
	if t.orphan != nil && t.orphan.id == messageID {
		t.orphan.named, t.orphan.tag = c.epoch, tag
		return
	}
	r := &record{
		id: messageID, role: agui.RoleTool, tag: tag, toolID: t.shown.ID, made: c.epoch, streamed: !c.merging,
		shown: &Message{ID: messageID, Role: agui.RoleTool},
	}
	t.orphan = r
	if t.was != nil && t.resultID == messageID {
		r.placed = true
		c.placed = append(c.placed, t)
	} else {
		c.list.insert(c.list.last, r)
	}
	c.enlist(r)
}

func (c *Conversation) dropOrphan(t *call) {
	r := t.orphan
	if r == nil {
		return
	}
	t.orphan, r.placed = nil, false
	c.list.remove(r)
	c.enlist(r)
}

// resultText is the result as text: of content parts their text alone, since the others
// are in ResultParts. Content that is neither is shown as JSON.
func resultText(content agui.Content) string {
	if t := content.Text(); t != "" || len(content.Raw) > 0 && content.Raw[0] == '"' || !partsOf(content).IsZero() {
		return t
	}
	return string(content.Raw)
}
