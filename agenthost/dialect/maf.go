package dialect

import (
	"encoding/json"
	"maps"
	"slices"

	"cairn/agui"
	"cairn/internal/jsontext"
)

// AgentFramework sends events as the bridge agent-framework-ag-ui 1.7 of the Microsoft
// Agent Framework does: a message around every turn, calls that end when they have
// their result, state that is predicted from a call's arguments, pauses in the
// outcome, and the whole conversation at a run's end. The bridge sends
// token counts after each answer; here they are sent once, for the run.
type AgentFramework struct {
	// Predict are the arguments that become state; an agent without state has none.
	Predict []Prediction
}

// Prediction makes an argument of a tool a member of the state as soon as the call has
// it.
type Prediction struct {
	StateKey     string `json:"state_key"`
	Tool         string `json:"tool"`
	ToolArgument string `json:"tool_argument"`
}

// NewWriter implements [Dialect].
func (d AgentFramework) NewWriter(r Run) EventWriter {
	m := &maf{run: r, predict: d.Predict, behind: map[int][]*agui.Message{}, callAt: map[string]int{},
		results: map[string]*agui.Message{}, told: map[string]*openCall{}, children: map[string]*mafChild{}}
	sent := slices.Clone(r.Messages)
	for i := range sent {
		m.note(&sent[i])
	}
	return m
}

// maf is the event writer. history is the conversation as MESSAGES_SNAPSHOT will have it, but
// for the results in behind.
type maf struct {
	run     Run
	predict []Prediction

	history []*agui.Message
	// behind are this run's results of calls, by the index in history of the message
	// that has the call. They follow the results that the message has in history.
	behind    map[int][]*agui.Message
	callAt    map[string]int           // index in history of the message with a call
	results   map[string]*agui.Message // the first of a call
	added     bool                     // the client did not send all of it
	writing   *agui.Message            // the open message, nil without one
	writingAt int                      // its index in history
	text      []byte                   // of the open message
	stepped   bool                     // the next event belongs to another message
	told      map[string]*openCall     // calls of this run that have not ended
	state     json.RawMessage          // as last sent whole; nil when unknown
	waiting   []agui.Interrupt

	children map[string]*mafChild
}

func (m *maf) Started() []agui.Event {
	return one(&agui.RunStarted{ThreadID: m.run.ThreadID, RunID: m.run.RunID})
}

// Opened sends the predictions and the state, where every predicted member is an object
// until it is known: a later patch replaces it (measured transcript maf/01).
func (m *maf) Opened(state json.RawMessage) []agui.Event {
	if len(m.predict) == 0 && absent(state) {
		return nil
	}
	var evs []agui.Event
	if len(m.predict) > 0 {
		evs = append(evs, &agui.Custom{Name: "PredictState", Value: jsontext.Must(m.predict)})
	}
	return append(evs, m.tellState(state))
}

// whole returns the state with every predicted member, its names in order.
func (m *maf) whole(state json.RawMessage) json.RawMessage {
	all := map[string]json.RawMessage{}
	for _, p := range m.predict {
		all[p.StateKey] = json.RawMessage("{}")
	}
	maps.Copy(all, members(state))
	return jsontext.Must(all)
}

// members returns the members of an object, none for another value.
func members(object json.RawMessage) (m map[string]json.RawMessage) {
	if json.Unmarshal(object, &m) != nil {
		return nil
	}
	return m
}

func (m *maf) tellState(state json.RawMessage) agui.Event {
	m.state = m.whole(state)
	return &agui.StateSnapshot{Snapshot: m.state}
}

// Snapshot sends nothing when the state is the one last sent.
func (m *maf) Snapshot(state json.RawMessage) []agui.Event {
	if string(m.whole(state)) == string(m.state) {
		return nil
	}
	return one(m.tellState(state))
}

func (m *maf) Delta(patch json.RawMessage) []agui.Event {
	m.state = nil
	return one(&agui.StateDelta{Delta: patch})
}

func (m *maf) Shared(state json.RawMessage) []agui.Event { return one(m.tellState(state)) }

func (m *maf) Finished(usage *agui.TokenUsage) []agui.Event {
	return m.end(usage, &agui.RunFinished{ThreadID: m.run.ThreadID, RunID: m.run.RunID})
}

func (m *maf) Interrupted(usage *agui.TokenUsage) []agui.Event {
	return m.end(usage, &agui.RunFinished{ThreadID: m.run.ThreadID, RunID: m.run.RunID,
		Outcome: &agui.Outcome{Type: agui.OutcomeInterrupt, Interrupts: m.waiting}})
}

// end sends the token counts while the last message is open, closes it and sends the
// conversation, unless the client has all of it.
func (m *maf) end(usage *agui.TokenUsage, last agui.Event) []agui.Event {
	var evs []agui.Event
	if usage != nil {
		evs = append(evs, &agui.Custom{Name: "usage", Value: jsontext.Must(map[string]int64{
			"input_token_count": usage.InputTokens, "output_token_count": usage.OutputTokens, "total_token_count": usage.TotalTokens,
			"cache_read_input_token_count": usage.CachedInputTokens, "reasoning_output_token_count": usage.ReasoningTokens})})
	}
	evs = append(evs, m.closeMessage()...)
	if m.added {
		evs = append(evs, &agui.MessagesSnapshot{Messages: m.conversation()})
	}
	return append(evs, last)
}

// Failed closes the agents still at work. A message that was being written stays
// open: it was cut off.
func (m *maf) Failed(code, message string) []agui.Event {
	var evs []agui.Event
	for _, callID := range slices.Sorted(maps.Keys(m.children)) {
		evs = append(evs, m.broke(callID)...)
	}
	return append(evs, &agui.RunError{Code: code, Message: message})
}
