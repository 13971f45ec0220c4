package demos

import (
	"encoding/json"
	"slices"
	"strings"

	"cairn/agentclient/interrupt"
	"cairn/components"
)

// Strands is the meeting scheduler, in the dialect of AWS Strands.
func Strands() Demo {
	dialect := StrandsDialect()
	return Demo{
		Slug:        "strands",
		Name:        "Meeting scheduler",
		Runtime:     dialect.Runtime,
		Agent:       "the scheduler",
		Heading:     "What shall we meet about?",
		Lead:        "A scheduler that looks up free slots, finds out when people can meet, and asks before it books anything.",
		Placeholder: "Ask the scheduler…",
		Suggestions: []components.Suggestion{
			{Label: "Book the Q3 roadmap review", Description: "With the platform team on Tuesday, with your approval", Text: "Book the Q3 roadmap review with the platform team on Tuesday"},
			{Label: "Book a design critique", Description: "With the web team on Thursday, with your approval", Text: "Book a design critique with the web team on Thursday"},
			{Label: "Find a time for Ada and Grace", Description: "Another agent looks into when they are free", Text: "Find a slot for Ada and Grace next week; research their availability first"},
		},
		Transport:   dialect.Transport,
		Profile:     dialect.Profile,
		NewPanel:    func() Panel { return new(schedulePanel) },
		Approval:    booking,
		Outcome:     bookingOutcome,
		ToolSummary: schedulerToolSummary,
		Code: []CodeFile{
			{Path: "agenthost/meeting/meeting.go", Note: "the scheduler inside this process: instructions and the second agent"},
			{Path: "agenthost/meeting/tools.go", Note: "its tools, and the pause"},
			{Path: "agenthost/dialect/strands.go", Note: "how it speaks as this runtime does"},
			{Path: "runtimes/strands/agents.py", Note: "the scheduler on the real runtime: tools, the pause and the second agent"},
			{Path: "runtimes/strands/schedule.py", Note: "its slots and the state it shares"},
			{Path: "runtimes/strands/subagents.py", Note: "how the second agent's words get on the wire"},
			{Path: "demos/strands.go", Note: "this demo: suggestions, approval, evidence"},
			{Path: "demos/profiles.go", Note: "where this runtime, and three others, put what is asked"},
			{Path: "demos/schedule.go", Note: "the schedule beside the chat"},
			{Path: "demos/stable.go", Note: "what a panel holds back while a run goes on"},
		},
	}
}

// meeting is what book_meeting was called with.
type meeting struct {
	Topic string `json:"topic"`
	Slot  string `json:"slot"`
}

func askedMeeting(p interrupt.Pending) (m meeting, ok bool) {
	if json.Unmarshal(p.Payload, &m) != nil {
		return meeting{}, false
	}
	return m, m.Topic != "" && m.Slot != "" && about(p, "book_meeting")
}

// booking words the question that book_meeting pauses with.
func booking(p interrupt.Pending) Approval {
	m, ok := askedMeeting(p)
	if !ok {
		return Approval{}
	}
	return Approval{
		Title: "Booking approval required", Approved: "Booking approved", Declined: "Booking declined",
		Hint: "Nothing is booked until you approve.",
		Rows: []components.Field{{Label: "Topic", Value: m.Topic}, {Label: "Slot", Value: m.Slot}},
	}
}

// says reports whether a result is the tool's word that it booked the meeting, and
// refuses that it is the tool's word that it did not. The Python service answers with
// a sentence, the captured TypeScript one with an object.
func (m meeting) says(result string) (booked, refused bool) {
	var object struct {
		meeting
		Booked *bool `json:"booked"`
	}
	if json.Unmarshal([]byte(result), &object) == nil && object.Booked != nil {
		about := object.meeting == m
		return about && *object.Booked, about && !*object.Booked
	}
	return result == "Meeting booked for "+m.Slot+": "+m.Topic, strings.HasSuffix(result, "Meeting NOT booked: "+m.Topic)
}

// bookingOutcome reads the decision's effect from the tool's own results: one is about
// the meeting that was asked about, and none says otherwise.
func bookingOutcome(approved bool, e Evidence) (string, bool) {
	m, ok := askedMeeting(e.Asked)
	booked := ok && slices.ContainsFunc(e.Results, func(r string) bool { b, _ := m.says(r); return b })
	refused := ok && slices.ContainsFunc(e.Results, func(r string) bool { _, no := m.says(r); return no })
	switch {
	case approved && booked && !refused:
		return "Booked. " + m.Topic + ", " + m.Slot + ".", true
	case approved:
		return "You approved, but the agent's answer does not confirm a booking.", false
	case booked:
		return "You declined, but the agent reports a booking. Please check the calendar.", false
	case refused:
		return "Declined. Nothing was booked.", true
	default:
		return "You declined. The agent did not say that nothing was booked.", false
	}
}

// schedulerToolSummary reads the result of check_availability.
func schedulerToolSummary(tool, _, result string) string {
	if tool != "check_availability" {
		return ""
	}
	var d day
	if json.Unmarshal([]byte(result), &d) != nil || d.Day == "" {
		return ""
	}
	if len(d.Slots) == 0 {
		return clip(d.Day + " — nothing free")
	}
	return clip(d.Day + " — free at " + list(d.Slots))
}

// list writes words as a sentence does: "a, b and c".
func list(words []string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	last := len(words) - 1
	return strings.Join(words[:last], ", ") + " and " + words[last]
}
