package agentclient

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"
	"strings"
	"time"

	"cairn/agentclient/verify"
	"cairn/agui"
	"cairn/agui/sse"
)

const (
	// excerptBytes is how much of a wrong answer an [Error] quotes.
	excerptBytes = 512
	// afterEnd is how long in all an answer is waited for after the terminal event of the
	// run that was asked for, and afterOther after that of another one: an answer may tell
	// earlier runs first, hold several, or say after the end that the run failed.
	// afterBytes bounds what is read meanwhile. Another run's beginning ends both bounds.
	afterEnd   = 250 * time.Millisecond
	afterOther = time.Second
	afterBytes = 1 << 20
	// maxBad bounds the frames of a run that are no events, and maxBadFirst those that come
	// before any event: such an answer is none.
	maxBad      = 1000
	maxBadFirst = 8
	// sharedBytes is how much memory short frames share.
	sharedBytes = 1 << 10
)

var (
	errConnectTimeout = errors.New("no answer in time")
	errStalled        = errors.New("no data in time")
	errTooManyBytes   = errors.New("too many bytes")
	errTooManyEvents  = errors.New("too many events")
	errNoTerminal     = errors.New("the stream ended before the run did")
	errEnough         = errors.New("the run is over")
)

// Received is one event as it came.
type Received struct {
	// Event is an [*agui.Malformed] for a frame that is no event.
	Event agui.Event
	// Raw is the data of the frame as received. Event may share its memory: do not change
	// it. It is JSON unless Event is malformed or the diagnostics name NaN or Infinity.
	Raw json.RawMessage
	// Diagnostics are what of Raw is not in Event, or was read leniently.
	Diagnostics []agui.Diagnostic
	// Frame is the number of its frame, from 1.
	Frame int
	// At is when the bytes that complete the frame arrived.
	At time.Time
}

// Run posts in and returns the events of the answer, to its end. Answers that stay open
// after RUN_FINISHED or RUN_ERROR are left after a quarter of a second, or after a second
// when that was not the run that in asks for. A RUN_ERROR is an event, not an error. A frame that is no event is returned as an
// [*agui.Malformed], and the run goes on. When the run fails, everything valid before the
// defect is returned first, and the last pair holds an [*Error]; there is at most one.
//
// Leaving the loop, or ending ctx, closes the connection. Nothing is left running
// when the loop has ended. Each use of the sequence is a run of its own.
func (c *Client) Run(ctx context.Context, in agui.RunAgentInput) iter.Seq2[Received, error] {
	return func(yield func(Received, error) bool) {
		r := &run{client: c, parent: ctx, yield: yield}
		begun := time.Now()
		err := r.do(in)
		c.conceal(err)
		c.log.DebugContext(ctx, "agent run over", "run", in.RunID, "events", r.events, "bytes", r.bytes,
			"took", time.Since(begun), "left", r.left, "failed", kindOf(err))
		if err != nil && !r.left {
			yield(Received{}, err)
		}
	}
}

func kindOf(err *Error) Kind {
	if err == nil {
		return ""
	}
	return err.Kind
}

// run is one request and its answer.
type run struct {
	client *Client
	parent context.Context
	yield  func(Received, error) bool

	ctx      context.Context // ends with parent, or for one of our own reasons
	cancel   context.CancelCauseFunc
	watch    *time.Timer // ends ctx when the agent is silent for too long
	body     io.Reader
	status   int
	bytes    int64
	events   int
	bad      int // frames that are no events
	firstBad *Error
	left     bool // the caller left the loop

	asked string // the run that was asked for
	seen  bool   // it has begun
	other bool   // the last run that began is another one
	// over is true from a terminal event until the next run begins. Then patience is how
	// long the answer may still be waited for, and after how many bytes came.
	over     bool
	patience time.Duration
	after    int

	arrived time.Time // of the last bytes
	shared  []byte    // room for short frames
}

func (r *run) do(in agui.RunAgentInput) *Error {
	if in.ProtocolVersion == "" {
		in.ProtocolVersion = agui.ProtocolVersion
	}
	payload, err := in.MarshalJSON()
	if err != nil {
		return &Error{Kind: KindRequest, Err: fmt.Errorf("encode input: %w", err), notSent: true}
	}
	if err := r.parent.Err(); err != nil {
		return &Error{Kind: KindAborted, Err: context.Cause(r.parent), notSent: true}
	}
	r.ctx, r.cancel = context.WithCancelCause(r.parent)
	defer r.cancel(nil)

	resp, failed := r.post(payload)
	if failed != nil {
		return failed
	}
	defer resp.Body.Close()
	r.status = resp.StatusCode
	r.asked = in.RunID
	r.watch = time.AfterFunc(r.client.cfg.StallTimeout, func() { r.cancel(errStalled) })
	defer r.watch.Stop()
	r.body = &watchedBody{r, resp.Body}
	if failed := r.expectStream(resp); failed != nil {
		return failed
	}
	return r.read()
}

