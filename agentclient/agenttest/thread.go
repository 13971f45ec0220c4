package agenttest

import (
	"encoding/json"
	"fmt"
	"slices"

	jsonpatch "github.com/evanphx/json-patch/v5"

	"cairn/agui"
)

// thread is what a player remembers of a conversation. It folds what it played
// in its own simple way, so that it can be held against the client's.
type thread struct {
	steps   map[string]bool // played
	sent    []string        // message ids of the last request
	said    []string        // assistant texts of finished runs
	calls   map[string]bool // tool calls that were seen to start
	results []string        // of those, the ones with a result
	state   json.RawMessage // at the end of the last finished run
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
	return &thread{steps: map[string]bool{}, calls: map[string]bool{}, state: json.RawMessage("{}")}
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
	var order []string
	texts := map[string]string{}
	state, finished := th.state, false
	paused := &pauseOf{runID: pl.runID, capturedRun: pl.capturedRun}
	open := false
	say := func(id, delta string) {
		if _, ok := texts[id]; !ok {
			order = append(order, id)
		}
		texts[id] += delta
	}
	last := ""
	for _, ev := range eventsOf(pl.frames) {
		if ev.Head().SubagentRunID != "" {
			continue // a child's transcript is no part of the history
		}
		switch e := ev.(type) {
		case *agui.TextMessageContent:
			say(e.MessageID, e.Delta)
		case *agui.TextMessageChunk:
			if e.MessageID != nil {
				last = *e.MessageID
			}
			if e.Delta != nil {
				say(last, *e.Delta)
			}
		case *agui.ToolCallStart:
			th.calls[e.ToolCallID] = true
		case *agui.ToolCallResult:
			if th.calls[e.ToolCallID] {
				th.results = append(th.results, e.ToolCallID)
			}
		case *agui.StateSnapshot:
			state = e.Snapshot
		case *agui.StateDelta:
			state = patched(state, e.Delta)
		case *agui.Custom:
			if notice, ok := e.Notice(); ok {
				open, paused.callID = true, notice.ToolCallID
			}
		case *agui.RunFinished:
			finished = true
			if e.Outcome != nil && e.Outcome.Type == agui.OutcomeInterrupt {
				open = true
				for _, it := range e.Outcome.Interrupts {
					paused.ids = append(paused.ids, it.ID)
				}
			}
		}
	}
	for _, id := range order {
		if texts[id] != "" {
			th.said = append(th.said, texts[id])
		}
	}
	if finished {
		th.state = state
	}
	if finished && open {
		th.paused = paused
	}
}

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
	next = 0
	for _, m := range in.Messages {
		if next < len(th.said) && m.Role == agui.RoleAssistant && m.Content.Text() == th.said[next] {
			next++
		}
	}
	if next < len(th.said) {
		return fmt.Errorf("history: assistant message %q is missing", th.said[next])
	}
	for _, id := range th.results {
		if !slices.ContainsFunc(in.Messages, func(m agui.Message) bool {
			return m.Role == agui.RoleTool && m.ToolCallID == id
		}) {
			return fmt.Errorf("history: the result of tool call %q is missing", id)
		}
	}
	return nil
}

func patched(state, delta json.RawMessage) json.RawMessage {
	patch, err := jsonpatch.DecodePatch(delta)
	if err != nil {
		return state
	}
	if next, err := patch.Apply(state); err == nil {
		return next
	}
	return state // a batch that fails changes nothing
}
