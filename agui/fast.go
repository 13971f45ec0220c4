package agui

import (
	"bytes"
	"encoding/json"
	"strings"
	"unicode/utf8"
	"unsafe"
)

// This file reads, without reflection, the events whose members are strings or
// JSON to be kept as it is: nearly all of any stream. Its contract is to return
// exactly the event readAny would, or none, and then Decode asks readAny. FuzzFast
// holds it to that.
//
// An event costs one allocation, its strings together another, and each JSON
// value it keeps one more. Nothing points into raw, unless a [Decoder] owns
// the bytes for good: then a delta without escapes and JSON values share them. Ids
// never do, since an id would keep the whole frame in memory; one that repeats is
// kept by the Decoder instead. So a text delta costs the event alone.

// member is a top-level member of the events read here.
type member int

const (
	mType member = iota
	mTimestamp
	mSubagentRunID
	mMetadata
	mRawEvent
	mMessageID
	mRole
	mName
	mDelta
	mToolCallID
	mToolCallName
	mParentMessageID
	mContent
	mStepName
	mSnapshot
	mEvent
	mSource
	mValue
	mThreadID
	mRunID
	mParentRunID
	mProtocolVersion
	memberCount
)

var memberNames = [memberCount]string{"type", "timestamp", "subagentRunId", "metadata", "rawEvent", "messageId", "role",
	"name", "delta", "toolCallId", "toolCallName", "parentMessageId", "content", "stepName", "snapshot", "event", "source", "value",
	"threadId", "runId", "parentRunId", "protocolVersion"}

// span is a member's value in the input: JSON known to be valid.
type span struct{ from, to int }

// set is a set of members.
type set uint32

func (s set) has(m member) bool { return s>>m&1 != 0 }

// flat is an event cut into its members.
type flat struct {
	raw     []byte
	at      [memberCount]span
	present set // at has them
	escaped set // strings with a backslash
	used    set // the event read has a place for them
	text    strings.Builder
	last    *recent // not nil: raw is the event's and never changes
	// wrong: readAny has to look at it. odd: it is fine, but there is something to
	// report: a member of no meaning, or a required one missing.
	wrong, odd bool
}

// readFast reads raw if it can.
func readFast(raw []byte, last *recent) (ev Event, odd, ok bool) {
	if last != nil {
		if ev = last.repeated(raw); ev != nil {
			return ev, false, true
		}
		last.head = last.head[:0]
	}
	f := flat{raw: raw, last: last}
	if !f.cut(raw) {
		return nil, false, false
	}
	if ev = f.event(); ev == nil || f.wrong {
		return nil, false, false
	}
	odd = f.odd || f.present&^f.used != 0
	if last != nil && !odd {
		last.remember(ev, &f)
	}
	return ev, odd, true
}

// maxDepth is how deep a value read here may nest.
const maxDepth = 100

// cut finds the members. It refuses a member given twice: the first may be wrong.
func (f *flat) cut(raw []byte) bool {
	s := scanner{b: raw, deepest: maxDepth}
	stringBytes := 0
	for more := s.enter('{', '}'); more; more = s.next('}') {
		key := s.key()
		m := memberOf(key)
		if s.escaped || m >= 0 && f.present.has(m) {
			return false
		}
		start := s.i
		s.value(0)
		if s.bad {
			return false
		}
		if m < 0 {
			f.odd = true
			continue
		}
		f.at[m] = span{start, s.i}
		f.present |= 1 << m
		if raw[start] == '"' {
			if s.escaped {
				f.escaped |= 1 << m
			}
			if m != mType {
				stringBytes += s.i - start
			}
		}
	}
	if s.space(); s.bad || s.i != len(raw) {
		return false
	}
	// Members kept as JSON get memory of their own; the others of such an event are short.
	const kept = 1<<mContent | 1<<mSnapshot | 1<<mEvent | 1<<mValue
	if f.last == nil && f.present&kept == 0 {
		f.text.Grow(stringBytes)
	}
	return true
}

func memberOf(key []byte) member {
	switch string(key) {
	case "type":
		return mType
	case "timestamp":
		return mTimestamp
	case "subagentRunId":
		return mSubagentRunID
	case "metadata":
		return mMetadata
	case "rawEvent":
		return mRawEvent
	case "messageId":
		return mMessageID
	case "role":
		return mRole
	case "name":
		return mName
	case "delta":
		return mDelta
	case "toolCallId":
		return mToolCallID
	case "toolCallName":
		return mToolCallName
	case "parentMessageId":
		return mParentMessageID
	case "content":
		return mContent
	case "stepName":
		return mStepName
	case "snapshot":
		return mSnapshot
	case "event":
		return mEvent
	case "source":
		return mSource
	case "value":
		return mValue
	case "threadId":
		return mThreadID
	case "runId":
		return mRunID
	case "parentRunId":
		return mParentRunID
	case "protocolVersion":
		return mProtocolVersion
	}
	return -1
}

// get returns a member's value, nil when it is absent.
func (f *flat) get(m member) []byte {
	f.used |= 1 << m
	if !f.present.has(m) {
		return nil
	}
	v := f.at[m]
	return f.raw[v.from:v.to:v.to]
}

// has reports whether a member is there and not null.
func (f *flat) has(m member) bool {
	v := f.get(m)
	return v != nil && v[0] != 'n'
}

// need is str of a required member.
func (f *flat) need(m member) string {
	if !f.has(m) {
		f.odd = true
	}
	return f.str(m)
}

func (f *flat) str(m member) string {
	in := f.get(m)
	if in == nil || in[0] == 'n' {
		return ""
	}
	if in[0] != '"' {
		f.wrong = true
		return ""
	}
	in = in[1 : len(in)-1]
	if !utf8.Valid(in) {
		f.wrong = true
		return ""
	}
	if f.last != nil && !f.escaped.has(m) {
		switch m {
		case mDelta:
			return unsafe.String(unsafe.SliceData(in), len(in))
		case mMessageID:
			return again(&f.last.message, in)
		case mToolCallID:
			return again(&f.last.toolCall, in)
		case mSubagentRunID:
			return again(&f.last.subagent, in)
		}
		return string(in)
	}
	start := f.text.Len()
	if f.escaped.has(m) {
		unescape(&f.text, in, m == mDelta)
	} else {
		f.text.Write(in)
	}
	return f.text.String()[start:]
}

func again(last *string, in []byte) string {
	if *last != string(in) { // compares without a copy
		*last = string(in)
	}
	return *last
}

// ptr stores a string and returns where, or nil when it is absent.
func (f *flat) ptr(m member, at *string) *string {
	if !f.has(m) {
		return nil
	}
	*at = f.str(m)
	return at
}

// json is a required member of any JSON, null included.
func (f *flat) json(m member) json.RawMessage {
	v := f.get(m)
	if v == nil {
		f.odd = true
		return nil
	}
	if f.last != nil {
		return v
	}
	return bytes.Clone(v)
}

func (f *flat) object(m member) (o map[string]json.RawMessage) {
	if json.Unmarshal(f.get(m), &o) != nil {
		f.wrong = true
	}
	return o
}

func (f *flat) milliseconds() int64 {
	if !f.has(mTimestamp) {
		return 0
	}
	digits, negative := bytes.CutPrefix(f.get(mTimestamp), []byte("-"))
	f.wrong = f.wrong || len(digits) > 18
	var n int64
	for _, c := range digits {
		if c < '0' || c > '9' {
			f.wrong = true
			return 0
		}
		n = n*10 + int64(c-'0')
	}
	if negative {
		return -n
	}
	return n
}
