package agenthost

import (
	"errors"
	"io"

	"cairn/agui/sse"
)

// Bounds of what a model's server may send, checked before it is parsed. A chunk that is
// decoded takes some hundred times its bytes when it is an array of empty objects.
const (
	// streamPerAnswer is how many bytes a stream may have for each byte of its answer:
	// a chunk of one token is some 300 bytes.
	streamPerAnswer = 64
	// frameOverhead is what one event of the stream may have beside its answer.
	frameOverhead = 64 << 10
	// maxFrameValues is about how many JSON values one event may have.
	maxFrameValues = 20_000
)

// answerBody is a stream of events as the API's client can read it: one line for each,
// without comments, however the server writes them. Reading fails with answer_limit as
// soon as the stream, or one event of it, is larger than an answer can be.
type answerBody struct {
	io.Closer
	frames *sse.Reader
	line   []byte // what is left of the last event
}

// newAnswerBody reads body; room is the most bytes of all, maxFrame those of one event.
func newAnswerBody(body io.ReadCloser, room, maxFrame int) *answerBody {
	limits := sse.Limits{MaxLine: maxFrame, MaxFrame: maxFrame}
	return &answerBody{Closer: body, frames: sse.NewReader(&bounded{body, room}, limits)}
}

func (b *answerBody) Read(p []byte) (int, error) {
	for len(b.line) == 0 {
		_, data, err := b.frames.NextBytes()
		if errors.Is(err, sse.ErrTooLarge) || err == nil && !decodable(data) {
			return 0, errAnswerLimit
		} else if err != nil {
			return 0, err
		}
		b.line = eventLine(b.line[:0], data)
	}
	n := copy(p, b.line)
	b.line = b.line[n:]
	return n, nil
}

// eventLine appends an event in one line. The client looks for errors at the start of a
// line and takes what follows for more of them; the space leaves them to us. The end of
// the stream becomes a chunk, since the client does not tell it from a stream cut short.
func eventLine(line, data []byte) []byte {
	line = append(line, "data: "...)
	if string(data) == "[DONE]" {
		return append(line, `{"done":true}`+"\n"...)
	}
	for i, c := range data {
		if c == '\n' { // between JSON values: a string has none
			c = ' '
		}
		if line = append(line, c); i == 0 && c == '{' {
			line = append(line, ' ')
		}
	}
	return append(line, '\n')
}

// decodable reports whether an event is as flat and as small as chunks are.
func decodable(data []byte) bool {
	var scan jsonScan
	for _, c := range data {
		scan.step(c)
		if scan.values > maxFrameValues || scan.depth > maxValueDepth {
			return false
		}
	}
	return true
}

// bounded fails with answer_limit after room bytes.
type bounded struct {
	src  io.Reader
	room int
}

func (b *bounded) Read(p []byte) (int, error) {
	n, err := b.src.Read(p)
	if b.room -= n; b.room < 0 {
		return 0, errAnswerLimit
	}
	return n, err
}
