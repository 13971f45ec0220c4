package agenthost

import (
	"slices"

	"cairn/agui"
)

// history turns the conversation a client sends into the model's. What children
// said, activities and reasoning stay out. A model refuses a result without its
// call and a call without its result, so both are made whole: from the thread's
// interrupts where those know, since a suspended call never showed on the wire.
func history(sent []agui.Message, interrupts []Interrupt) []Message {
	var list []Message
	for _, m := range sent {
		if m.SubagentRunID != "" {
			continue
		}
		switch m.Role {
		case agui.RoleUser:
			list = append(list, Message{Role: "user", Content: m.Content.Text()})
		case agui.RoleSystem, agui.RoleDeveloper:
			list = append(list, Message{Role: "system", Content: m.Content.Text()})
		case agui.RoleAssistant:
			msg := Message{Role: "assistant", Content: m.Content.Text()}
			for _, c := range m.ToolCalls {
				msg.ToolCalls = append(msg.ToolCalls, ToolCall{c.ID, c.Function.Name, c.Function.Arguments})
			}
			if msg.Content != "" || len(msg.ToolCalls) > 0 {
				list = append(list, msg)
			}
		case agui.RoleTool:
			list = append(list, clientResult(m))
		}
	}
	return repair(insertUnseen(list, interrupts), interrupts)
}

func clientResult(m agui.Message) Message {
	text := m.Content.Text()
	if text == "" && m.Error != "" {
		text = string(failure(m.Error))
	}
	return Message{Role: "tool", ToolCallID: m.ToolCallID, Content: text}
}

// insertUnseen tells the model of decided calls whose result the client never
// got, before the newest message of the user: what was booked stays booked.
func insertUnseen(list []Message, interrupts []Interrupt) []Message {
	seen := map[string]bool{} // calls with a result in the list
	for _, m := range list {
		seen[m.ToolCallID] = true
	}
	begun := map[string]bool{} // runs whose first call without a result was met
	var unseen []Message
	for _, in := range interrupts {
		var result string
		switch in.State {
		case StateDecided: // calls of one pause are carried out in order
			result = string(failure("The outcome of this call is not known."))
			if begun[in.RunID] {
				result = string(failure("This call was not carried out."))
			}
			begun[in.RunID] = true
		case StateResulted, StateLeft:
			result = string(in.Result)
		default:
			continue
		}
		if !seen[in.ToolCallID] {
			seen[in.ToolCallID] = true
			unseen = append(unseen, Message{Role: "tool", ToolCallID: in.ToolCallID, Content: result})
		}
	}
	at := len(list)
	for at > 0 && list[at-1].Role == "user" {
		at--
	}
	return slices.Insert(list, at, unseen...)
}

// noResult stands for the result of a call that never got one.
const noResult = `{"error":true,"message":"No result was recorded for this call."}`

// results are the results of the calls that have one id, oldest first. Ids are not
// always unique, so each result goes to one call.
type results struct {
	list  []string
	calls int // still without a result
	known *Interrupt
}

// next returns the result of the next call: the oldest, and of the last call the
// newest.
func (r *results) next() string {
	if r.calls--; len(r.list) == 0 {
		return noResult
	}
	at := 0
	if r.calls <= 0 {
		at = len(r.list) - 1
	}
	result := r.list[at]
	r.list = r.list[at+1:]
	return result
}

// repair puts each call's result right after the call, adds the missing ones and
// the calls of results that lack one, and drops results nobody asked for. Its cost
// and the size of what it returns are linear in the list.
func repair(list []Message, interrupts []Interrupt) []Message {
	byID := map[string]*results{}
	of := func(id string) *results {
		if byID[id] == nil {
			byID[id] = &results{}
		}
		return byID[id]
	}
	for _, m := range list {
		if m.Role == "tool" {
			r := of(m.ToolCallID)
			r.list = append(r.list, m.Content)
		}
		for _, c := range m.ToolCalls {
			of(c.ID).calls++
		}
	}
	for i := range interrupts {
		if r := byID[interrupts[i].ToolCallID]; r != nil && r.calls == 0 && r.known == nil {
			r.known = &interrupts[i]
		}
	}
	out := make([]Message, 0, len(list))
	for _, m := range list {
		if m.Role != "tool" {
			out = append(out, m)
			for _, c := range m.ToolCalls {
				out = append(out, Message{Role: "tool", ToolCallID: c.ID, Content: byID[c.ID].next()})
			}
			continue
		}
		r := byID[m.ToolCallID]
		if r.known == nil {
			continue // follows its call, or has none
		}
		call := ToolCall{m.ToolCallID, r.known.ToolName, string(r.known.Args)}
		out = append(out, Message{Role: "assistant", ToolCalls: []ToolCall{call}}, Message{Role: "tool", ToolCallID: m.ToolCallID, Content: r.next()})
		r.known = nil
	}
	return out
}

// withClientResults adds the results of client tools that came with a decision.
func withClientResults(list []Message, sent []agui.Message) []Message {
	seen := map[string]bool{}
	for _, m := range list {
		seen[m.ToolCallID] = true
	}
	for _, m := range sent {
		if m.Role == agui.RoleTool && !seen[m.ToolCallID] {
			seen[m.ToolCallID] = true
			list = append(list, clientResult(m))
		}
	}
	return list
}
