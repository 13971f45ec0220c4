package dialect

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"cairn/agui"
)

// The nodes of the graph, which are the steps of a run.
const (
	nodeDesk     = "desk"
	nodeTools    = "tools"
	nodeApproval = "approval"
)

// chainRun begins the id of a message that a model wrote.
const chainRun = "lc_run--"

type langgraph struct {
	run    Run
	native bool
	// state is the shared state, nil when there is none. It is sent at the end of approval
	// and of the run.
	state json.RawMessage

	node     string // the step that is open, or empty
	asked    bool   // the model is asked again, so its node begins anew
	began    int    // messages sent before the node began
	anything bool   // a node has begun in this run

	said      []*agui.Message // by this run
	turn      *agui.Message   // the model's newest message
	text      strings.Builder // of the turn
	writing   bool            // the turn's text is open
	pauses    []Suspension
	client    map[string]*openCall // calls of the client that still stream
	children  map[string]*langgraphChild
	sent      int            // bytes of the client's conversation
	shown     int            // bytes of the conversation that were sent before the run's end
	overheard []agui.Message // messages of children
}

func (m *langgraph) Started() []agui.Event {
	return one(&agui.RunStarted{ThreadID: m.run.ThreadID, RunID: m.run.RunID})
}

func (m *langgraph) Opened(state json.RawMessage) []agui.Event {
	m.state = state
	return nil
}

func (m *langgraph) Finished(usage *agui.TokenUsage) []agui.Event {
	evs := append(m.leave(), m.whole()...)
	return append(evs, &agui.RunFinished{ThreadID: m.run.ThreadID, RunID: m.run.RunID, Usage: counted(usage)})
}

// Interrupted sends the node that pauses, which has no messages. A question that is sent
// again comes without it (measured, 14).
func (m *langgraph) Interrupted(usage *agui.TokenUsage) []agui.Event {
	var evs []agui.Event
	if m.anything {
		evs = append(m.leave(), &agui.StepStarted{StepName: nodeApproval})
		evs = append(evs, m.whole()...)
		evs = append(evs, &agui.StepFinished{StepName: nodeApproval})
	}
	end := &agui.RunFinished{ThreadID: m.run.ThreadID, RunID: m.run.RunID, Usage: counted(usage)}
	if m.native {
		end.Outcome = m.outcome()
		return append(evs, end)
	}
	return append(append(evs, m.notices()...), end)
}

// Failed closes what is open; the bridge leaves the step as it is.
func (m *langgraph) Failed(code, message string) []agui.Event {
	var evs []agui.Event
	for _, callID := range slices.Sorted(maps.Keys(m.children)) {
		evs = append(evs, m.breakOff(callID, message)...)
	}
	evs = append(evs, m.endText()...)
	if m.node != "" {
		evs = append(evs, &agui.StepFinished{StepName: m.node})
	}
	return append(evs, &agui.RunError{Code: code, Message: message})
}

func (m *langgraph) Step() { m.asked = true }

// enter begins a node, after the one before has ended.
func (m *langgraph) enter(node string) []agui.Event {
	if m.node == node && !(m.asked && node == nodeDesk) {
		return nil
	}
	evs := m.leave()
	m.node, m.anything, m.began = node, true, len(m.said)
	if node == nodeDesk {
		m.asked, m.turn = false, &agui.Message{ID: chainRun + m.run.NewID(), Role: agui.RoleAssistant, Content: agui.TextContent("")}
		m.said = append(m.said, m.turn)
		m.text.Reset()
	}
	return append(evs, &agui.StepStarted{StepName: node})
}

// leave ends the open node. It sends what desk and approval wrote, of the shared state
// what approval wrote; it does not send what tools wrote (measured, 05 and 06).
func (m *langgraph) leave() []agui.Event {
	if m.node == "" {
		return nil
	}
	evs := m.endText()
	for _, c := range m.client {
		c.settle()
	}
	switch m.node {
	case nodeDesk:
		evs = append(evs, snapshot(nil, m.said[m.began:]))
	case nodeApproval:
		evs = append(evs, snapshot(m.state, m.said[m.began:]))
	}
	evs = append(evs, &agui.StepFinished{StepName: m.node})
	m.node = ""
	return evs
}

func (m *langgraph) Text(delta string) []agui.Event {
	evs := m.enter(nodeDesk)
	if !m.writing {
		m.writing = true
		evs = append(evs, &agui.TextMessageStart{MessageID: m.turn.ID, Role: agui.RoleAssistant})
	}
	m.text.WriteString(delta)
	return append(evs, &agui.TextMessageContent{MessageID: m.turn.ID, Delta: delta})
}

func (m *langgraph) endText() []agui.Event {
	if !m.writing {
		return nil
	}
	m.writing = false
	m.turn.Content = agui.TextContent(m.text.String())
	return one(&agui.TextMessageEnd{MessageID: m.turn.ID})
}

// Suspended sends nothing: the question is at the end of the run.
func (m *langgraph) Suspended(s Suspension) []agui.Event {
	if s.State != nil {
		m.state = s.State
	}
	m.pauses = append(m.pauses, s)
	return nil
}

// Concluded is never streamed: the text of the node approval is in the snapshots only
// (measured, 06). A text that the client has already is not sent again.
func (m *langgraph) Concluded(text string) []agui.Event {
	evs := m.enter(nodeApproval)
	if n := len(m.run.Messages); n > 0 && m.run.Messages[n-1].Role == agui.RoleAssistant && m.run.Messages[n-1].Content.Text() == text {
		return evs
	}
	m.said = append(m.said, &agui.Message{ID: m.run.NewID(), Role: agui.RoleAssistant, Content: agui.TextContent(text)})
	return evs
}
