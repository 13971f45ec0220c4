package probe

import (
	"encoding/json"
	"time"
)

// recordingVersion is that of recording.json; it stays as long as nothing is
// renamed or changes its meaning.
const recordingVersion = 1

// Recording is what a probe sent and got. It holds no token, no host and no header.
type Recording struct {
	Version  int       `json:"version"`
	Date     time.Time `json:"date"`
	Scenario Scenario  `json:"scenario"`
	// Profile is where the runtime puts what is asked, for the report alone.
	Profile Profile `json:"profile"`
	// Path is the path of the probed URL.
	Path string `json:"path"`
	// Versions are what ran behind it, as the caller said.
	Versions map[string]string `json:"versions,omitempty"`
	// Planned is how many requests were announced; no more were sent.
	Planned int `json:"planned"`
	// Token reports whether a token was given, so that auth was probed.
	Token     bool       `json:"token"`
	Exchanges []Exchange `json:"exchanges"`
	// Skipped are the steps of the plan that were not sent.
	Skipped []Skipped `json:"skipped,omitempty"`
}

// Profile is a [cairn/agentclient/interrupt.Profile] as it is stored.
type Profile struct {
	ToolName []string `json:"toolName,omitempty"`
	Payload  []string `json:"payload,omitempty"`
	Args     []string `json:"args,omitempty"`
}

// Skipped is a step that was not sent.
type Skipped struct {
	Step
	Why string `json:"why"`
	// Ours reports whether this program could not send it, not that there was nothing to
	// send.
	Ours bool `json:"ours,omitempty"`
}

// Exchange is one request and its answer.
type Exchange struct {
	Step
	// File is the name of the exchange's files, without an extension.
	File     string `json:"file"`
	ThreadID string `json:"threadId,omitempty"`
	RunID    string `json:"runId,omitempty"`
	// StartMS counts from the first request; FirstByteMS and TotalMS from this one.
	// FirstByteMS is 0 when nothing came.
	StartMS     float64 `json:"startMs"`
	FirstByteMS float64 `json:"firstByteMs"`
	TotalMS     float64 `json:"totalMs"`
	// Status is 0 when there was no answer.
	Status      int    `json:"status"`
	ContentType string `json:"contentType,omitempty"`
	// Aborted reports whether the probe left before the end, on purpose.
	Aborted bool `json:"aborted,omitempty"`
	// Failed is why there was no whole answer.
	Failed string `json:"failed,omitempty"`

	// unencodable reports whether it was not sent because its body could not be written.
	unencodable bool

	// Request is the body that was sent, Body the one that came, with the token
	// replaced if it was in there and has eight bytes or more.
	Request []byte `json:"-"`
	Body    []byte `json:"-"`
	// Times is when each frame came, in ms from the request; nil when not known.
	Times []float64 `json:"-"`
}

// BodyFile is the name of the file with the answer's body.
func (x *Exchange) BodyFile() string {
	if x.stream() {
		return x.File + extStream
	}
	return x.File + extBody
}

// stream reports whether the answer is an event stream.
func (x *Exchange) stream() bool { return x.Status == 200 && isEventStream(x.ContentType, x.Body) }

// requestFile is what is stored of a request, in the form of the other captures.
type requestFile struct {
	Method string `json:"method"`
	Path   string `json:"path"`
	// Body is the JSON that was sent; BodyText what was sent and is none.
	Body     json.RawMessage `json:"body,omitempty"`
	BodyText string          `json:"bodyText,omitempty"`
}

// timesFile is what cairn/agentclient/agenttest reads beside a transcript.
type timesFile struct {
	Frames []frameTime `json:"frames"`
}

type frameTime struct {
	MS float64 `json:"ms"`
}
