package agenthost

import (
	"io"
	"net/http"
	"strings"

	"github.com/openai/openai-go/v3/option"
)

// What a model's server may send is bounded before it is parsed. A chunk that is
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

// bound limits the body of each response of the model's server. The body of an error
// is not read at all: it may repeat the key, and the status says enough.
func (m *model) bound(req *http.Request, next option.MiddlewareNext) (*http.Response, error) {
	resp, err := next(req)
	if err != nil || resp == nil || resp.Body == nil {
		return resp, err
	}
	if resp.StatusCode >= http.StatusBadRequest {
		_ = resp.Body.Close() // nothing of it is used
		resp.Body = io.NopCloser(strings.NewReader(`{"error":{}}`))
		return resp, nil
	}
	resp.Body = &answerBody{ReadCloser: resp.Body, room: streamPerAnswer*m.maxAnswer + frameOverhead, maxFrame: 2*m.maxAnswer + frameOverhead}
	return resp, nil
}

// answerBody fails with answer_limit as soon as a stream of events, or one event of
// it, is larger than an answer can be.
type answerBody struct {
	io.ReadCloser
	room, maxFrame int
	frame          int      // bytes since the last empty line
	scan           jsonScan // of the frame
	line           int      // bytes of the line so far
}

func (b *answerBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if b.room -= n; b.room < 0 || !b.fits(p[:n]) {
		return 0, errAnswerLimit
	}
	return n, err
}

// fits reports whether the event that goes on with these bytes is within its bounds.
func (b *answerBody) fits(p []byte) bool {
	for _, c := range p {
		b.frame++
		switch {
		case c == '\r':
		case c != '\n':
			b.line++
			b.scan.step(c)
		case b.line == 0: // an empty line ends an event
			b.frame, b.scan = 0, jsonScan{}
		default: // no JSON string goes on in the next line
			b.line, b.scan.inString, b.scan.escaped = 0, false, false
		}
		if b.frame > b.maxFrame || b.scan.values > maxFrameValues || b.scan.depth > maxValueDepth {
			return false
		}
	}
	return true
}
