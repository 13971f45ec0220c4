// Package threadlog is the append-only record of every conversation: one row
// per thing that happened, in the order it happened. It stores what it is given
// and wakes who follows; it does not interpret rows, hold leases, or decide who
// may read a thread (the web edge compares Thread.Owner).
//
// The contract below is executed by the suite in logtest against every
// implementation.
package threadlog

import (
	"context"
	"encoding/json"
	"errors"
	"time"
)

var (
	// ErrExists reports that a thread with this id is already there.
	ErrExists = errors.New("already exists")
	// ErrNotFound reports an unknown thread or key.
	ErrNotFound = errors.New("not found")
	// ErrConflict reports that somebody else wrote first: the expected sequence
	// or revision is not the current one. Nothing was written.
	ErrConflict = errors.New("changed by someone else")
	// ErrInvalid reports a thread or row that cannot be stored as it is.
	ErrInvalid = errors.New("invalid")
	// ErrFull reports that the disk or quota is used up. Nothing was written, and
	// the same call succeeds once there is room again.
	ErrFull = errors.New("no space left")
	// ErrClosed reports a call on a log that was closed. Nothing was written.
	ErrClosed = errors.New("log is closed")
)

// Kind says what a row records.
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
}

// Thread is one conversation of one owner.
type Thread struct {
	ID, Owner, Demo, Title string
	CreatedAt, UpdatedAt   time.Time // to the microsecond, UTC
	LastSeq                int64     // 0 when no row was appended yet
}

// Log is a durable set of threads. All methods may be called concurrently. An
// error is the sentinel wrapped with what was attempted, or wraps the context's
// error when ctx ended before the write was taken; a write that was taken is
// finished and reported whatever becomes of ctx.
type Log interface {
	// Create adds a thread without rows. A zero CreatedAt becomes now; UpdatedAt
	// and LastSeq are the log's own. ErrExists, ErrInvalid (no id or no owner).
	Create(ctx context.Context, t Thread) error
	// Thread finds one thread. ErrNotFound.
	Thread(ctx context.Context, id string) (Thread, error)
	// Threads lists the threads of one owner, the most recently changed first.
	Threads(ctx context.Context, owner string) ([]Thread, error)

	// Append adds rows to a thread whose LastSeq is expected, and returns the new
	// LastSeq. All rows are stored or none, and they are durable when it returns.
	// Without rows it only checks expected. ErrConflict, ErrNotFound, ErrInvalid,
	// ErrFull.
	Append(ctx context.Context, thread string, expected int64, rows ...Row) (last int64, err error)
	// Read returns at most limit rows with Seq >= from, ascending; limit <= 0
	// means all of them. ErrNotFound.
	Read(ctx context.Context, thread string, from int64, limit int) ([]Row, error)
	// Follow delivers the newest sequence number of a thread: the current one at
	// once if there is any row, then one after every append that the receiver has
	// kept up with. A slow receiver skips to the newest; numbers only grow, and
	// the newest is never skipped. A thread may be followed before it exists. The
	// channel is closed when ctx ends, when the log is closed, or when the log
	// cannot say what the newest number is.
	Follow(ctx context.Context, thread string) <-chan int64

	// CompareAndSet stores value under key if the key's revision is rev; rev 0
	// means that the key must not exist. Revisions grow. ErrConflict, ErrFull.
	CompareAndSet(ctx context.Context, key string, rev int64, value []byte) (newRev int64, err error)
	// Get finds the value and revision of a key. ErrNotFound.
	Get(ctx context.Context, key string) (value []byte, rev int64, err error)

	// Open lists the ids of threads whose last run row has no end row after it:
	// runs that were under way when their process died.
	Open(ctx context.Context) ([]string, error)
	// Close finishes the writes in hand, closes every Follow channel and releases
	// the store. Calling it again does nothing.
	Close() error
}

// Valid reports whether k is one of the kinds above.
func (k Kind) Valid() bool {
	switch k {
	case KindUser, KindRun, KindEvent, KindClaim, KindEnd:
		return true
	}
	return false
}
