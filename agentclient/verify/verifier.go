// Package verify expands the chunks of an AG-UI stream and checks the order of
// its events (protocol sections 4 and 5). It reduces nothing, does no I/O and
// starts no goroutine; it judges events as they were decoded, so what decoding
// forgives, such as null for absent, it never sees.
//
//	v := verify.New(verify.Lenient)
//	for each event {
//		events, violations := v.Feed(event)
//		...
//	}
package verify

import (
	"fmt"

	"cairn/agui"
)

// Mode is what a violation does.
type Mode int

const (
	// Lenient reports every violation and goes on: what cannot be placed is left
	// out, the rest is handed on. A chunked message that RUN_ERROR or a cancelled
	// run cuts short gets no END, because it is not complete.
	Lenient Mode = iota
	// Strict reports the first violation and hands nothing on after it.
	Strict
)

// Violation is one departure from the protocol.
type Violation struct {
	// Rule is R1 to R33 for the order rules (section 5), or the section of
	// expansion that was broken: "4.1", "4.2".
	Rule string
	// Text quotes the agent's ids, cut to a readable length. It is for operators.
	Text string
	// Allowed is of what the specification allows and a lenient verifier reads otherwise. A
	// strict one does not report it.
	Allowed bool
}

// Verifier follows one stream, which may hold several runs. Use [New]. It is not
// safe for concurrent use.
type Verifier struct {
	mode       Mode
	open       streams
	order      order
	events     []agui.Event
	violations []Violation
	stopped    bool
}

// New returns a verifier before the first event.
func New(mode Mode) *Verifier {
	v := &Verifier{mode: mode}
	v.Reset()
	return v
}

// Feed takes the next event and returns the events it stands for, fit to be
// reduced in this order, and what is wrong with them. [agui.Unknown] is handed on
// and never a violation (section 8.4). Both slices are valid until the next call.
// After a violation a strict verifier repeats it for whatever comes.
func (v *Verifier) Feed(ev agui.Event) ([]agui.Event, []Violation) {
	if v.stopped {
		return nil, v.violations
	}
	clear(v.events)
	v.events, v.violations = v.events[:0], v.violations[:0]
	v.expand(ev)
	return v.events, v.violations
}

// Reset forgets everything, as before the first event.
func (v *Verifier) Reset() {
	v.open, v.stopped, v.violations = streams{}, false, nil
	v.order.reset()
}

// End ends the run without a terminal event: until the next
// RUN_STARTED nothing may follow.
func (v *Verifier) End() {
	v.over(phaseEnded)
}

// emit checks an expanded event and hands it on.
func (v *Verifier) emit(ev agui.Event) {
	if v.stopped {
		return
	}
	if v.check(ev) && !v.stopped {
		v.events = append(v.events, ev)
	}
}

// violate reports a violation. Ids go in as %s through [short].
func (v *Verifier) violate(rule, format string, args ...any) {
	if v.stopped {
		return
	}
	v.stopped = v.mode == Strict
	v.violations = append(v.violations, Violation{Rule: rule, Text: fmt.Sprintf(format, args...)})
}

// short quotes a string of the agent's, cut to a readable length.
func short(s string) string {
	const limit = 80
	if len(s) > limit {
		return fmt.Sprintf("%.80q…", s)
	}
	return fmt.Sprintf("%q", s)
}
