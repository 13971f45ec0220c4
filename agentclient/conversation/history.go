package conversation

import (
	"cmp"

	"cairn/agui"
)

// History returns the messages as the next run is sent them: in order, each tool
// result behind the message that called, activities left out because they are
// display state (protocol section 2.2), and so are messages and calls that a
// MESSAGES_SNAPSHOT left out. Messages that carry nothing are left out too, because
// models refuse them, and so are calls without an id with their results, because no
// request may hold those.
//
// Agents hand calls on to models that refuse one without a result or with half of its
// arguments, for ever. So a call that nothing waits for any more is answered with
// [NoResult], and left out when its arguments are not whole.
func (c *Conversation) History() []agui.Message { return c.HistoryWithout(nil) }

// NoResult is what a call is answered with in a history when it ended without a result.
const NoResult = "The call ended without a result."

// HistoryWithout is History without what the named runs brought: runs that failed
// and are asked for again.
func (c *Conversation) HistoryWithout(runs map[string]bool) []agui.Message {
	var out []agui.Message
	for r := c.list.first; r != nil; r = r.next {
		if r.role == agui.RoleActivity || r.aside || !r.local && runs[r.run] {
			continue
		}
		if r.role == agui.RoleTool {
			if t := c.calls[r.toolID]; t != nil && r.toolID != "" {
				out = append(out, t.message())
			}
			continue
		}
		text := r.shown.Len() > 0 || !r.raw.IsZero()
		m := r.said()
		var unanswered []*call
		for _, t := range r.calls {
			if t.holder != r || !c.sent(t) {
				continue
			}
			if !t.shown.HasResult && !c.waits(t) {
				unanswered = append(unanswered, t)
			}
			m.ToolCalls = append(m.ToolCalls, agui.ToolCall{
				ID: t.shown.ID, Type: "function",
				Function:       agui.Function{Name: t.shown.Name, Arguments: t.arguments()},
				EncryptedValue: t.encrypted, Metadata: t.metadata,
			})
		}
		if text || len(m.ToolCalls) > 0 || r.encrypted != "" {
			out = append(out, m)
		}
		for _, t := range r.answers {
			if t.holder == r && c.sent(t) {
				out = append(out, t.message())
			}
		}
		for _, t := range unanswered {
			out = append(out, agui.Message{
				ID: c.answerID(t), Role: agui.RoleTool, ToolCallID: t.shown.ID,
				Content: agui.TextContent(NoResult), SubagentRunID: r.tag,
			})
		}
	}
	return out
}

// waits reports whether the call may still get its result: the run that called goes on, or
// has paused and is gone on with. Of a pause whose run failed afterwards only what it named
// waits.
func (c *Conversation) waits(t *call) bool {
	paused := c.resumes && (c.run.Status == RunInterrupted || t.shown.Status == ToolRunning)
	return t.turn == c.turn && (c.run.Status == RunRunning || paused)
}

// sent reports whether a request may hold the call.
func (c *Conversation) sent(t *call) bool {
	if t.shown.ID == "" || t.aside {
		return false
	}
	return t.shown.HasResult || t.ended && (t.whole || t.shown.args.Len() == 0) || c.waits(t)
}

// arguments are the call's, "{}" when they are none that a model takes.
func (t *call) arguments() string {
	if t.whole {
		return t.shown.Args()
	}
	return "{}"
}

// answerID returns an id for the message that says that a call has no result, the same in
// each request.
func (c *Conversation) answerID(t *call) string {
	id := cmp.Or(t.shown.ID, "call") + "~none"
	for c.byID[id] != nil || c.results[id] != nil {
		id += "~"
	}
	return id
}

// message is the tool message that answers the call.
func (t *call) message() agui.Message {
	return agui.Message{
		ID: t.resultID, Role: agui.RoleTool, ToolCallID: t.shown.ID, Content: t.result,
		Error: t.errorText, SubagentRunID: t.resultTag, Metadata: t.resultMD,
	}
}
