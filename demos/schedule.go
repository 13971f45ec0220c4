package demos

import (
	"fmt"

	"cairn/agentclient/interrupt"
	"cairn/components"
)

// schedulePanel is the schedule beside the chat: the day that was looked up, and the
// meeting that is being booked. Each is held by itself, for there are bridges whose
// tools report one of them alone (measured: AWS Strands for TypeScript).
type schedulePanel struct {
	day     held[day]
	booking held[bookingState]
	decided []Decided
}

// maxSlots bounds the list; a real day has a handful.
const maxSlots = 40

// day is what a look-up found: a weekday and its free times.
type day struct {
	Day   string   `json:"day"`
	Slots []string `json:"slots"`
}

// complete implements part.
func (d day) complete() day {
	if d.Day == "" {
		return day{}
	}
	return d
}

// follows implements part: a day that is shown loses no slot.
func (d day) follows(shown day) bool {
	if d.Day != shown.Day {
		return d.Day != ""
	}
	free := map[string]bool{}
	for _, slot := range d.Slots {
		free[slot] = true
	}
	for _, slot := range shown.Slots {
		if !free[slot] {
			return false
		}
	}
	return d.Day != ""
}

// bookingState is a meeting and how it stands.
type bookingState struct {
	meeting
	Status string `json:"status"`
}

// complete implements part.
func (b bookingState) complete() bookingState {
	if b.Topic == "" || b.Slot == "" {
		return bookingState{}
	}
	return b
}

// follows implements part.
func (b bookingState) follows(bookingState) bool { return b.Topic != "" && b.Slot != "" }

// Update implements Panel.
func (p *schedulePanel) Update(s Shared) {
	found, _ := member[day](s.State, "availability")
	p.day.update(found, s.Running)
	booking, _ := member[bookingState](s.State, "booking")
	p.booking.update(booking, s.Running)
	p.decided = s.Decided
}

// View implements Panel.
func (p *schedulePanel) View() components.Panel {
	d, b, mark := p.day.shown, p.booking.shown, p.mark()
	s := components.Schedule{
		Day:   clip(d.Day),
		Empty: "No day looked up yet. When the agent looks for a slot, what is free appears here.",
	}
	for _, slot := range d.Slots[:min(len(d.Slots), maxSlots)] {
		chosen := b.Slot == d.Day+" "+slot && mark.Tone != components.ToneOff
		s.Slots = append(s.Slots, components.Slot{Time: clip(slot), Chosen: chosen})
	}
	if more := len(d.Slots) - len(s.Slots); more > 0 {
		s.Slots = append(s.Slots, components.Slot{Time: fmt.Sprintf("and %d more", more)})
	}
	summary := "No day looked up yet"
	switch {
	case b.Topic != "":
		summary = withMark(b.Topic, mark)
		s.Booking = components.Facts{
			TestID: "booking-state", Title: "Booking", Mark: mark,
			Rows: []components.Field{{Label: "Topic", Value: clip(b.Topic)}, {Label: "Slot", Value: clip(b.Slot)}},
		}
	case d.Day != "":
		summary = fmt.Sprintf("%s · %d free", clip(d.Day), len(d.Slots))
	}
	return components.Panel{
		Heading: "Shared state — schedule", Summary: summary, TestID: "schedule-state",
		Updating: p.day.updating() || p.booking.updating(), Body: components.ScheduleView(s),
	}
}

// mark is how the booking stands. Where the state leaves it open, what is proven
// about the decision on this very meeting counts.
func (p *schedulePanel) mark() components.Mark {
	b := p.booking.shown
	switch b.Status {
	case "":
		return components.Mark{}
	case "booked":
		return components.Mark{Word: b.Status, Tone: components.ToneDone}
	case "declined":
		return components.Mark{Word: b.Status, Tone: components.ToneOff}
	case "pending":
		decided := mark(p.decided, "booked", func(q interrupt.Pending) bool {
			m, ok := askedMeeting(q)
			return ok && m == b.meeting
		})
		if decided.Word != "" {
			return decided
		}
		return components.Mark{Word: b.Status, Tone: components.ToneWait}
	}
	return components.Mark{Word: clipTo(b.Status, maxWord), Tone: components.ToneOther}
}
