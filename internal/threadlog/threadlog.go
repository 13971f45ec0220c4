// Package threadlog is the append-only record of every conversation: one row
// per thing that happened, in the order it happened. It stores what it is given
// and wakes followers; it does not interpret rows, hold leases, or decide who
// may read a thread (the web edge compares Thread.Owner).
//
// The contract below is executed by the suite in logtest against every
// implementation.
package threadlog

import (
	"encoding/json"
	"errors"
	"net/url"
	"strings"
	"time"
)

var (
	// ErrExists means that a thread with this id is already there.
	ErrExists = errors.New("already exists")
	// ErrNotFound reports an unknown thread or key.
	ErrNotFound = errors.New("not found")
	// ErrConflict means that somebody else wrote first: the expected sequence
	// or revision is not the current one. Nothing was written.
	ErrConflict = errors.New("changed by someone else")
	// ErrInvalid reports a thread or row that cannot be stored as it is.
	ErrInvalid = errors.New("invalid")
	// ErrFull means that the disk or quota is used up. Nothing was written, and
	// the same call succeeds once there is room again.
	ErrFull = errors.New("no space left")
	// ErrReadOnly means that the store may not be written to: a read-only disk,
	// or permissions. Nothing was written, and the same call succeeds once it may.
	ErrReadOnly = errors.New("the store is read-only")
	// ErrCorrupt means that what was stored cannot be read any more.
	ErrCorrupt = errors.New("the stored data is damaged")
	// ErrClosed reports a call on a log that was closed. Nothing was written.
	ErrClosed = errors.New("log is closed")
)

// Kind is what a row records.
type Kind string

const (
	KindUser  Kind = "user"  // a message by the user
	KindRun   Kind = "run"   // a run was requested
	KindEvent Kind = "event" // one AG-UI event as received
	KindClaim Kind = "claim" // a decision on an interrupt, stored before it is sent
	KindEnd   Kind = "end"   // the run is over: how it ended, and the error
)

// Row is one thing that happened in a thread.
type Row struct {
	// Seq counts from 1 in each thread without gaps. Append assigns it and
	// ignores what the caller put here.
	Seq int64
	// At is when it happened, kept to the microsecond in UTC; the zero time
	// becomes the time of the append.
	At    time.Time
	Kind  Kind
	RunID string
	// Data is kept byte for byte.
	Data json.RawMessage
	// Status is what the thread's Status is from this row on; empty leaves it. It
	// is kept on the thread only: Read returns it empty.
	Status string
}

// Thread is one conversation of one owner.
type Thread struct {
	ID, Owner, Demo, Title string
	CreatedAt, UpdatedAt   time.Time // to the microsecond, UTC
	LastSeq                int64     // 0 when no row was appended yet
	// Status is a short word for the list of threads, set by the rows appended; the
	// log does not interpret it.
	Status string
	// Running reports whether the last run row has no end row after it.
	Running bool
}

// Log is a durable set of threads, of what happened in them, and of records beside them. It
// is what a store is; its users ask for the part they need.
//
// All methods may be called concurrently. An error is the sentinel wrapped with what was
// attempted, or wraps the context's error when ctx ended before the write was taken; a
// write that was taken is finished and reported whatever becomes of ctx. Besides the errors
// named at each, every call may return ErrClosed or ErrCorrupt, and every write ErrFull or
// ErrReadOnly.
type Log interface {
	Rows
	Threads
	Records
	// Close finishes the writes in hand, closes every Follow channel and releases
	// the store. Calling it again does nothing.
	Close() error
}

// ReadBytes is how many bytes of data one Read with a limit returns, and at most one row
// more.
const ReadBytes = 4 << 20

// Last reports whether rows, which a Read with the limit returned, are the last ones that
// were there.
func Last(rows []Row, limit int) bool {
	n := 0
	for _, r := range rows {
		n += len(r.Data)
	}
	return len(rows) < limit && n < ReadBytes
}

// Advance makes of a thread what it is after row r was stored, for stores.
func (t *Thread) Advance(r Row) {
	t.LastSeq = r.Seq
	if r.At.After(t.UpdatedAt) {
		t.UpdatedAt = r.At
	}
	if r.Status != "" {
		t.Status = r.Status
	}
	switch r.Kind {
	case KindRun:
		t.Running = true
	case KindEnd:
		t.Running = false
	}
}

// Matches reports whether the title contains every word of query, whatever the
// case of the letters. An empty query matches everything.
func (t Thread) Matches(query string) bool {
	title := strings.ToLower(t.Title)
	for word := range strings.FieldsSeq(strings.ToLower(query)) {
		if !strings.Contains(title, word) {
			return false
		}
	}
	return true
}

// Key names a record that belongs to a thread and is purged with it.
func Key(thread, name string) string { return KeyPrefix(thread) + name }

// KeyPrefix is what the keys of a thread's records begin with, and no other's.
func KeyPrefix(thread string) string { return "thread/" + url.PathEscape(thread) + "/" }

// Valid reports whether k is one of the kinds above.
func (k Kind) Valid() bool {
	switch k {
	case KindUser, KindRun, KindEvent, KindClaim, KindEnd:
		return true
	}
	return false
}
