package probe

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"cairn/agentclient/conversation"
	"cairn/agui"
)

// run is one exchange as the evaluation sees it. A nil run is a step that was not
// sent; its methods say no to everything.
type run struct {
	*Exchange
	events []Event
	broken []Violation

	started, terminal bool
	failure           *agui.RunError
	finish            *agui.RunFinished
	// notice is the frame of the first on_interrupt, outcome that of an interrupt
	// outcome; 0 is neither.
	notice, outcome int

	texts       []string // what the agent itself said, by message
	deltas      int      // of text
	snapshot    []string // said in MESSAGES_SNAPSHOT alone
	firstText   Event    // Frame is 0 when there is none
	lastText    Event
	calls       []*call
	byCall      map[string]*call
	results     []string
	snapshots   int // STATE_SNAPSHOT
	patches     int // STATE_DELTA
	badPatches  []Violation
	state       json.RawMessage
	diverged    bool
	delegations []*delegation
	byTag       map[string]*delegation
	httpRefused bool
}

// call is one tool call of the run.
type call struct {
	id, name    string
	frame       int
	args        strings.Builder
	ended       bool
	resultFrame int // 0 without a result
}

// delegation is one subagent at work.
type delegation struct {
	id, name     string
	frame, ended int // 0 while not announced, or not over
	outcome      agui.EventType
	deltas       []Event
	before       float64 // when the frame before its first delta came
}

// view folds an exchange.
func view(x *Exchange) *run {
	r := &run{Exchange: x, httpRefused: x.Status >= 400, byCall: map[string]*call{}, byTag: map[string]*delegation{}}
	r.events, r.broken = x.Events()
	known := map[string]bool{} // what was said before, or is said in events
	var in agui.RunAgentInput
	if json.Unmarshal(x.Request, &in) == nil {
		for _, m := range in.Messages {
			known[said(m)] = true
		}
	}
	conv := conversation.New()
	if len(in.State) > 0 && len(r.events) > 0 {
		conv.Apply(&agui.RunStarted{Base: agui.Base{Type: agui.TypeRunStarted}, RunID: x.RunID})
		conv.Apply(&agui.StateSnapshot{Base: agui.Base{Type: agui.TypeStateSnapshot}, Snapshot: in.State})
		conv.Apply(&agui.RunFinished{Base: agui.Base{Type: agui.TypeRunFinished}, RunID: x.RunID})
		conv.BeginRun(x.RunID)
	}
	var texts []*strings.Builder
	byID := map[string]*strings.Builder{}
	var whole []agui.Message // of the last MESSAGES_SNAPSHOT
	lastID, lastCall, before := "", "", -1.0
	text := func(ev Event, id, delta string) {
		if delta == "" {
			return
		}
		if tag := ev.Head().SubagentRunID; tag != "" {
			d := r.delegation(tag)
			if len(d.deltas) == 0 {
				d.before = before
			}
			d.deltas = append(d.deltas, ev)
			return
		}
		if byID[id] == nil {
			byID[id] = &strings.Builder{}
			texts = append(texts, byID[id])
		}
		byID[id].WriteString(delta)
		if r.deltas++; r.deltas == 1 {
			r.firstText = ev
		}
		r.lastText = ev
	}
	for _, ev := range r.events {
		if r.terminal {
			break // what follows is a violation
		}
		if changes := conv.Apply(ev.Event); changes.Notes > 0 && ev.Head().Type == agui.TypeStateDelta {
			notes := conv.Notes()
			if n := len(notes); n > 0 && strings.HasPrefix(notes[n-1].Rule, "6") {
				r.badPatches = append(r.badPatches, Violation{x.Number, ev.Frame, notes[n-1].Rule, notes[n-1].Text})
			}
		}
		switch e := ev.Event.(type) {
		case *agui.RunStarted:
			r.started = true
		case *agui.RunFinished:
			r.finish, r.terminal = e, true
			if e.Outcome != nil && e.Outcome.Type == agui.OutcomeInterrupt {
				r.outcome = ev.Frame
			}
		case *agui.RunError:
			r.failure, r.terminal = e, true
		case *agui.Custom:
			if _, asks := e.Notice(); asks && r.notice == 0 {
				r.notice = ev.Frame
			}
		case *agui.TextMessageContent:
			text(ev, e.MessageID, e.Delta)
		case *agui.TextMessageChunk:
			if e.MessageID != nil {
				lastID = *e.MessageID
			}
			if e.Delta != nil {
				text(ev, lastID, *e.Delta)
			}
		case *agui.ToolCallStart:
			r.call(ev.Frame, e.ToolCallID, e.ToolCallName)
		case *agui.ToolCallArgs:
			r.call(ev.Frame, e.ToolCallID, "").args.WriteString(e.Delta)
		case *agui.ToolCallEnd:
			r.call(ev.Frame, e.ToolCallID, "").ended = true
		case *agui.ToolCallChunk:
			name := ""
			if e.ToolCallID != nil {
				lastCall = *e.ToolCallID
			}
			if e.ToolCallName != nil {
				name = *e.ToolCallName
			}
			c := r.call(ev.Frame, lastCall, name)
			c.ended = true // chunks have no end of their own
			if e.Delta != nil {
				c.args.WriteString(*e.Delta)
			}
		case *agui.ToolCallResult:
			if c := r.byCall[e.ToolCallID]; c != nil {
				c.resultFrame = ev.Frame
			}
			if e.SubagentRunID == "" {
				r.results = append(r.results, e.Content.Text())
			}
		case *agui.StateSnapshot:
			r.snapshots++
		case *agui.StateDelta:
			r.patches++
		case *agui.MessagesSnapshot:
			whole = e.Messages
		case *agui.SubagentStarted:
			d := r.delegation(e.SubagentRunID)
			d.name, d.frame = e.Name, ev.Frame
		case *agui.SubagentFinished:
			d := r.delegation(e.SubagentRunID)
			d.ended, d.outcome = ev.Frame, agui.TypeSubagentFinished
		case *agui.SubagentError:
			d := r.delegation(e.SubagentRunID)
			d.ended, d.outcome = ev.Frame, agui.TypeSubagentError
		}
		before = ev.MS
	}
	for _, b := range texts {
		r.texts = append(r.texts, b.String())
	}
	for _, t := range slices.Concat(r.texts, r.results) {
		known[strings.TrimSpace(t)] = true
	}
	for _, m := range whole {
		if m.Role != agui.RoleAssistant && m.Role != agui.RoleTool || m.SubagentRunID != "" {
			continue
		}
		if t := said(m); t != "" && !known[t] {
			r.snapshot = append(r.snapshot, t)
		}
	}
	r.state, r.diverged = conv.State(), conv.Diverged()
	return r
}

