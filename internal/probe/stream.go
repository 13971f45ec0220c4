package probe

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"slices"
	"strings"

	"cairn/agentclient"
	"cairn/agui"
	"cairn/agui/sse"
)

// Event is one event of an answer.
type Event struct {
	// Frame is the number of its frame, from 1.
	Frame int
	// MS is when it came, from the request; -1 when that is not known.
	MS float64
	agui.Event
	// effects is what it did to the session, cloned.
	effects []agentclient.Effect
}

// Violation is one departure of an answer from the protocol.
type Violation struct {
	// Exchange is the number of the transcript.
	Exchange int `json:"exchange"`
	Frame    int `json:"frame"`
	// Rule is R1 to R33 for the order rules, or the section of the protocol; 9.2 is
	// a stream without an end.
	Rule string `json:"rule"`
	Text string `json:"text"`
}

// isEventStream reports whether an answer is one; some servers forget the type.
func isEventStream(contentType string, body []byte) bool {
	media, _, _ := mime.ParseMediaType(contentType)
	if media == "text/event-stream" {
		return true
	}
	return media != "text/html" && media != "application/json" && bytes.HasPrefix(bytes.TrimLeft(body, "\r\n"), []byte("data:"))
}

// Events decodes the answer: the events up to the end of the stream, whatever
// follows the run's own end, and every violation. An answer that is no event
// stream has neither.
func (x *Exchange) Events() ([]Event, []Violation) {
	_, events, broken := x.fold()
	return events, broken
}

// fold is Events, with the session that the answer leaves its client with.
func (x *Exchange) fold() (s *agentclient.Session, events []Event, broken []Violation) {
	s = x.begin()
	if !x.stream() {
		return s, nil, nil
	}
	var (
		terminal bool
		last     int
	)
	find := func(rule, text string) {
		broken = append(broken, Violation{Exchange: x.Number, Frame: last, Rule: rule, Text: text})
	}
	frames := sse.NewReader(bytes.NewReader(x.Body), sse.Limits{MaxLine: maxBody, MaxFrame: maxBody})
	codec := agui.Decoder{}
	for {
		frame, data, err := frames.NextBytes()
		if err == io.EOF {
			break
		}
		if err != nil {
			find("7.3", err.Error())
			break
		}
		if len(bytes.TrimSpace(data)) == 0 {
			continue
		}
		last = frame.Number
		if terminal && string(data) == "[DONE]" {
			continue // what some agents send after the run (protocol section 9.4)
		}
		ev, err := codec.Decode(bytes.Clone(data))
		switch {
		case err != nil && frame.Unterminated:
			if !x.Aborted {
				find("7.3", "the stream was cut inside this frame")
			}
			continue
		case errors.Is(err, agui.ErrNotEvent):
			find("1.1", "not an event: "+quote(string(data), 80))
			s.Apply(agui.NewMalformed(bytes.Clone(data), err))
			continue
		case err != nil:
			find("1.1", err.Error())
			s.Apply(agui.NewMalformed(bytes.Clone(data), err))
			continue
		}
		for _, d := range codec.Diagnostics() {
			if d.What == "required, but missing" {
				find("1.1", fmt.Sprintf("%s %s", ev.Head().Type, d))
			}
		}
		effects := slices.Clone(s.Apply(ev))
		for _, e := range effects {
			if e.Kind == agentclient.EffectNote && ofOrder(e.Note.Rule) {
				find(e.Note.Rule, e.Note.Text)
			}
		}
		events = append(events, Event{Frame: frame.Number, MS: x.frameMS(frame.Number), Event: ev, effects: effects})
		switch ev.(type) {
		case *agui.RunFinished, *agui.RunError:
			terminal = true
		}
	}
	if !terminal && !x.Aborted {
		find("9.2", "the stream ended before RUN_FINISHED or RUN_ERROR")
	}
	return s, events, broken
}

