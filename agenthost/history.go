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
	begun := map[string]bool{} // runs whose first call without a result was met
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
		if slices.ContainsFunc(list, func(m Message) bool { return m.ToolCallID == in.ToolCallID }) {
			continue
		}
		at := len(list)
		for at > 0 && list[at-1].Role == "user" {
			at--
		}
		list = slices.Insert(list, at, Message{Role: "tool", ToolCallID: in.ToolCallID, Content: result})
	}
	return list
}

// noResult stands for the result of a call that never got one.
const noResult = `{"error":true,"message":"No result was recorded for this call."}`

// repair puts each call's result right after the call, adds the missing ones and
// the calls of results that lack one, and drops results nobody asked for.
func repair(list []Message, interrupts []Interrupt) []Message {
	results := map[string]Message{}
	called := map[string]bool{}
	for _, m := range list {
		if m.Role == "tool" {
			results[m.ToolCallID] = m
		}
		for _, c := range m.ToolCalls {
			called[c.ID] = true
		}
	}
	var out []Message
	for _, m := range list {
		if m.Role == "tool" {
			if called[m.ToolCallID] {
				continue // follows its call
			}
			i := slices.IndexFunc(interrupts, func(in Interrupt) bool { return in.ToolCallID == m.ToolCallID })
			if i < 0 {
				continue
			}
			called[m.ToolCallID] = true
			call := ToolCall{m.ToolCallID, interrupts[i].ToolName, string(interrupts[i].Args)}
			out = append(out, Message{Role: "assistant", ToolCalls: []ToolCall{call}}, results[m.ToolCallID])
			continue
		}
		out = append(out, m)
		for _, c := range m.ToolCalls {
			r, ok := results[c.ID]
			if !ok {
				r = Message{Role: "tool", ToolCallID: c.ID, Content: noResult}
			}
			out = append(out, r)
		}
	}
	return out
}

// withClientResults adds the results of client tools that came with a decision.
func withClientResults(list []Message, sent []agui.Message) []Message {
	for _, m := range sent {
		if m.Role != agui.RoleTool || slices.ContainsFunc(list, func(o Message) bool { return o.ToolCallID == m.ToolCallID }) {
			continue
		}
		list = append(list, clientResult(m))
	}
	return list
}
