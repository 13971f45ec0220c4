package agenthost

import (
	"fmt"
	"strings"

	"cairn/agui"
)

// history turns the conversation a client sends into the model's, as a request that
// every Chat Completions server accepts: see [repair]. What children said, activities
// and reasoning stay out. Message ids matter only where an assistant's message is told
// again within its turn: what is the same in it counts once.
func history(sent []agui.Message, interrupts []Interrupt) []Message {
	var list []Message
	told := map[toldPart]bool{} // by the assistant's messages of the turn
	for _, m := range sent {
		if m.SubagentRunID != "" {
			continue
		}
		switch m.Role {
		case agui.RoleUser:
			list = append(list, Message{Role: "user", Content: contentText(m.Content)})
			clear(told)
		case agui.RoleSystem, agui.RoleDeveloper:
			list = append(list, Message{Role: "system", Content: contentText(m.Content)})
		case agui.RoleAssistant:
			list = append(list, assistantMessage(m, told))
		case agui.RoleTool:
			list = append(list, clientResult(m))
		}
	}
	return repair(list, interrupts)
}

// toldPart is what a message with an id says: a text, or a call.
type toldPart struct {
	id, text string
	call     ToolCall
}

// assistantMessage leaves out what an earlier message with the id has told already.
func assistantMessage(m agui.Message, told map[toldPart]bool) Message {
	fresh := func(p toldPart) bool {
		again := told[p]
		told[p] = m.ID != ""
		return !again
	}
	msg := Message{Role: "assistant"}
	if text := contentText(m.Content); text != "" && fresh(toldPart{id: m.ID, text: text}) {
		msg.Content = text
	}
	for _, c := range m.ToolCalls {
		if call := (ToolCall{c.ID, c.Function.Name, c.Function.Arguments}); fresh(toldPart{id: m.ID, call: call}) {
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

// contentText returns content as text, with a note in the place of each part that is
// none, so that a message of pictures alone is not an empty one.
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

// withClientResults adds the results of client tools that came with a decision. A call
// that is answered already keeps its answer.
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