func said(m agui.Message) string { return strings.TrimSpace(m.Content.Text()) }

func (r *run) call(frame int, id, name string) *call {
	c := r.byCall[id]
	if c == nil {
		c = &call{id: id, name: name, frame: frame}
		r.calls = append(r.calls, c)
		r.byCall[id] = c
	}
	return c
}

func (r *run) delegation(id string) *delegation {
	d := r.byTag[id]
	if d == nil {
		d = &delegation{id: id, before: -1}
		r.delegations = append(r.delegations, d)
		r.byTag[id] = d
	}
	return d
}

// finished reports a run that ended well, paused or not.
func (r *run) finished() bool { return r != nil && r.finish != nil && r.Failed == "" }

// asks reports a pause.
func (r *run) asks() bool { return r.finished() && (r.notice > 0 || r.outcome > 0) }

// refused reports an answer that says no: an HTTP status or RUN_ERROR.
func (r *run) refused() bool { return r != nil && (r.httpRefused || r.failure != nil) }

// cut reports an answer that said neither yes nor no.
func (r *run) cut() bool {
	return r != nil && !r.Aborted && !r.finished() && !r.refused()
}

// words is everything said and given back, streamed or not.
func (r *run) words() []string {
	if r == nil {
		return nil
	}
	return slices.Concat(r.results, r.texts, r.snapshot)
}

// ref names a transcript.
func (r *run) ref() string { return fmt.Sprintf("[%02d]", r.Number) }

// at names a frame of a transcript.
func (r *run) at(frame int) string { return fmt.Sprintf("[%02d frame %d]", r.Number, frame) }

// quote is what the agent said, at most n characters of it.
func quote(s string, n int) string {
	if utf8.RuneCountInString(s) > n {
		return fmt.Sprintf("%.*q…", n, s)
	}
	return strconv.Quote(s)
}

// why says how a run came to an end other than a good one.
func (r *run) why() string {
	switch {
	case r == nil:
		return "was not sent"
	case r.failure != nil:
		text := "RUN_ERROR " + quote(r.failure.Message, 120)
		if r.failure.Code != "" {
			text += fmt.Sprintf(" (%s)", quote(r.failure.Code, 40))
		}
		return text
	case r.Status == 0:
		return r.Failed
	case r.Status != 200:
		return fmt.Sprintf("HTTP %d", r.Status)
	case r.Failed != "":
		return r.Failed
	case !r.stream():
		return fmt.Sprintf("HTTP 200 with %s instead of an event stream", quote(r.ContentType, 60))
	case r.finish != nil:
		return "the run finished"
	}
	return "the stream ended without RUN_FINISHED or RUN_ERROR"
}
