// Package meeting is the meeting scheduler, an example of an agent whose tools, not its
// model, write the state that the page shows. This file has the agent, tools.go the tools,
// schedule.go the slots and the state.
package meeting

import (
	"fmt"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"cairn/agenthost"
	"cairn/agenthost/dialect"
)

// Topic is where the service serves the scheduler: POST /agent/strands.
const Topic = "strands"

const instructions = `You are a meeting scheduler for a small team, of few words.
To book, first call check_availability with the weekday, then call book_meeting with the topic and a free slot written as weekday and time, such as "Tuesday 10:00". Call it without any text: it asks a person, so do not ask yourself. When it answers, say in one sentence what happened.
When you are asked when people are free, call research_availability with their names and the dates and leave the research to it.`

// New returns the scheduler.
func New() *agenthost.Agent {
	return &agenthost.Agent{
		Name:         Topic,
		Instructions: instructions,
		Tools:        []*agenthost.Tool{checkAvailability(), bookMeeting()},
		Children:     []*agenthost.Agent{availabilityResearcher()},
		Shared:       agenthost.SchemaOf[Schedule](),
		Dialect:      dialect.Strands{},
	}
}

// Research has the arguments for the researcher.
type Research struct {
	Attendees []string `json:"attendees" jsonschema:"The names of the people"`
	DateRange string   `json:"date_range" jsonschema:"The dates to look at, such as: next week"`
}

// availabilityResearcher is a child agent. The scheduler's model sees it as a tool
// with arguments of its own, from which the prompt is written.
func availabilityResearcher() *agenthost.Agent {
	handover := agenthost.NewHandover("research_availability", "Have the availability researcher find out when people can meet.",
		func(r Research) string {
			return fmt.Sprintf("When can %s meet, %s? Answer in at most three bullets.", strings.Join(r.Attendees, ", "), r.DateRange)
		})
	handover.Input = agenthost.SchemaOf[Research](func(s *jsonschema.Schema) {
		people := s.Properties["attendees"]
		people.MinItems, people.MaxItems = jsonschema.Ptr(1), jsonschema.Ptr(20)
		within(people.Items, 80)
		within(s.Properties["date_range"], 80)
	})
	return &agenthost.Agent{
		Name:         "availability_researcher",
		Description:  "Finds out when people can meet.",
		Instructions: "You are the availability researcher. You are given names and dates and answer in at most three short bullets when those people can meet. No introduction, no conclusion.",
		As:           handover,
	}
}

// within limits a text: not empty and at most most characters.
func within(s *jsonschema.Schema, most int) {
	s.MinLength, s.MaxLength = jsonschema.Ptr(1), jsonschema.Ptr(most)
}
