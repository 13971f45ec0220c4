package demos

import (
	"encoding/json"
	"slices"
	"strings"

	"cairn/agentclient/interrupt"
	"cairn/components"
)

// part is a part of the shared state that a panel shows.
type part[T any] interface {
	// complete is what of it can be shown, the zero value when nothing can.
	complete() T
	// follows reports whether it can replace what is shown in the middle of a run:
	// it is complete, and nothing that is shown gets lost.
	follows(shown T) bool
}

// stablePanel is what a panel shows of a part. While a run goes on the state of the real
// runtimes passes through half-written forms and ones that lack members (measured),
// so the last form that lost nothing stays; when the run ends, what the state says
// counts.
type stablePanel[T part[T]] struct {
	shown   T
	running bool
	differs bool // the live state is not what is shown
}

// update takes the part as it is now, zero when the state has none that can be read.
func (h *stablePanel[T]) update(live T, running bool) {
	h.running = running
	switch {
	case !running:
		h.shown, h.differs = live.complete(), false
	case live.follows(h.shown):
		h.shown, h.differs = live, false
	default:
		h.differs = true
	}
}

func (h *stablePanel[T]) updating() bool { return h.running && h.differs }

// member narrows a member of an object; it is zero when it has another shape. silent is
// true when the object is one without it.
func member[T any](object json.RawMessage, name string) (v T, silent bool) {
	var members map[string]json.RawMessage
	if json.Unmarshal(object, &members) != nil || members == nil {
		return v, false
	}
	raw, said := members[name]
	if !said {
		return v, true
	}
	if json.Unmarshal(raw, &v) != nil {
		var none T // of which a part may be filled
		return none, false
	}
	return v, false
}

// cutShort reports whether a text is the beginning of what is shown in its place.
func cutShort(live, shown string) bool { return len(live) < len(shown) && shown[:len(live)] == live }

func clip(s string) string { return clipTo(s, maxShown) }

func clipTo(s string, limit int) string {
	if len(s) <= limit {
		return s
	}
	return strings.ToValidUTF8(s[:limit], "") + "…"
}

// mark is how a thing stands that a proven decision was about, nothing when all were
// about others.
func mark(decided []Decided, done string, about func(interrupt.Pending) bool) components.Mark {
	switch i := slices.IndexFunc(decided, func(d Decided) bool { return about(d.Asked) }); {
	case i < 0:
		return components.Mark{}
	case decided[i].Approved:
		return components.Mark{Word: done, Tone: components.ToneDone}
	default:
		return components.Mark{Word: "declined", Tone: components.ToneOff}
	}
}

// withMark is the panel's one line on a narrow page.
func withMark(what string, m components.Mark) string {
	if m.Word == "" {
		return clip(what)
	}
	return clip(what) + " · " + m.Word
}
