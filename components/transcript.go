package components

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// TranscriptPage is one exchange of a recording.
type TranscriptPage struct {
	Shell   Shell
	Runtime string
	This    TranscriptLink
	// Before and After are its neighbours, without a URL at the ends.
	Before, After TranscriptLink
	Sent          string // the request's body
	Answer        string // how it went, a sentence
	Raw           string // where the answer is byte for byte; "" when nothing came
	Frames        []Frame
	Body          string // an answer that is no event stream
}

// TranscriptLink leads to one exchange.
type TranscriptLink struct {
	Number             int
	Surface, Name, URL string
}

// label is the exchange as the evidence names it: "[05] ask".
func (l TranscriptLink) label() string {
	n := strconv.Itoa(l.Number)
	return "[" + strings.Repeat("0", max(0, 2-len(n))) + n + "] " + l.Name
}

// Frame is one event of a stream as it came.
type Frame struct {
	Number int
	At     string // since the request; "" when not known
	Type   string // "" for what is no event
	Data   string
	Breach string // of the protocol, "" when it is none
}

// Limits of a frame's text in bytes: on its line, and opened.
const (
	frameLine = 160
	frameOpen = 4 << 10
)

func (f Frame) line() string { return cut(strings.Join(strings.Fields(f.Data), " "), frameLine) }
func (f Frame) open() string { return cut(f.Data, frameOpen) }

func cut(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n] + "…"
}
