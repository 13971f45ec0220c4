package probe

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"cairn/agentclient"
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
	args        string
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
	r := &run{Exchange: x, httpRefused: x.Status >= 400, byTag: map[string]*delegation{}}
	var s *agentclient.Session
	s, r.events, r.broken = x.fold()
	known := map[string]bool{} // what was said before, or is said in events
	var in agui.RunAgentInput
	if json.Unmarshal(x.Request, &in) == nil {
		for _, m := range in.Messages {
			known[said(m)] = true
		}
	}
	f := folding{run: r, byCall: map[string]*call{}, streamed: map[int]bool{}, before: -1}
	for _, ev := range r.events {
		if r.terminal {
			break // what follows is a violation
		}
		f.text = false
		for _, e := range ev.effects {
			switch e.Kind {
			case agentclient.EffectEvent:
				f.event(ev, e.Event)
			case agentclient.EffectEntry:
				f.entry(s, e.Key)
			case agentclient.EffectStateRefused:
				r.badPatches = append(r.badPatches, Violation{x.Number, ev.Frame, e.Note.Rule, e.Note.Text})
			}
		}
		f.before = ev.MS
	}
	for _, e := range s.Conversation.Entries() {
		switch {
		case f.streamed[e.Key]:
			r.texts = append(r.texts, e.Message.Text())
		case e.ToolCall != nil && f.byCall[e.ToolCall.ID] != nil:
			f.byCall[e.ToolCall.ID].args = e.ToolCall.Args()
		}
	}
	for _, t := range slices.Concat(r.texts, r.results) {
		known[strings.TrimSpace(t)] = true
	}
	for _, m := range f.whole {
		if m.Role != agui.RoleAssistant && m.Role != agui.RoleTool || m.SubagentRunID != "" {
			continue
		}
		if t := said(m); t != "" && !known[t] {
			r.snapshot = append(r.snapshot, t)
		}
	}
	r.state, r.diverged = s.Conversation.State(), s.Conversation.Diverged()
	return r
}

// folding is a run being looked through.
type folding struct {
	*run
	byCall   map[string]*call
	streamed map[int]bool // entries with text of the agent's own that was streamed
	text     bool         // the event being looked at has such text
	whole    []agui.Message
	before   float64 // when the frame before came
}

// event notes an event, of which chunks are expanded.
func (f *folding) event(ev Event, expanded agui.Event) {
	switch e := expanded.(type) {
	case *agui.RunStarted:
		f.started = true
	case *agui.RunFinished:
		f.finish, f.terminal = e, true
		if e.Outcome != nil && e.Outcome.Type == agui.OutcomeInterrupt {
			f.outcome = ev.Frame
		}
	case *agui.RunError:
		f.failure, f.terminal = e, true
	case *agui.Custom:
		if _, asks := e.Notice(); asks && f.notice == 0 {
			f.notice = ev.Frame
		}
	case *agui.TextMessageContent:
		f.delta(ev, e)
	case *agui.ToolCallStart:
		f.call(ev.Frame, e.ToolCallID, e.ToolCallName)
	case *agui.ToolCallEnd:
		f.call(ev.Frame, e.ToolCallID, "").ended = true
	case *agui.ToolCallResult:
		if c := f.byCall[e.ToolCallID]; c != nil {
			c.resultFrame = ev.Frame
		}
		if e.SubagentRunID == "" {
			f.results = append(f.results, e.Content.Text())
		}
	case *agui.StateSnapshot:
		f.snapshots++
	case *agui.StateDelta:
		f.patches++
	case *agui.MessagesSnapshot:
		f.whole = e.Messages
	case *agui.SubagentStarted:
		d := f.delegation(e.SubagentRunID)
		d.name, d.frame = e.Name, ev.Frame
	case *agui.SubagentFinished:
		d := f.delegation(e.SubagentRunID)
		d.ended, d.outcome = ev.Frame, agui.TypeSubagentFinished
	case *agui.SubagentError:
		d := f.delegation(e.SubagentRunID)
		d.ended, d.outcome = ev.Frame, agui.TypeSubagentError
	}
}

// delta notes text that was streamed.
func (f *folding) delta(ev Event, e *agui.TextMessageContent) {
	if e.Delta == "" {
		return
	}
	if tag := e.SubagentRunID; tag != "" {
		d := f.delegation(tag)
		if len(d.deltas) == 0 {
			d.before = f.before
		}
		d.deltas = append(d.deltas, ev)
		return
	}
	f.text = true
	if f.deltas++; f.deltas == 1 {
		f.firstText = ev
	}
	f.lastText = ev
}

// entry notes what an event with text changed.
func (f *folding) entry(s *agentclient.Session, key int) {
	if e := s.Conversation.Entry(key); f.text && e != nil && e.Message != nil {
		f.streamed[key] = true
	}
}

func (f *folding) call(frame int, id, name string) *call {
	c := f.byCall[id]
	if c == nil {
		c = &call{id: id, name: name, frame: frame}
		f.calls = append(f.calls, c)
		f.byCall[id] = c
	}
	return c
}

func said(m agui.Message) string { return strings.TrimSpace(m.Content.Text()) }

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

// why returns how a run came to an end other than a good one.
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
