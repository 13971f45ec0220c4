package agui

import (
	"math"
	"strconv"
)

// LeaveOut returns an event's JSON with the number of bytes in the place of each of its
// members that drop chooses by its name and size: {"leftOut":4008}. All else is as it was,
// byte for byte. Numbers that JSON does not have are null in what is returned, when
// anything was left out.
func LeaveOut(raw []byte, drop func(name string, size int) bool) []byte {
	out, ok := leaveOut(raw, drop)
	if !ok {
		if fixed, found := finite(raw); found {
			out, ok = leaveOut(fixed, drop)
		}
	}
	if !ok || out == nil {
		return raw
	}
	return out
}

// leaveOut returns nil when nothing is left out. ok is false for what is no object.
func leaveOut(raw []byte, drop func(name string, size int) bool) (out []byte, ok bool) {
	r := reader{s: scanner{b: raw, deepest: math.MaxInt}}
	copied := 0
	r.s.space()
	for more := r.s.enter('{', '}'); more; more = r.s.next('}') {
		name := string(r.name())
		start := r.s.i
		r.s.value(0)
		if r.s.bad {
			return nil, false
		}
		if drop(name, r.s.i-start) {
			out = append(append(out, raw[copied:start]...), `{"leftOut":`...)
			out = append(strconv.AppendInt(out, int64(r.s.i-start), 10), '}')
			copied = r.s.i
		}
	}
	if out != nil {
		out = append(out, raw[copied:]...)
	}
	return out, !r.s.bad
}
