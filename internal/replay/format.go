package replay

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strings"

	"cairn/agui/sse"
)

// This file cuts each format into frames.

// isField reports whether a line is a field or a comment of an event stream.
func isField(line []byte) bool {
	name, _, _ := bytes.Cut(firstLine(line), []byte(":"))
	switch string(name) {
	case "data", "event", "id", "retry", "":
		return true
	}
	return false
}

func (s *Stream) readSSE(data []byte) error {
	lines := &lineReader{rest: data}
	frames := sse.NewReader(lines, sse.Limits{MaxLine: MaxBytes, MaxFrame: MaxBytes})
	for {
		frame, err := frames.Next()
		for _, odd := range lines.odd {
			s.find(odd.line, LevelNote, "7.3", "a line that is no field of an event stream; ignored: "+odd.text)
		}
		lines.odd = lines.odd[:0]
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return &InputError{Line: lines.line, Err: err}
		}
		line := lines.data
		lines.data = 0
		if strings.TrimSpace(frame.Data) == "" { // a keep-alive, as the client reads it
			continue
		}
		if err := s.add(line, []byte(frame.Data), frame.Unterminated); err != nil {
			return err
		}
	}
}

// lineReader returns a text line by line, at most one a Read, so that a reader of
// frames, which asks for no more than it needs, can be told where it is.
type lineReader struct {
	rest   []byte
	line   int // begun so far
	data   int // the first data line since it was set to 0
	inside bool
	filled bool // a data line of the frame holds something
	odd    []oddLine
	seen   int // odd lines in all
}

// oddLine is a line that a reader of event streams passes over, as the standard
// wants; in a capture it may be an event somebody damaged.
type oddLine struct {
	line int
	text string
}

func firstLine(rest []byte) []byte {
	if end := bytes.IndexAny(rest, "\r\n"); end >= 0 {
		return rest[:end]
	}
	return rest
}

// dataLine returns the value of a line of the data field, without the space around it.
func dataLine(rest []byte) (value []byte, ok bool) {
	name, value, _ := bytes.Cut(firstLine(rest), []byte(":"))
	return bytes.TrimSpace(value), string(name) == "data"
}

func (r *lineReader) Read(p []byte) (int, error) {
	if len(r.rest) == 0 {
		return 0, io.EOF
	}
	if !r.inside {
		r.line++
		if r.seen < maxNotes && !isField(r.rest) {
			r.seen++
			r.odd = append(r.odd, oddLine{r.line, excerpt(firstLine(r.rest))})
		}
		switch value, ok := dataLine(r.rest); {
		case ok:
			r.filled = r.filled || len(value) > 0
			if r.data == 0 {
				r.data = r.line
			}
		case r.rest[0] == '\r' || r.rest[0] == '\n':
			if !r.filled { // a frame of empty data is not given
				r.data = 0
			}
			r.filled = false
		}
	}
	end := bytes.IndexAny(r.rest[:min(len(r.rest), len(p))], "\r\n")
	n := min(len(r.rest), len(p))
	r.inside = end < 0
	if end >= 0 {
		n = end + 1
		if r.rest[end] == '\r' && n < len(r.rest) && r.rest[n] == '\n' {
			if n == len(p) {
				// The LF comes with the next Read, as the rest of this line.
				r.inside = true
			} else {
				n++
			}
		}
	}
	copy(p, r.rest[:n])
	r.rest = r.rest[n:]
	return n, nil
}

func (s *Stream) readLines(data []byte) error {
	for n := 1; len(data) > 0; n++ {
		line, rest, _ := bytes.Cut(data, []byte("\n"))
		data = rest
		if line = bytes.TrimSpace(line); len(line) == 0 {
			continue
		}
		if err := s.add(n, line, len(bytes.TrimSpace(rest)) == 0); err != nil {
			return err
		}
	}
	return nil
}

func (s *Stream) readArray(data []byte) error {
	dec := json.NewDecoder(bytes.NewReader(data))
	if _, err := dec.Token(); err != nil { // the bracket
		return err
	}
	line, counted := 1, 0
	at := func(offset int) int {
		line += bytes.Count(data[counted:offset], []byte("\n"))
		counted = offset
		return line
	}
	for {
		begin := int(dec.InputOffset())
		begin += len(data[begin:]) - len(bytes.TrimLeft(data[begin:], ", \t\r\n"))
		if begin == len(data) || !dec.More() {
			break
		}
		var raw json.RawMessage
		err := dec.Decode(&raw)
		if err != nil {
			raw = data[begin:]
		}
		if failed := s.add(at(begin), raw, err != nil); failed != nil {
			return failed
		}
		if err != nil { // it was cut
			return nil
		}
	}
	end := int(dec.InputOffset())
	if _, err := dec.Token(); err != nil {
		end += len(data[end:]) - len(bytes.TrimLeft(data[end:], ", \t\r\n"))
		if s.Frames > 0 && end == len(data) {
			s.find(at(end), LevelViolation, "7.3", "the array was cut after this event")
			return nil
		}
		return notEvent(at(end), data[end:], errors.New("the array is not closed"))
	}
	end = int(dec.InputOffset())
	if rest := bytes.TrimSpace(data[end:]); len(rest) > 0 {
		return notEvent(at(len(data)-len(bytes.TrimLeft(data[end:], " \t\r\n"))), rest, errors.New("it follows the array"))
	}
	return nil
}
