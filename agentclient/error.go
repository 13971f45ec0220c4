package agentclient

import "fmt"

// Kind says what went wrong with a run.
type Kind string

const (
	KindRequest   Kind = "request"   // the input cannot be encoded
	KindConnect   Kind = "connect"   // no answer: refused, unknown host, TLS, or ConnectTimeout
	KindStatus    Kind = "status"    // an answer other than 200; redirects are not followed
	KindNotSSE    Kind = "not-sse"   // a 200 that is no event stream
	KindMalformed Kind = "malformed" // a frame that is no event
	KindTruncated Kind = "truncated" // the stream ended before RUN_FINISHED or RUN_ERROR
	KindStalled   Kind = "stalled"   // nothing came for StallTimeout
	KindAborted   Kind = "aborted"   // the context ended
	KindTooLarge  Kind = "too-large" // a limit of bytes or events was passed
	KindViolation Kind = "violation" // an event that breaks the protocol, when Config.Strict
)

// Error is how [Client.Run] fails. Its text is for operators: it may name the
// agent's address and quote what it sent.
type Error struct {
	Kind Kind
	// Status is the HTTP status when there was an answer.
	Status int
	// Excerpt is the beginning of an answer that is no event stream, or of a
	// malformed frame, as one line.
	Excerpt string
	// Frame is the number of the frame at fault, 0 when none is.
	Frame int
	// Rule names what a violation broke, as [cairn/agentclient/verify.Violation] does.
	Rule string
	Err  error

	notSent bool
}

// Dispatched reports whether the agent may have received the request. It is
// false only when that is known not to be so, and the run can safely be tried
// again.
func (e *Error) Dispatched() bool { return !e.notSent }

func (e *Error) Unwrap() error { return e.Err }

func (e *Error) Error() string {
	text := "agent run: " + string(e.Kind)
	if e.Status != 0 && e.Status != 200 {
		text += fmt.Sprintf(" %d", e.Status)
	}
	if e.Frame != 0 {
		text += fmt.Sprintf(" at frame %d", e.Frame)
	}
	if e.Rule != "" {
		text += ", rule " + e.Rule
	}
	if e.Err != nil {
		text += ": " + e.Err.Error()
	}
	if e.Excerpt != "" {
		text += fmt.Sprintf(": %q", e.Excerpt)
	}
	return text
}
