package dialect

import (
	"encoding/json"

	"cairn/agui"
	"cairn/internal/jsontext"
)

// ChildStarted shows the call, then the child that works on it.
func (p *protocol) ChildStarted(d Delegation) []agui.Event {
	evs := p.parent.call(d.Call)
	child := &messageWriter{newID: p.run.NewID, base: agui.Base{SubagentRunID: p.run.NewID()}}
	p.children[d.Call.ID] = child
	return append(evs, &agui.SubagentStarted{Base: child.base, Name: d.Child, Description: d.Description,
		ParentToolCallID: d.Call.ID, ParentMessageID: p.parent.message})
}

// ChildStep closes the text of the child, whose next answer is another message once
// its calls are shown.
func (p *protocol) ChildStep(callID string) []agui.Event { return p.children[callID].close() }

func (p *protocol) ChildText(callID, delta string) []agui.Event {
	return p.children[callID].text(delta)
}

func (p *protocol) ChildToolCall(callID string, call Call) []agui.Event {
	return p.children[callID].call(call)
}

// ChildToolResult ends a call of the child. What the child does after its results is
// another answer of its model; the calls of one answer are run one after the other, so
// each has a message.
func (p *protocol) ChildToolResult(callID, childCallID string, result json.RawMessage) []agui.Event {
	child := p.children[callID]
	child.step()
	return one(&agui.ToolCallResult{Base: child.base, MessageID: p.run.NewID(), ToolCallID: childCallID,
		Role: agui.RoleTool, Content: agui.TextContent(string(result))})
}

// ChildFinished ends the child; its last answer is the result of the call, as
// {"text": …}.
func (p *protocol) ChildFinished(callID, text string) []agui.Event {
	child := p.children[callID]
	delete(p.children, callID)
	evs := append(child.close(), &agui.SubagentFinished{Base: child.base, Result: jsontext.Must(text)})
	return append(evs, p.ToolResult(callID, jsontext.Must(map[string]string{"text": text}))...)
}

func (p *protocol) ChildFailed(callID, message string, result json.RawMessage) []agui.Event {
	return append(p.childFailed(callID, message), p.ToolResult(callID, result)...)
}

func (p *protocol) childFailed(callID, message string) []agui.Event {
	child := p.children[callID]
	delete(p.children, callID)
	return append(child.close(), &agui.SubagentError{Base: child.base, Message: message})
}
