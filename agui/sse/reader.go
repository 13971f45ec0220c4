// Package sse reads and writes server-sent events as the WHATWG specification
// describes the stream (LF, CRLF and CR lines, one leading BOM, comments). It
// knows nothing of what the data means, never reconnects, and ignores retry.
//
// It departs from the specification in two ways agents need (protocol section
// 7.3): a last frame without its blank line is still delivered, and a frame
// whose data is empty, as some servers send to keep a connection alive, is not.
package sse

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// Default limits in bytes. The largest legitimate frame is a MESSAGES_SNAPSHOT
// of a long thread; the reference client stops at 10 Mi characters.
const (
	DefaultMaxLine  = 16 << 20
	DefaultMaxFrame = 16 << 20
)

// readSize is how much is asked of the network at a time.
const readSize = 32 << 10

// Large is the size in bytes from which the reader reuses no memory: a large frame does
// not occupy memory for as long as the stream is open.
const Large = 1 << 20

// ErrTooLarge reports a line or a frame over its limit. The reader is finished.
var ErrTooLarge = errors.New("sse: too large")

// Limits bound the memory one frame may take, in bytes. Zero is the default.
type Limits struct{ MaxLine, MaxFrame int }

// Frame is one dispatched event.
type Frame struct {
	// Event is the event field, empty when absent.
	Event string
	// ID is the last event id seen so far in the stream.
	ID string
	// Data is the data lines joined by LF; never empty. Bytes that are not
	// UTF-8 are replaced by U+FFFD.
	Data string
	// Number counts delivered frames from 1.
	Number int
	// Unterminated reports whether the stream ended inside the frame, so that Data may be
	// cut short.
	Unterminated bool
}

// Reader cuts a byte stream into frames. It is not safe for concurrent use.
type Reader struct {
	src    io.Reader
	limits Limits

	buf        []byte // buf[start:] is unread input
	start      int
	err        error  // why src returns no more
	started    bool   // the BOM has been looked for
	skipLF     bool   // the last line ended in CR, so an LF now belongs to it
	data       []byte // room for the data of a frame
	id         string
	dispatched int
}

// NewReader reads frames from r.
func NewReader(r io.Reader, l Limits) *Reader {
	if l.MaxLine <= 0 {
		l.MaxLine = DefaultMaxLine
	}
	if l.MaxFrame <= 0 {
		l.MaxFrame = DefaultMaxFrame
	}
	return &Reader{src: r, limits: l}
}

// Next returns the next frame, io.EOF at the end of the stream, [ErrTooLarge], or
// the error of the underlying reader; a frame cut by such an error is dropped.
// A frame is given as soon as its blank line is there, also when that line ends
// in a CR whose LF has not arrived.
func (r *Reader) Next() (Frame, error) {
	f, data, err := r.NextBytes()
	if err == nil {
		f.Data = string(data)
	}
	return f, err
}

// NextBytes is Next without an allocation: the frame has no Data; data is what
// it would hold, valid until the next call. With [Large] bytes or more, data is the caller's.
func (r *Reader) NextBytes() (Frame, []byte, error) {
	var (
		f    Frame
		data = r.data[:0]
		has  bool
	)
	for {
		line, err := r.line()
		if err == nil && len(line) > 0 {
			name, value := field(line)
			switch string(name) {
			case "data":
				if has {
					data = append(data, '\n')
				}
				has = true
				if len(data)+len(value) > r.limits.MaxFrame {
					r.err = fmt.Errorf("%w: frame over %d bytes", ErrTooLarge, r.limits.MaxFrame)
					r.start = len(r.buf)
					return Frame{}, nil, r.err
				}
				data = append(data, value...)
			case "event":
				f.Event = text(value)
			case "id":
				if bytes.IndexByte(value, 0) < 0 {
					r.id = text(value)
				}
			}
			continue
		}
		if err != nil && err != io.EOF {
			return Frame{}, nil, err
		}
		if len(data) > 0 {
			r.dispatched++
			r.reuse(data)
			f.ID, f.Number, f.Unterminated = r.id, r.dispatched, err == io.EOF
			if !utf8.Valid(data) {
				data = bytes.ToValidUTF8(data, []byte("\uFFFD"))
			}
			return f, data, nil
		}
		if err != nil {
			return Frame{}, nil, err
		}
		f, data, has = Frame{}, data[:0], false
	}
}

