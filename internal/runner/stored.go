package runner

import (
	"encoding/json"

	"cairn/agentclient"
	"cairn/agui"
)

// Bounds of what is stored for the wire alone: a frame that is no event, RAW, the
// rawEvent of the others, and members of events of unknown types. In bytes: of each, and of
// a run together.
const (
	maxRaw     = 1 << 10
	maxRunRaws = 256 << 10
	smallRaw   = 128 // not worth leaving out
)

// rawBudget counts what a run's events have kept.
type rawBudget struct{ kept int }

// stored returns what is stored of an event: all of it, but for raw bodies that are over the
// budget. In their place is how many bytes were left out. Text, state, messages and values
// of CUSTOM are stored whole.
func (b *rawBudget) stored(got agentclient.Received) json.RawMessage {
	var raw func(name string) bool
	switch e := got.Event.(type) {
	case *agui.Malformed:
		return e.Store(b.room(maxRaw))
	case *agui.Raw:
		raw = func(name string) bool { return name == "event" || name == "rawEvent" }
	case *agui.Unknown:
		raw = func(name string) bool { return name != "type" }
	default:
		if len(e.Head().RawEvent) <= smallRaw && len(got.Raw) <= maxRaw {
			return got.Raw // nearly every event
		}
		raw = func(name string) bool { return name == "rawEvent" }
	}
	return agui.LeaveOut(got.Raw, func(name string, size int) bool {
		return size > smallRaw && raw(name) && (size > maxRaw || b.room(size) < size)
	})
}

// room takes n bytes off the budget of the run and returns n, or what a small body may
// have when there are not as many left.
func (b *rawBudget) room(n int) int {
	if b.kept+n > maxRunRaws {
		return smallRaw
	}
	b.kept += n
	return n
}
