package replay

import (
	"encoding/json"
	"slices"
	"strings"

	"cairn/agentclient"
	"cairn/agentclient/conversation"
	"cairn/agui"
)

// maxNesting is how deep subagents stand inside one another in a report.
const maxNesting = 32

// Report folds the capture.
func (s *Stream) Report() *Report {
	r := &Report{
		Version:  1,
		Format:   s.Format,
		Events:   len(s.Events) - s.malformed,
		Runs:     []Run{},
		Entries:  []Entry{},
		Pending:  []Pending{},
		Findings: slices.Concat([]Finding{}, s.Findings),
	}
	session := agentclient.NewSession(agentclient.SessionConfig{})
	conv := session.Conversation
	for _, ev := range s.Events {
		run := false
		for _, e := range session.Apply(ev.Event) {
			switch e.Kind {
			case agentclient.EffectNote:
				r.find(ev, e.Note.Rule, e.Note.Text)
			case agentclient.EffectRun:
				run = true
			}
		}
		if run {
			_, begins := ev.Event.(*agui.RunStarted)
			r.followRun(ev.Frame, begins, conv.Run())
		}
		if run || conv.Run().Status == conversation.RunRunning {
			r.followPause(ev.Event) // not what came after the end
		}
	}
	if conv.Run().Status == conversation.RunRunning {
		conv.EndRun(conversation.RunTruncated)
		last := s.Events[len(s.Events)-1]
		r.followRun(last.Frame, false, conv.Run())
		r.Findings = append(r.Findings, Finding{Frame: last.Frame, Line: last.Line, Level: LevelViolation, Rule: "9.2",
			Text: "the stream ended before RUN_FINISHED or RUN_ERROR"})
	}
	if conv.Run().Status != conversation.RunInterrupted {
		r.Pending = []Pending{}
	}
	addEntries(&r.Entries, conv.Entries(), 1)
	r.State, r.Diverged = embed(conv.State()), conv.Diverged()
	r.count()
	return r
}

// maxFindings bounds how many findings are listed; the others are counted.
const maxFindings = 10_000

func (r *Report) find(ev Event, rule, text string) {
	if len(r.Findings) >= maxFindings {
		r.Unlisted++
		return
	}
	level := LevelViolation
	if strings.HasPrefix(rule, "8") { // compatibility: what readers pass over
		level = LevelNote
	}
	r.Findings = append(r.Findings, Finding{Frame: ev.Frame, Line: ev.Line, Level: level, Rule: rule, Text: text})
}

// count sorts the findings and counts them. A note that was not kept may have
// been a violation, and counts as one.
func (r *Report) count() {
	slices.SortStableFunc(r.Findings, func(a, b Finding) int { return a.Frame - b.Frame })
	r.Violations = r.Unlisted
	for _, found := range r.Findings {
		if found.Level == LevelViolation {
			r.Violations++
		}
	}
	r.Clean = r.Violations == 0
}

// followRun keeps the runs, and what the last of them waits for.
func (r *Report) followRun(frame int, begins bool, now conversation.Run) {
	if begins {
		if n := len(r.Runs); n > 0 && r.Runs[n-1].Status == string(conversation.RunRunning) {
			r.Runs[n-1].Status = "displaced"
		}
		r.Pending = []Pending{}
	}
	if begins || len(r.Runs) == 0 { // or it never began
		r.Runs = append(r.Runs, Run{Frame: frame})
	}
	run := &r.Runs[len(r.Runs)-1]
	run.ID, run.Status, run.Usage = now.ID, string(now.Status), now.Usage
	if now.Status == conversation.RunFailed {
		run.Error = &Failure{Message: now.Error.Message, Code: now.Error.Code}
	}
}

func (r *Report) followPause(ev agui.Event) {
	switch e := ev.(type) {
	case *agui.Custom:
		if _, asks := e.Notice(); asks {
			r.Pending = append(r.Pending, Pending{OnInterrupt: embed(e.Value)})
		}
	case *agui.RunFinished:
		if e.Outcome == nil {
			return
		}
		for _, it := range e.Outcome.Interrupts {
			it.ResponseSchema = embed(it.ResponseSchema)
			metadata := make(map[string]json.RawMessage, len(it.Metadata))
			for key, value := range it.Metadata {
				metadata[key] = embed(value)
			}
			it.Metadata = metadata
			r.Pending = append(r.Pending, Pending{Interrupt: &it})
		}
	}
}

// addEntries walks a timeline.
func addEntries(to *[]Entry, from []*conversation.Entry, level int) {
	for _, e := range from {
		switch {
		case e.Message != nil:
			m := e.Message
			*to = append(*to, Entry{Type: EntryMessage, ID: m.ID, RunID: e.RunID, Status: string(m.Status), Name: m.Name,
				Role: m.Role, Text: m.Text(), ActivityType: m.ActivityType, Content: embed(m.Content()), Parts: partsOf(m.Parts)})
		case e.ToolCall != nil:
			t := e.ToolCall
			call := Entry{Type: EntryToolCall, ID: t.ID, RunID: e.RunID, Status: string(t.Status), Name: t.Name,
				Arguments: t.Args(), ResultError: t.ResultError}
			if t.HasResult {
				call.Result, call.Parts = &t.Result, partsOf(t.ResultParts)
			}
			*to = append(*to, call)
		case e.Subagent != nil:
			s := e.Subagent
			*to = append(*to, Entry{Type: EntrySubagent, ID: s.RunID, RunID: e.RunID, Status: string(s.Status), Name: s.Name,
				Description: s.Description, ToolCallID: s.ToolCallID, Error: s.Error})
			below := to
			if level < maxNesting {
				below = &(*to)[len(*to)-1].Entries
			}
			addEntries(below, s.Entries, level+1)
		}
	}
}
