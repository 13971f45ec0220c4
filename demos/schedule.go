package demos

import (
	"fmt"

	"cairn/agentclient/interrupt"
	"cairn/agentclient/jsonpatch"
	"cairn/components"
)

// schedulePanel is the schedule beside the chat: the day that was looked up, and the
// meeting that is being booked. Each is held by itself, for there are bridges whose
// tools report one of them alone (measured: AWS Strands for TypeScript).
type schedulePanel struct {
	day     stablePanel[day]
	booking stablePanel[bookingState]
	decided []Decided

	lastDay     cached[day]
	lastBooking cached[bookingState]
}

// maxSlots bounds the list; a real day has a handful.
const maxSlots = 40

// day is what a look-up found: a weekday and its free times.
type day struct {
	Day   string   `json:"day"`
	Slots []string `json:"slots"`
	More  int      `json:"-"` // slots that are not read
}

// count is how many slots the day has.
func (d day) count() int { return len(d.Slots) + d.More }

func readDay(v jsonpatch.Value) day {
	f := fieldsOf(v)
	d := day{Day: f.text("day")}
	slots, more := f.list("slots")
	d.More = more
	for _, slot := range slots.All() {
		if len(d.Slots) == maxRows {
			break
		}
		f.other = f.other || !is(slot, jsonpatch.KindString)
		d.Slots = append(d.Slots, textOf(slot, maxShown))
	}
	if f.other {
		return day{}
	}
	return d
}

// complete implements part.
func (d day) complete() day {
	if d.Day == "" {
		return day{}
	}
	return d
}

// follows implements part: a day that is shown loses no slot, as far as they are read.
func (d day) follows(shown day) bool {
	if d.Day != shown.Day {
		return d.Day != ""
	}
	free := map[string]bool{}
	for _, slot := range d.Slots {
		free[slot] = true
	}
	for _, slot := range shown.Slots {
		if !free[slot] && d.More == 0 {
			return false
		}
	}
	if d.More+shown.More > 0 && d.count() < shown.count() {
		return false
	}
	return d.Day != ""
}

// bookingState is a meeting and how it stands.
type bookingState struct {
	meeting
	Status string `json:"status"`
}

func readBooking(v jsonpatch.Value) bookingState {
	f := fieldsOf(v)
	b := bookingState{meeting: meeting{Topic: f.text("topic"), Slot: f.text("slot")}, Status: f.text("status")}
	if f.other {
		return bookingState{}
	}
	return b
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
	state := s.State
	p.day.update(p.lastDay.of(state.Member("availability"), readDay), s.Running)
	p.booking.update(p.lastBooking.of(state.Member("booking"), readBooking), s.Running)
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
	if more := d.count() - len(s.Slots); more > 0 {
		s.Slots = append(s.Slots, components.Slot{Time: andMore(more)})
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
		summary = fmt.Sprintf("%s · %d free", clip(d.Day), d.count())
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
