package meeting

import (
	"context"
	"fmt"

	"github.com/google/jsonschema-go/jsonschema"

	"cairn/agenthost"
)

// Weekday is the day to look up.
type Weekday struct {
	Day string `json:"day" jsonschema:"The weekday, such as: Tuesday"`
}

// checkAvailability looks up a day and adds it to the shared state.
func checkAvailability() *agenthost.Tool {
	tool := agenthost.NewTool("check_availability", "Look up the free slots of a weekday.",
		func(_ context.Context, call agenthost.Call[Weekday]) (any, error) {
			found := freeSlots(call.Args.Day)
			return found, share(call, "availability", found)
		})
	tool.Input = agenthost.SchemaOf[Weekday](func(s *jsonschema.Schema) { within(s.Properties["day"], 40) })
	return tool
}

// Meeting is the meeting to book, which the user who approves sees.
type Meeting struct {
	Topic string `json:"topic" jsonschema:"What the meeting is about"`
	Slot  string `json:"slot" jsonschema:"Weekday and time, such as: Tuesday 10:00"`
}

// Approval is the user's answer.
type Approval struct {
	Approved bool `json:"approved,omitempty"`
}

// bookMeeting waits for the user. It only writes the schedule, so running it twice for one
// decision books once. A calendar behind it needs the call's IdempotencyKey.
func bookMeeting() *agenthost.Tool {
	tool := agenthost.NewTool("book_meeting", "Book a meeting. A person is asked first and may decline.",
		func(_ context.Context, call agenthost.Call[Meeting]) (any, error) {
			booking := Booking{call.Args, Pending}
			if call.Resume == nil {
				if err := share(call, "booking", booking); err != nil {
					return nil, err
				}
				return nil, agenthost.Suspend(call.Args)
			}
			var answer Approval
			if err := call.Resume.Decode(&answer); err != nil {
				return nil, err
			}
			word := fmt.Sprintf("The person declined. Meeting NOT booked: %s", booking.Topic)
			if booking.Status = Declined; answer.Approved {
				booking.Status = Booked
				word = fmt.Sprintf("Meeting booked for %s: %s", booking.Slot, booking.Topic)
			}
			return word, share(call, "booking", booking)
		})
	tool.Input = agenthost.SchemaOf[Meeting](func(s *jsonschema.Schema) {
		within(s.Properties["topic"], 200)
		within(s.Properties["slot"], 40)
	})
	tool.Resume = agenthost.SchemaOf[Approval]()
	tool.Idempotent = true
	return tool
}
