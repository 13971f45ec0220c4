package agui

import "strconv"

// The retired types that a [Decoder] reads as REASONING_* (protocol section 1.9).
const (
	typeThinkingStart   EventType = "THINKING_START"
	typeThinkingEnd     EventType = "THINKING_END"
	typeThinkingText    EventType = "THINKING_TEXT_MESSAGE_START"
	typeThinkingContent EventType = "THINKING_TEXT_MESSAGE_CONTENT"
	typeThinkingTextEnd EventType = "THINKING_TEXT_MESSAGE_END"
)

// thinking is a retired event of any of these types.
type thinking struct {
	Base
	Delta string `json:"delta,omitempty"`
	Title string `json:"title,omitempty"`
}

// Decoder reads the events of one stream, or of one thread, in order. It does
// what [Decode] does, and two things besides: it reads the retired THINKING_*
// events as what they have become, with ids of its own making, and it reports what
// it left out. The same events makes the same ids. The zero value is ready.
type Decoder struct {
	// Owns reports whether the bytes given to Decode are never changed afterwards, so
	// that events may share them. It saves copying every text.
	Owns bool

	last recent
	rep  reporter
	// run and minted make ids that no other run of the thread has.
	run           string
	minted        int
	span, message string // of the thinking going on, empty when none is
}

// Decode reads the next event. It fails as [Decode] does.
func (d *Decoder) Decode(raw []byte) (Event, error) {
	d.rep.found = d.rep.found[:0]
	var last *recent
	if d.Owns {
		last = &d.last
	}
	ev, err := decode(raw, &d.rep, last)
	if err != nil {
		return nil, err
	}
	switch e := ev.(type) {
	case *RunStarted:
		d.run, d.minted, d.span, d.message = e.RunID, 0, "", ""
	case *Unknown:
		return d.unknown(e)
	}
	return ev, nil
}

// Diagnostics returns what the last Decode left out or read leniently. It is valid
// until the next.
func (d *Decoder) Diagnostics() []Diagnostic { return d.rep.found }

func (d *Decoder) unknown(u *Unknown) (Event, error) {
	switch u.Type {
	case typeThinkingStart, typeThinkingEnd, typeThinkingText, typeThinkingContent, typeThinkingTextEnd:
	default:
		d.rep.report("type", "unknown event %s", quote(string(u.Type)))
		return u, nil
	}
	var read thinking
	if err := unmarshalEvent(u.Raw, &read, u.Type, &d.rep, d.Owns); err != nil {
		return nil, err
	}
	base := read.Base
	dropNull(&base.RawEvent)
	switch u.Type {
	case typeThinkingStart:
		if read.Title != "" {
			d.rep.report("title", "has no place in REASONING_START; ignored")
		}
		d.span = d.mint()
		base.Type = TypeReasoningStart
		return &ReasoningStart{base, d.span}, nil
	case typeThinkingEnd:
		base.Type = TypeReasoningEnd
		return &ReasoningEnd{base, d.take(&d.span)}, nil
	case typeThinkingText:
		d.message = d.mint()
		base.Type = TypeReasoningMessageStart
		return &ReasoningMessageStart{base, d.message, RoleReasoning}, nil
	case typeThinkingTextEnd:
		base.Type = TypeReasoningMessageEnd
		return &ReasoningMessageEnd{base, d.take(&d.message)}, nil
	}
	e := &ReasoningMessageContent{Base: base, MessageID: d.message, Delta: read.Delta}
	e.Type = TypeReasoningMessageContent
	if e.MessageID == "" {
		e.MessageID = d.mint()
	}
	return e, nil
}

// take returns the id of what was opened, or one that nothing has.
func (d *Decoder) take(open *string) string {
	id := *open
	if *open = ""; id == "" {
		id = d.mint()
	}
	return id
}

func (d *Decoder) mint() string {
	d.minted++
	return "thinking:" + d.run + ":" + strconv.Itoa(d.minted)
}
