package agentclient

import (
	"errors"
	"fmt"
	"net/url"

	"cairn/internal/mask"
)

// maxErrorText bounds the text of an [Error], in bytes.
const maxErrorText = 1 << 10

// Kind is what went wrong with a run.
type Kind string

const (
	KindRequest   Kind = "request"   // the input cannot be encoded
	KindConnect   Kind = "connect"   // no answer: refused, unknown host, TLS, or ConnectTimeout
	KindStatus    Kind = "status"    // an answer other than 200; redirects are not followed
	KindNotSSE    Kind = "not-sse"   // a 200 that is no event stream
	KindMalformed Kind = "malformed" // too many frames that are no events, or nothing else
	KindTruncated Kind = "truncated" // the stream ended before RUN_FINISHED or RUN_ERROR
	KindStalled   Kind = "stalled"   // nothing came for StallTimeout
	KindAborted   Kind = "aborted"   // the context ended
	KindTooLarge  Kind = "too-large" // a limit of bytes or events was passed
	KindViolation Kind = "violation" // an event that breaks the protocol, when Config.Strict
)

// Error is how [Client.Run] fails. Its text is for operators: it may name the
// agent's address and quote what it sent. It is one line of at most 1 KiB and holds
// neither the token nor a value of the URL's query, also where the agent sent them
// back. The same is true of the text of Err.
type Error struct {
	Kind Kind
	// Cause is why there was no answer, or why it broke off; empty when that is not known
	// or the kind says it.
	Cause Cause
	// Status is the HTTP status when there was an answer.
	Status int
	// Excerpt is the beginning of an answer that is no event stream, or of a
	// malformed frame, as one line of at most 1 KiB.
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
	return (*mask.Set)(nil).Line(text, maxErrorText)
}

// conceal takes the client's secrets out of a failed run's error, whatever it quotes.
func (c *Client) conceal(failed *Error) {
	if failed == nil || failed.Err == nil {
		return
	}
	if broken := new(url.Error); errors.As(failed.Err, &broken) { // it holds the URL
		failed.Err = &url.Error{Op: broken.Op, URL: RedactURL(broken.URL), Err: c.concealed(broken.Err)}
	}
	failed.Err = c.concealed(failed.Err)
}

func (c *Client) concealed(err error) error {
	return &concealedError{c.secrets.Line(err.Error(), maxErrorText), err}
}

// concealedError is an error with another text. It is no wrapper with an Unwrap
// method, because that would hand out the text that is to be concealed.
type concealedError struct {
	text string
	err  error
}

func (e *concealedError) Error() string        { return e.text }
func (e *concealedError) Is(target error) bool { return errors.Is(e.err, target) }
func (e *concealedError) As(target any) bool   { return errors.As(e.err, target) }
