package agenthost

import (
	"fmt"
	"strings"

	"cairn/agui"
)

// history converts the conversation that a client sends into the model's, which every
// Chat Completions server accepts: see [repair]. It omits messages of children,
// activities and reasoning. When an assistant's message is repeated within its turn,
// under the same id, equal parts count once.
func history(sent []agui.Message, interrupts []Interrupt) []Message {
	var list []Message
	seen := map[seenPart]bool{} // in the assistant's messages of the turn
	for _, m := range sent {
		if m.SubagentRunID != "" {
			continue
		}
		switch m.Role {
		case agui.RoleUser:
			list = append(list, Message{Role: "user", Content: contentText(m.Content)})
			clear(seen)
		case agui.RoleSystem, agui.RoleDeveloper:
			list = append(list, Message{Role: "system", Content: contentText(m.Content)})
		case agui.RoleAssistant:
			list = append(list, assistantMessage(m, seen))
		case agui.RoleTool:
			list = append(list, clientResult(m))
		}
	}
	return repair(list, interrupts)
}

// seenPart is a part of a message with an id: a text, or a call.
type seenPart struct {
	id, text string
	call     ToolCall
}

// assistantMessage omits the parts that an earlier message with the id has.
func assistantMessage(m agui.Message, seen map[seenPart]bool) Message {
	fresh := func(p seenPart) bool {
		again := seen[p]
		seen[p] = m.ID != ""
		return !again
	}
	msg := Message{Role: "assistant"}
	if text := contentText(m.Content); text != "" && fresh(seenPart{id: m.ID, text: text}) {
		msg.Content = text
	}
	for _, c := range m.ToolCalls {
		if call := (ToolCall{c.ID, c.Function.Name, c.Function.Arguments}); fresh(seenPart{id: m.ID, call: call}) {
			msg.ToolCalls = append(msg.ToolCalls, call)
		}
	}
	return msg
}

func clientResult(m agui.Message) Message {
	text := contentText(m.Content)
	if text == "" && m.Error != "" {
		text = string(failure(m.Error))
	}
	return Message{Role: "tool", ToolCallID: m.ToolCallID, Content: text}
}

// contentText returns content as text, with a note in place of each part that is not
// text, so that a message with only pictures is not empty.
func contentText(c agui.Content) string {
	if len(c.Raw) == 0 || c.Raw[0] != '[' {
		return c.Text()
	}
	parts, _ := c.Parts()
	var b strings.Builder
	for _, p := range parts {
		if p.Type == agui.PartText {
			b.WriteString(p.Text)
			continue
		}
		if b.Len() > 0 {
			b.WriteByte('\n')
		}
		fmt.Fprintf(&b, "[%s attached, which cannot be read here]", p.Type)
	}
	return b.String()
}

// withClientResults adds the results of client tools that came with a decision, except
// those of calls that have a result.
func withClientResults(list []Message, sent []agui.Message) []Message {
	answered := map[string]bool{}
	for _, m := range list {
		if m.Role == "tool" {
			answered[m.ToolCallID] = true
		}
	}
	for _, m := range sent {
		if m.Role == agui.RoleTool && m.SubagentRunID == "" && !answered[m.ToolCallID] {
			list = append(list, clientResult(m))
		}
	}
	return list
}
