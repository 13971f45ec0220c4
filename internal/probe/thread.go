package probe

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/google/uuid"

	"cairn/agentclient/conversation"
	"cairn/agentclient/interrupt"
	"cairn/agui"
)

// thread is one conversation with the agent, under an id nobody used before.
type thread struct {
	id      string
	chat    *conversation.Conversation
	session *interrupt.Session
	state   json.RawMessage // as the last run that ended well left it
}

func newThread(s Scenario, p interrupt.Profile) *thread {
	return &thread{id: uuid.NewString(), chat: conversation.New(), session: interrupt.New(s.Transport, p), state: json.RawMessage("{}")}
}

// input is the next request on the thread: its history, and the state that the last good run
// left, so that a step that is meant to fail changes nothing for those after it.
func (t *thread) input(runID string) agui.RunAgentInput {
	return agui.RunAgentInput{
		ThreadID: t.id, RunID: runID, ProtocolVersion: agui.ProtocolVersion,
		State: t.state, Messages: t.history(), Tools: []agui.Tool{}, Context: []agui.ContextItem{},
		ForwardedProps: json.RawMessage("{}"),
	}
}

// history is the conversation's, with calls as they stand: a step may say something else
// first and answer a pause after it, and the agent is to be measured at that.
func (t *thread) history() []agui.Message {
	return slices.DeleteFunc(t.chat.History(), func(m agui.Message) bool {
		return m.Role == agui.RoleTool && m.Content.Text() == conversation.NoResult
	})
}

func userMessage(text string) agui.Message {
	return agui.Message{ID: uuid.NewString(), Role: agui.RoleUser, Content: agui.TextContent(text)}
}

// observe folds an exchange into the thread.
func (t *thread) observe(x *Exchange) {
	events, _ := x.Events()
	t.chat.BeginRun(x.RunID)
	for _, ev := range events {
		t.chat.Apply(ev.Event)
		t.session.Observe(ev.Event, x.RunID)
	}
	t.chat.EndRun(conversation.RunTruncated)
	if s := t.chat.Run().Status; s == conversation.RunFinished || s == conversation.RunInterrupted {
		t.state = t.chat.State()
	}
	ended := interrupt.EndedBroken
	if x.stream() && !x.Aborted && x.Failed == "" {
		ended = interrupt.EndedClean
	}
	t.session.RunEnded(x.RunID, ended)
}

// say sends a message, and nil when the step could not be sent.
func (d *driver) say(ctx context.Context, t *thread, surface, name, text string) *Exchange {
	t.chat.AddMessage(userMessage(text))
	return d.post(ctx, t, surface, name, uuid.NewString(), interrupt.Wire{}, nil)
}

// post runs the agent on the thread as it stands.
func (d *driver) post(ctx context.Context, t *thread, surface, name, runID string, w interrupt.Wire, text func(int) bool) *Exchange {
	x := d.begin(ctx, t, surface, name, runID, w, text)
	t.observe(x)
	return d.done(x)
}

// begin is post without what comes after the answer.
func (d *driver) begin(ctx context.Context, t *thread, surface, name, runID string, w interrupt.Wire, text func(int) bool) *Exchange {
	in := t.input(runID)
	if w.ForwardedProps != nil {
		in.ForwardedProps = w.ForwardedProps
	}
	in.Resume = w.Resume
	body, err := in.MarshalJSON() // whose errors speak of the protocol
	if err != nil {
		step := d.take(surface, name)
		return &Exchange{Step: step, File: step.file(), ThreadID: t.id, RunID: runID, Failed: notSent + err.Error(), unencodable: true}
	}
	return d.exchange(ctx, surface, name, t, runID, request{body: body, text: text})
}
