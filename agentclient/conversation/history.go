package conversation

import "cairn/agui"

// History gives the messages as the next run is sent them: in order, each tool
// result behind the message that called, activities left out because they are
// display state (protocol section 2.2), and so are a subagent's messages that a
// MESSAGES_SNAPSHOT left out. Messages that carry nothing are left out
// too, because models refuse them, and so are calls without an id with their results,
// because no request may hold those.
func (c *Conversation) History() []agui.Message { return c.HistoryWithout(nil) }

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
		m := agui.Message{
			ID: r.id, Role: r.role, Name: r.shown.Name, Content: r.raw, EncryptedValue: r.encrypted,
			SubagentRunID: r.tag, Metadata: r.metadata,
		}
		if m.Content.IsZero() && (text || r.role != agui.RoleAssistant) {
			m.Content = agui.TextContent(r.shown.Text())
		}
		for _, t := range r.calls {
			if t.shown.ID == "" {
				continue
			}
			m.ToolCalls = append(m.ToolCalls, agui.ToolCall{
				ID: t.shown.ID, Type: "function",
				Function:       agui.Function{Name: t.shown.Name, Arguments: t.shown.Args()},
				EncryptedValue: t.encrypted, Metadata: t.metadata,
			})
		}
		if text || len(m.ToolCalls) > 0 || r.encrypted != "" {
			out = append(out, m)
		}
		for _, t := range r.answers {
			if t.shown.ID == "" {
				continue
			}
			out = append(out, t.message())
		}
	}
	return out
}

// message is the tool message that answers the call.
func (t *call) message() agui.Message {
	return agui.Message{
		ID: t.resultID, Role: agui.RoleTool, ToolCallID: t.shown.ID, Content: t.result,
		Error: t.errorText, SubagentRunID: t.resultTag, Metadata: t.resultMD,
	}
}