// begin returns the session as it was when the request was made, as far as the request
// tells: with the state that it carries, in the run that it asks for.
func (x *Exchange) begin() *agentclient.Session {
	s := agentclient.NewSession(agentclient.SessionConfig{})
	var in agui.RunAgentInput
	if json.Unmarshal(x.Request, &in) == nil && len(in.State) > 0 {
		s.Apply(&agui.RunStarted{Base: agui.Base{Type: agui.TypeRunStarted}, RunID: x.RunID})
		s.Apply(&agui.StateSnapshot{Base: agui.Base{Type: agui.TypeStateSnapshot}, Snapshot: in.State})
		s.Apply(&agui.RunFinished{Base: agui.Base{Type: agui.TypeRunFinished}, RunID: x.RunID})
	}
	return s
}

// ofOrder reports whether a rule is about the order of events or their chunks, and not
// about what an event does to what came before.
func ofOrder(rule string) bool { return strings.HasPrefix(rule, "R") || strings.HasPrefix(rule, "4.") }

// Grammar returns the names of the events in order, for comparing two answers to
// the same request. A run of one streaming event (a delta, a chunk, RAW) is one
// name with a +, however many there are. Deltas that alternate, such as arguments
// and the RAW that mirrors each, are named once each, in order of the first; only
// RAW may stand between the chunks of one run, because other chunks open something
// new. @sub marks what a subagent sent; the name of a CUSTOM and an outcome other
// than success stand in brackets.
func Grammar(events []Event) []string {
	var names []string
	for _, ev := range events {
		name, kind := grammarName(ev.Event)
		if ev.Head().SubagentRunID != "" && !strings.HasPrefix(name, "SUBAGENT_") {
			name += "@sub"
		}
		if kind != whole {
			name += "+"
			if folds(names, name, kind) {
				continue
			}
		}
		names = append(names, name)
	}
	return names
}

// eventKind is how an event may repeat.
type eventKind int

const (
	whole eventKind = iota
	delta           // part of something that another event opened
	chunk           // opens what it is part of
)

func grammarName(ev agui.Event) (string, eventKind) {
	name := string(ev.Head().Type)
	switch e := ev.(type) {
	case *agui.Custom:
		return name + "(" + e.Name + ")", whole
	case *agui.RunFinished:
		if e.Outcome != nil && e.Outcome.Type != agui.OutcomeSuccess {
			return name + "(" + string(e.Outcome.Type) + ")", whole
		}
	case *agui.TextMessageContent, *agui.ToolCallArgs, *agui.StateDelta, *agui.ActivityDelta,
		*agui.ReasoningMessageContent, *agui.Raw:
		return name, delta
	case *agui.TextMessageChunk, *agui.ToolCallChunk, *agui.ReasoningMessageChunk:
		return name, chunk
	}
	return name, whole
}

// folds reports whether a streaming name goes on with what is at the end of names.
func folds(names []string, name string, kind eventKind) bool {
	for _, before := range slices.Backward(names) {
		switch {
		case before == name:
			return true
		case !strings.HasSuffix(before, "+"):
			return false
		case strings.HasPrefix(before, string(agui.TypeRaw)):
		case kind == chunk || strings.Contains(before, "_CHUNK"):
			return false
		}
	}
	return false
}

// Frame is one frame of an answer as it came.
type Frame struct {
	// Number counts from 1; MS is when it came, from the request, -1 when that is not
	// known.
	Number int
	MS     float64
	// Type is the event's, "" for what is no event.
	Type string
	Data string
}

// Frames returns the answer frame by frame, up to the first that cannot be read. An
// answer that is no event stream has none.
func (x *Exchange) Frames() (all []Frame) {
	if !x.stream() {
		return nil
	}
	frames := sse.NewReader(bytes.NewReader(x.Body), sse.Limits{MaxLine: maxBody, MaxFrame: maxBody})
	for {
		frame, data, err := frames.NextBytes()
		if err != nil {
			return all
		}
		f := Frame{Number: frame.Number, MS: x.frameMS(frame.Number), Data: string(data)}
		if ev, err := agui.Decode(bytes.Clone(data)); err == nil {
			f.Type = string(ev.Head().Type)
		}
		all = append(all, f)
	}
}

func (x *Exchange) frameMS(number int) float64 {
	if i := number - 1; i < len(x.Times) {
		return x.Times[i]
	}
	return -1
}