// read returns the events of the stream. Once the run is over, however the stream ends is
// well.
func (r *run) read() *Error {
	frames := sse.NewReader(r.body, r.client.cfg.SSE)
	events := agui.Decoder{Owns: true} // each event gets bytes of its own
	var strict *verify.Verifier
	if r.client.cfg.Strict {
		strict = verify.New(verify.Strict)
	}
	for {
		frame, data, err := frames.NextBytes()
		if err != nil && r.over {
			return nil
		}
		if err == io.EOF && r.bad > 0 && r.bad == r.events {
			return r.firstBad
		}
		if err == io.EOF {
			return &Error{Kind: KindTruncated, Cause: CauseUnfinished, Status: r.status, Err: errNoTerminal}
		}
		if err != nil {
			return r.broken(err, KindTruncated)
		}
		if len(bytes.TrimSpace(data)) == 0 {
			continue
		}
		if r.events++; r.events > r.client.cfg.MaxEvents {
			return &Error{Kind: KindTooLarge, Status: r.status, Frame: frame.Number, Err: errTooManyEvents}
		}
		raw := r.keep(data)
		ev, err := events.Decode(raw)
		if err != nil {
			failed := r.malformed(frame, raw, err)
			switch {
			case r.over:
				continue // such as [DONE]
			case failed != nil:
				return failed
			}
			ev = agui.NewMalformed(raw, err)
		}
		if strict != nil {
			if broken := strictly(strict, ev, events.Diagnostics()); broken != nil {
				return &Error{Kind: KindViolation, Status: r.status, Frame: frame.Number, Rule: broken.Rule,
					Excerpt: r.excerpt(raw), Err: errors.New(broken.Text)}
			}
		}
		r.follow(ev)
		got := Received{Event: ev, Raw: raw, Diagnostics: slices.Clone(events.Diagnostics()), Frame: frame.Number, At: r.arrived}
		if !r.yield(got, nil) {
			r.left = true
			return nil
		}
	}
}

// follow follows the runs of the answer, to know when the one that was asked for is over.
func (r *run) follow(ev agui.Event) {
	switch e := ev.(type) {
	case *agui.RunStarted:
		r.over = false
		r.seen = r.seen || e.RunID == r.asked
		r.other = !r.seen && e.RunID != "" && r.asked != ""
	case *agui.RunFinished:
		r.ended(!r.other || e.RunID == r.asked)
	case *agui.RunError:
		r.ended(!r.other)
	}
}

func (r *run) ended(asked bool) {
	if r.over {
		return // nor does an agent that ends again and again get more time
	}
	r.over, r.after, r.patience = true, 0, afterOther
	if asked {
		r.patience = afterEnd
	}
}

// malformed counts a frame that is no event. The error is that of the run when it is over
// with it.
func (r *run) malformed(frame sse.Frame, raw []byte, err error) *Error {
	failed := &Error{Kind: KindMalformed, Status: r.status, Frame: frame.Number, Excerpt: r.excerpt(raw), Err: err}
	if frame.Unterminated {
		failed.Kind = KindTruncated // the event was cut in two
		return failed
	}
	if r.bad++; r.bad == 1 {
		r.firstBad = failed
	}
	if r.client.cfg.Strict || r.bad > maxBad || r.bad == r.events && r.bad > maxBadFirst {
		return failed
	}
	return nil
}

// keep copies a frame's bytes for its event. Short ones share memory, to save
// allocations, but retaining one event pins at most sharedBytes.
func (r *run) keep(data []byte) json.RawMessage {
	switch {
	case len(data) >= sse.Large:
		return data // it is ours already
	case len(data) > sharedBytes/4:
		return bytes.Clone(data)
	}
	if len(data) > cap(r.shared)-len(r.shared) {
		r.shared = make([]byte, 0, sharedBytes)
	}
	from := len(r.shared)
	r.shared = append(r.shared, data...)
	return r.shared[from:len(r.shared):len(r.shared)]
}

// broken turns an error of the transport into ours. The reason we ended the
// context for is more precise than the transport's error.
func (r *run) broken(err error, otherwise Kind) *Error {
	failed := &Error{Kind: otherwise, Status: r.status, Err: err}
	cause := context.Cause(r.ctx)
	switch {
	case errors.Is(err, sse.ErrTooLarge), errors.Is(err, errTooManyBytes):
		failed.Kind = KindTooLarge
	case errors.Is(cause, errStalled):
		failed.Kind, failed.Err = KindStalled, cause
	case errors.Is(cause, errConnectTimeout):
		failed.Kind, failed.Err, failed.Cause = KindConnect, cause, CauseTimeout
	case r.parent.Err() != nil:
		failed.Kind, failed.Err = KindAborted, context.Cause(r.parent)
	default:
		failed.Cause = causeOf(err)
	}
	return failed
}

// excerpt returns the beginning of b as one line of text without the secrets, in case
// the agent sent them back.
func (r *run) excerpt(b []byte) string {
	secrets := r.client.secrets
	text := secrets.Mask(string(b[:min(len(b), secrets.Window(excerptBytes))]))
	text = strings.ToValidUTF8(text[:min(len(text), excerptBytes)], "")
	text = strings.Join(strings.FieldsFunc(text, func(c rune) bool { return c <= ' ' || c == 0x7f }), " ")
	return secrets.Line(text, maxErrorText)
}

// watchedBody counts what comes and ends the run when nothing does for too long.
// Time the caller spends on an event does not count.
type watchedBody struct {
	run *run
	src io.Reader
}

func (w *watchedBody) Read(p []byte) (int, error) {
	r := w.run
	wait := r.client.cfg.StallTimeout
	if r.over {
		if r.patience <= 0 || r.after > afterBytes {
			return 0, errEnough
		}
		wait = min(wait, r.patience)
	}
	r.watch.Reset(wait)
	begun := time.Now()
	n, err := w.src.Read(p)
	r.watch.Stop()
	r.arrived = time.Now()
	if r.over {
		r.patience -= r.arrived.Sub(begun)
		r.after += n
	}
	if r.bytes += int64(n); r.bytes > r.client.cfg.MaxBytes {
		return 0, errTooManyBytes
	}
	return n, err
}