// reuse holds the memory of a frame for the next one, unless it is large.
func (r *Reader) reuse(data []byte) {
	if r.data = data; cap(data) >= Large {
		r.data = nil
	}
	if rest := r.buf[r.start:]; cap(r.buf) >= Large && len(rest) < readSize {
		r.buf, r.start = append(make([]byte, 0, 2*readSize), rest...), 0
	}
}

// line returns the next line without its end, valid until the next call.
func (r *Reader) line() ([]byte, error) {
	scanned := 0
	for {
		rest := r.buf[r.start:]
		if !r.started {
			if n := bomLength(rest, r.err != nil); n >= 0 {
				r.started = true
				r.start += n
				continue
			}
		} else {
			if r.skipLF && len(rest) > 0 {
				r.skipLF = false
				if rest[0] == '\n' {
					r.start++
					continue
				}
			}
			if i := lineEnd(rest, scanned); i >= 0 {
				if i > r.limits.MaxLine {
					return nil, r.tooLong()
				}
				r.start += i + 1
				r.skipLF = rest[i] == '\r'
				return rest[:i], nil
			}
			scanned = len(rest)
			if scanned > r.limits.MaxLine {
				return nil, r.tooLong()
			}
			if r.err != nil {
				if r.err == io.EOF && len(rest) > 0 {
					r.start = len(r.buf)
					return rest, nil
				}
				return nil, r.err
			}
		}
		r.fill()
	}
}

func (r *Reader) tooLong() error {
	r.err = fmt.Errorf("%w: line over %d bytes", ErrTooLarge, r.limits.MaxLine)
	r.start = len(r.buf)
	return r.err
}

// fill reads once, keeping what is unread.
func (r *Reader) fill() {
	if r.start > 0 {
		r.buf = r.buf[:copy(r.buf, r.buf[r.start:])]
		r.start = 0
	}
	if cap(r.buf)-len(r.buf) < readSize {
		grown := make([]byte, len(r.buf), 2*cap(r.buf)+readSize)
		copy(grown, r.buf)
		r.buf = grown
	}
	// A reader may return nothing without an error, but not for ever.
	for range 100 {
		n, err := r.src.Read(r.buf[len(r.buf) : len(r.buf)+readSize])
		r.buf = r.buf[:len(r.buf)+n]
		if err != nil {
			r.err = err
			return
		}
		if n > 0 {
			return
		}
	}
	r.err = io.ErrNoProgress
}

// lineEnd finds the first CR or LF at or after from, or returns -1. One pass over
// both kinds: searching for each in turn would be quadratic on a hostile stream.
func lineEnd(b []byte, from int) int {
	i := from
	for ; i+8 <= len(b); i += 8 { // eight bytes at a time, while none of them ends a line
		if w := binary.LittleEndian.Uint64(b[i:]); holds(w, '\n')|holds(w, '\r') != 0 {
			break
		}
	}
	for ; i < len(b); i++ {
		if c := b[i]; c == '\n' || c == '\r' {
			return i
		}
	}
	return -1
}

// holds is not 0 when one of the eight bytes is c.
func holds(eight uint64, c byte) uint64 {
	const ones = 0x0101010101010101
	x := eight ^ ones*uint64(c)
	return (x - ones) &^ x & (ones << 7)
}

// bomLength returns how many bytes of byte order mark to drop, -1 when more input
// is needed to tell.
func bomLength(b []byte, ended bool) int {
	const bom = "\uFEFF"
	switch {
	case len(b) >= len(bom):
		if string(b[:len(bom)]) == bom {
			return len(bom)
		}
		return 0
	case !ended && strings.HasPrefix(bom, string(b)):
		return -1
	default:
		return 0
	}
}

// field splits a line at its colon and drops one space after it. A comment has
// the empty name.
func field(line []byte) (name, value []byte) {
	if len(line) > 6 && string(line[:6]) == "data: " { // nearly every line
		return line[:4], line[6:]
	}
	name, value, _ = bytes.Cut(line, []byte(":"))
	return name, bytes.TrimPrefix(value, []byte(" "))
}

func text(b []byte) string {
	if utf8.Valid(b) {
		return string(b)
	}
	return string(bytes.ToValidUTF8(b, []byte("\uFFFD")))
}
