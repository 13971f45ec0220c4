package agenttest

import (
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"cairn/agentclient"
	"cairn/agentclient/conversation"
	"cairn/agui"
)

// thread is what a player remembers of a conversation: the session that an agent with this
// transcript leaves a client with, so that the next request can be held against it.
type thread struct {
	session *agentclient.Session
	steps   map[string]bool // played
	sent    []string        // message ids of the last request
	paused  *pauseOf
}

// pauseOf is a pause that waits for a decision.
type pauseOf struct {
	runID       string // live
	capturedRun string
	callID      string
	ids         []string // of the native interrupts, live
}

func newThread() *thread {
	return &thread{session: agentclient.NewSession(agentclient.SessionConfig{}), steps: map[string]bool{}}
}

// begin prepares the answer to an accepted request. A decision is used up by it,
// so that a second one that arrives meanwhile is refused.
func (th *thread) begin(st Step, in agui.RunAgentInput, d *decision) *playback {
	th.steps[st.Name] = true
	th.sent = th.sent[:0]
	for _, m := range in.Messages {
		th.sent = append(th.sent, m.ID)
	}
	pl := &playback{thread: th, runID: in.RunID, input: in}
	pl.frames = splitFrames(st.Transcript)
	swap := map[string]string{}
	for _, ev := range eventsOf(pl.frames) {
		if e, ok := ev.(*agui.RunStarted); ok {
			pl.capturedRun, pl.capturedThread = e.RunID, e.ThreadID
			break
		}
	}
	swap[pl.capturedRun], swap[pl.capturedThread] = in.RunID, in.ThreadID
	if d != nil {
		swap[th.paused.capturedRun] = th.paused.runID
		for _, ev := range eventsOf(pl.frames) {
			if e, ok := ev.(*agui.ToolCallResult); ok && th.paused.callID != "" {
				swap[e.ToolCallID] = th.paused.callID
				break
			}
		}
		th.paused = nil
	}
	for i, f := range pl.frames {
		pl.frames[i] = rewrite(f, swap)
	}
	return pl
}

// played folds a transcript that was sent whole.
func (th *thread) played(pl *playback) {
	th.ask(pl)
	callID := "" // that the notice of a pause names
	for _, ev := range eventsOf(pl.frames) {
		if e, ok := ev.(*agui.Custom); ok {
			if notice, ok := e.Notice(); ok {
				callID = notice.ToolCallID
			}
		}
		th.session.Apply(ev)
	}
	th.session.End(agentclient.EndData{Outcome: agentclient.OutcomeFinished}, time.Time{})
	a := th.session.Open()
	if a == nil || a.Decision != nil || a.PausedRun != pl.runID {
		return
	}
	th.paused = &pauseOf{runID: pl.runID, capturedRun: pl.capturedRun, callID: callID}
	for _, p := range a.Pending {
		th.paused.ids = append(th.paused.ids, p.ID)
	}
}

// ask folds what the request asked for.
func (th *thread) ask(pl *playback) {
	var turn agentclient.Turn
	err := error(nil)
	if a := th.session.Open(); a != nil {
		turn, err = th.session.Decide(pl.runID, a.Generation, agentclient.Alike(len(a.Pending), true), time.Time{})
	} else {
		turn.Records = append(turn.Records, agentclient.NewRecord(agentclient.RecordRun, pl.runID, agentclient.RunData{Reason: agentclient.ReasonMessage}))
	}
	if err == nil {
		_, err = th.session.Begin(turn)
	}
	if err != nil { // a decision that the session would not have sent
		th.session = agentclient.NewSession(agentclient.SessionConfig{})
	}
}

// state is the shared state at the end of the last run.
func (th *thread) state() json.RawMessage { return th.session.Conversation.State() }

// checkHistory holds a request's messages against what was said before it.
func (th *thread) checkHistory(in agui.RunAgentInput) error {
	next := 0
	for _, m := range in.Messages {
		if next < len(th.sent) && m.ID == th.sent[next] {
			next++
		}
	}
	if next < len(th.sent) {
		return fmt.Errorf("history: message %q of the request before is missing", th.sent[next])
	}
	said := slices.DeleteFunc(slices.Clone(th.session.Conversation.Entries()), func(e *conversation.Entry) bool {
		return e.Message == nil || e.Message.Role != agui.RoleAssistant || e.Message.Len() == 0
	})
	next = 0
	for _, m := range in.Messages {
		if next < len(said) && m.Role == agui.RoleAssistant && m.Content.Text() == said[next].Message.Text() {
			next++
		}
	}
	if next < len(said) {
		return fmt.Errorf("history: assistant message %q is missing", said[next].Message.Text())
	}
	for _, e := range th.session.Conversation.Entries() {
		if e.ToolCall == nil || !e.ToolCall.HasResult || e.ToolCall.Name == "" {
			continue
		}
		if !slices.ContainsFunc(in.Messages, func(m agui.Message) bool {
			return m.Role == agui.RoleTool && m.ToolCallID == e.ToolCall.ID
		}) {
			return fmt.Errorf("history: the result of tool call %q is missing", e.ToolCall.ID)
		}
	}
	return nil
}
