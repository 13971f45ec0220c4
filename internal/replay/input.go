package replay

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"

	"cairn/agui"
)

// MaxBytes is the size of the largest capture that is read.
const MaxBytes = 20 << 20

// Why an input is no event stream, within an [InputError].
var (
	ErrEmpty    = errors.New("the input is empty")
	ErrTooLarge = fmt.Errorf("the input is larger than %d MB", MaxBytes>>20)
	ErrNoEvent  = errors.New("there is no event in the input")
	errNotEvent = errors.New("not an event")
)

// InputError is why an input is no event stream.
type InputError struct {
	// Line is the line at fault, from 1; 0 when it is the whole input.
	Line int
	// Excerpt is the beginning of what stands there, without control characters.
	Excerpt string
	Err     error
}

func (e *InputError) Error() string {
	if e.Line == 0 {
		return e.Err.Error()
	}
	return fmt.Sprintf("line %d is %v: %s", e.Line, e.Err, e.Excerpt)
}

func (e *InputError) Unwrap() error { return e.Err }

// Format is how the events of a capture are written down.
type Format string

const (
	FormatSSE   Format = "sse"        // server-sent events
	FormatLines Format = "json-lines" // an event a line
	FormatArray Format = "json-array"
)

// Event is one event of a capture.
type Event struct {
	// Frame counts the frames, lines or elements from 1, also those that hold no
	// event; Line is where it begins, from 1.
	Frame, Line int
	agui.Event
}

// Stream is a capture as it was read.
type Stream struct {
	Format Format
	Events []Event
	// Frames counts frames, lines or elements.
	Frames int
	// Findings are those of the reading: a wrong value, a cut frame, what the codec
	// left out of an event.
	Findings []Finding

	codec     agui.Decoder
	noted     map[string]int // where in Findings a note is
	malformed int            // of Events, frames that are no events
	early     error          // why the first frame is no event, when none came before it
	ended     bool           // the last event ended a run
}

// Read reads a capture of at most [MaxBytes]. It fails with an [*InputError] when
// it is no event stream, and with the error of r.
func Read(r io.Reader) (*Stream, error) {
	data, err := io.ReadAll(io.LimitReader(r, MaxBytes+1))
	if err != nil {
		return nil, fmt.Errorf("read capture: %w", err)
	}
	if len(data) > MaxBytes {
		return nil, &InputError{Err: ErrTooLarge}
	}
	data = bytes.ToValidUTF8(bytes.TrimPrefix(data, []byte("\uFEFF")), []byte("\uFFFD"))
	begin := bytes.TrimLeft(data, " \t\r\n")
	s := &Stream{noted: map[string]int{}}
	switch {
	case len(begin) == 0:
		return nil, &InputError{Err: ErrEmpty}
	case begin[0] == '[':
		s.Format, err = FormatArray, s.readArray(data)
	case begin[0] == '{':
		s.Format, err = FormatLines, s.readLines(data)
	case isField(begin):
		s.Format = FormatSSE
		err = s.readSSE(data)
	default:
		first := 1 + bytes.Count(data[:len(data)-len(begin)], []byte("\n"))
		line, _, _ := bytes.Cut(begin, []byte("\n"))
		err = notEvent(first, line, errors.New("neither server-sent events nor JSON"))
	}
	if err != nil {
		return nil, err
	}
	if s.Frames == 0 {
		return nil, &InputError{Err: ErrNoEvent}
	}
	if len(s.Events) == 0 && s.early != nil {
		return nil, s.early
	}
	return s, nil
}

// done is what some agents send to end a stream; no event of the protocol.
const done = "[DONE]"

// add takes the next frame. One that is no event is taken for what it is where others are
// events; lines and elements that are none end the reading. The last may have been cut:
// that is what a connection that breaks off leaves.
func (s *Stream) add(line int, raw []byte, last bool) error {
	s.Frames++
	if string(raw) == done && s.ended {
		s.find(line, LevelNote, "9.4", done+" after the run; ignored")
		return nil
	}
	ev, err := s.codec.Decode(raw)
	switch {
	case err == nil:
		s.diagnose(line, ev)
		s.take(line, ev)
	case errors.Is(err, agui.ErrNotEvent) && last && s.Frames > 1 && cut(raw):
		s.find(line, LevelViolation, "7.3", "the stream was cut inside this frame; dropped")
	case !errors.Is(err, agui.ErrNotEvent) || s.Format == FormatSSE && len(s.Events) > 0:
		s.take(line, agui.NewMalformed(raw, err)) // one bad frame does not end the run
		s.malformed++
	case s.Format == FormatSSE && s.Frames <= maxBadFirst:
		s.early = cmp.Or(s.early, notEvent(line, raw, err))
		s.find(line, LevelViolation, "1.1", "a frame is no event: "+strconv.Quote(err.Error()))
	default:
		return cmp.Or(s.early, notEvent(line, raw, err))
	}
	return nil
}

// maxBadFirst is how many frames that are no events may come before the first event, as
// the client has it.
const maxBadFirst = 8

func (s *Stream) take(line int, ev agui.Event) {
	s.Events = append(s.Events, Event{Frame: s.Frames, Line: line, Event: ev})
	switch ev.(type) {
	case *agui.Malformed:
	case *agui.RunFinished, *agui.RunError:
		s.ended = true
	default:
		s.ended = false
	}
}

func (s *Stream) find(line int, level Level, rule, text string) {
	s.Findings = append(s.Findings, Finding{Frame: max(s.Frames, 1), Line: line, Level: level, Rule: rule, Text: text})
}

// maxNotes bounds what is told of what the codec left out, each text once.
const maxNotes = 256

// diagnose takes what the codec says of the event it has just read. A required
// member that is missing breaks the protocol; anything else is passed over, as
// section 8.4 wants, and told where it is met first.
func (s *Stream) diagnose(line int, ev agui.Event) {
	if _, unknown := ev.(*agui.Unknown); unknown {
		return // the fold says so
	}
	for _, d := range s.codec.Diagnostics() {
		text := fmt.Sprintf("%s %s", ev.Head().Type, d)
		at, known := s.noted[text]
		switch {
		case d.What == "required, but missing", d.What == agui.NotNumbers:
			s.find(line, LevelViolation, "1.1", text)
		case known:
			s.Findings[at].Repeats++
		case len(s.noted) < maxNotes:
			s.noted[text] = len(s.Findings)
			s.find(line, LevelNote, "8.4", text)
		}
	}
}

// cut reports whether raw is the beginning of a JSON value.
func cut(raw []byte) bool {
	var v json.RawMessage
	return errors.Is(json.NewDecoder(bytes.NewReader(raw)).Decode(&v), io.ErrUnexpectedEOF)
}

func notEvent(line int, raw []byte, why error) error {
	return &InputError{Line: line, Err: errNotEvent, Excerpt: clean(fmt.Sprintf("%s (%v)", excerpt(raw), why))}
}

// excerpt is the beginning of what stands on a line.
func excerpt(raw []byte) string {
	const limit = 120
	text := string(bytes.TrimSpace(raw[:min(len(raw), limit)]))
	if len(raw) > limit {
		text += "…"
	}
	return text
}
