package meeting

import (
	"encoding/json"
	"slices"
	"strings"

	"cairn/agenthost"
)

// Schedule is the state shared with the page. Both members are always there, null
// for nothing yet.
type Schedule struct {
	Availability *Day     `json:"availability"`
	Booking      *Booking `json:"booking"`
}

// Day is a weekday that was looked up.
type Day struct {
	Day   string   `json:"day"`
	Slots []string `json:"slots"`
}

// Booking is the meeting that is being booked, or was.
type Booking struct {
	Meeting
	Status Status `json:"status"`
}

// Status is the state of a booking.
type Status string

const (
	Pending  Status = "pending" // waits for the user
	Booked   Status = "booked"
	Declined Status = "declined"
)

// share writes one member of the schedule; a member that was never written becomes null.
func share[In any](call agenthost.Call[In], member string, v any) error {
	for _, name := range []string{"availability", "booking"} {
		var before json.RawMessage
		known, err := call.Shared(name, &before)
		if err != nil {
			return err
		}
		if !known {
			call.Share(name, nil)
		}
	}
	call.Share(member, v)
	return nil
}

// freeSlots returns a weekday, as the schedule spells it, with its free slots, which are
// the same every week, so that the demo does not change. An unknown day has none.
func freeSlots(day string) Day {
	for _, d := range []Day{
		{"Monday", []string{"09:00", "13:30"}},
		{"Tuesday", []string{"10:00", "15:00"}},
		{"Wednesday", []string{"11:00"}},
		{"Thursday", []string{"09:30", "14:00", "16:30"}},
		{"Friday", []string{"10:30"}},
	} {
		asked := strings.ToLower(strings.TrimSpace(day))
		if strings.HasPrefix(asked, strings.ToLower(d.Day[:3])) {
			return Day{d.Day, slices.Clone(d.Slots)}
		}
	}
	return Day{day, []string{}}
}
