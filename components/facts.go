package components

// Facts is a card of the panel: what it is about, how it stands and its values.
type Facts struct {
	// TestID names the card when a panel has more than one, may be empty.
	TestID string
	// Title is empty when there is nothing to show; Empty is then the text.
	Title string
	Empty string
	Mark  Mark
	Rows  []Field
}

// Mark is how a thing stands, in a word and a tone; without a word there is none.
type Mark struct {
	Word string
	Tone Tone
}

// Tone is what a mark means: data-tone.
type Tone string

const (
	ToneWait  Tone = "wait"  // a person has to decide
	ToneDone  Tone = "done"  // it has happened
	ToneOff   Tone = "off"   // it will not happen
	ToneOther Tone = "other" // a word of the agent's own
)

// Schedule is a day's free slots and what is being booked.
type Schedule struct {
	// Day is empty when none was looked up; Empty is then the text, unless there is a
	// booking.
	Day     string
	Empty   string
	Slots   []Slot
	Booking Facts
}

// Slot is a free time. Chosen is the one that is being booked, or was.
type Slot struct {
	Time   string
	Chosen bool
}

func markGlyph(t Tone) string {
	switch t {
	case ToneWait:
		return "◆"
	case ToneDone:
		return "✓"
	case ToneOff:
		return "✕"
	}
	return "•"
}
