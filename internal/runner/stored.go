package runner

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"

	"cairn/agentclient"
	"cairn/agui"
)

// What is stored of what nobody reads but on the wire: a frame that is no event, RAW, and
// the rawEvent of the others. In bytes: of each event, and of a run together.
const (
	maxRaw     = 1 << 10
	maxRunRaws = 256 << 10
	smallRaw   = 128 // not worth leaving out
)

// rawBudget counts what a run's events have kept.
type rawBudget struct{ kept int }

// stored returns what is stored of an event: all of it, but for raw bodies that are over the
// budget. In their place is how many bytes were left out. A frame that is no event stays
// none when it is cut.
func (b *rawBudget) stored(got agentclient.Received) json.RawMessage {
	name, size := "rawEvent", 0
	switch e := got.Event.(type) {
	case *agui.Malformed:
		return got.Raw[:min(len(got.Raw), maxRaw)]
	case *agui.Raw:
		name, size = "event", len(e.Event)
	default:
		size = len(e.Head().RawEvent)
	}
	if size <= smallRaw {
		return got.Raw
	}
	if size <= maxRaw && b.kept+size <= maxRunRaws {
		b.kept += size
		return got.Raw
	}
	return without(got.Raw, name)
}

// without returns an object with the number of bytes that a member held in its place.
func without(raw json.RawMessage, name string) json.RawMessage {
	dec := json.NewDecoder(bytes.NewReader(raw))
	if _, err := dec.Token(); err != nil {
		return raw
	}
	for dec.More() {
		key, err := dec.Token()
		if err != nil {
			return raw
		}
		var value json.RawMessage
		if dec.Decode(&value) != nil {
			return raw
		}
		if key == name {
			end := int(dec.InputOffset())
			return slices.Concat(raw[:end-len(value)], fmt.Appendf(nil, `{"leftOut":%d}`, len(value)), raw[end:])
		}
	}
	return raw
}
