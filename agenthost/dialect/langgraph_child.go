package dialect

import (
	"encoding/json"
	"strings"

	"cairn/agui"
)

// nodeModel is where a child's graph asks the model.
const nodeModel = "model"

// langgraphChild is one child agent.
type langgraphChild struct {
	runID   string
	step    string // open, or empty
	message string // id of the message being written, or empty
	text    strings.Builder
}

func (c *langgraphChild) base() agui.Base { return agui.Base{SubagentRunID: c.runID} }

// ChildStarted sends the call, then the state and the conversation while there is room,
// then the child, whose description is its prompt (measured, 19).
func (m *langgraph) ChildStarted(d Delegation) []agui.Event {
	evs := append(m.ToolCall(d.Call), m.enter(nodeTools)...)
	evs = append(evs, m.wholeMidway()...)
	child := &langgraphChild{runID: "tools:" + m.run.NewID()}
	m.children[d.Call.ID] = child
	return append(evs, &agui.SubagentStarted{Base: child.base(), Name: d.Child, Description: d.Prompt,
		ParentToolCallID: d.Call.ID, ParentMessageID: m.turn.ID})
}

// enter begins a step of the child's graph.
func (c *langgraphChild) enter(step string) []agui.Event {
	if c.step == step {
		return nil
	}
	var evs []agui.Event
	if c.step != "" {
		evs = one(&agui.StepFinished{Base: c.base(), StepName: c.step})
	}
	c.step = step
	return append(evs, &agui.StepStarted{Base: c.base(), StepName: step})
}

func (m *langgraph) ChildText(callID, delta string) []agui.Event {
	c := m.children[callID]
	evs := c.enter(nodeModel)
	if c.message == "" {
		c.message = chainRun + m.run.NewID()
		c.text.Reset()
		evs = append(evs, &agui.TextMessageStart{Base: c.base(), MessageID: c.message, Role: agui.RoleAssistant})
	}
	c.text.WriteString(delta)
	return append(evs, &agui.TextMessageContent{Base: c.base(), MessageID: c.message, Delta: delta})
}

// ChildStep closes the message the child was writing.
func (m *langgraph) ChildStep(callID string) []agui.Event {
	c := m.children[callID]
	if c.message == "" {
		return nil
	}
	m.overheard = append(m.overheard, agui.Message{ID: c.message, Role: agui.RoleAssistant,
		Content: agui.TextContent(c.text.String()), SubagentRunID: c.runID})
	ev := &agui.TextMessageEnd{Base: c.base(), MessageID: c.message}
	c.message = ""
	return one(ev)
}

func (m *langgraph) ChildToolCall(callID string, call Call) []agui.Event {
	c := m.children[callID]
	evs := append(m.ChildStep(callID), c.enter(nodeModel)...)
	return append(evs, callEvents(call, "", c.runID)...)
}

func (m *langgraph) ChildToolResult(callID, childCallID string, result json.RawMessage) []agui.Event {
	c := m.children[callID]
	return append(c.enter(nodeTools), &agui.ToolCallResult{Base: c.base(), MessageID: childCallID,
		ToolCallID: childCallID, Role: agui.RoleTool, Content: agui.TextContent(plainText(result))})
}

// close ends what the child has open and removes it.
func (m *langgraph) close(callID string) (*langgraphChild, []agui.Event) {
	c := m.children[callID]
	evs := m.ChildStep(callID)
	if c.step != "" {
		evs = append(evs, &agui.StepFinished{Base: c.base(), StepName: c.step})
	}
	delete(m.children, callID)
	return c, evs
}

func (m *langgraph) ChildFinished(callID, text string) []agui.Event {
	c, evs := m.close(callID)
	return append(evs, &agui.SubagentFinished{Base: c.base()}, m.result(callID, text))
}

func (m *langgraph) ChildFailed(callID, message string, result json.RawMessage) []agui.Event {
	return append(m.breakOff(callID, message), m.result(callID, plainText(result)))
}

func (m *langgraph) breakOff(callID, message string) []agui.Event {
	c, evs := m.close(callID)
	return append(evs, &agui.SubagentError{Base: c.base(), Message: message})
}
