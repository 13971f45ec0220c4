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
	"net/url"
	"strings"
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
	// ErrReadOnly reports that the store may not be written to: a read-only disk,
	// or permissions. Nothing was written, and the same call succeeds once it may.
	ErrReadOnly = errors.New("the store is read-only")
	// ErrCorrupt reports that what was stored cannot be read any more.
	ErrCorrupt = errors.New("the stored data is damaged")
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
	// Status is what the thread's Status is from this row on; empty leaves it. It
	// is kept on the thread only: Read gives it empty.
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
	// Running says that the last run row has no end row after it.
	Running bool
}

// Log is a durable set of threads. All methods may be called concurrently. An
// error is the sentinel wrapped with what was attempted, or wraps the context's
// error when ctx ended before the write was taken; a write that was taken is
// finished and reported whatever becomes of ctx. Besides the errors named below,
// every call may give ErrClosed or ErrCorrupt, and every write ErrFull or
// ErrReadOnly.
type Log interface {
	// Create adds a thread without rows. A zero CreatedAt becomes now; UpdatedAt,
	// LastSeq and Running are the log's own. ErrExists (also for a deleted thread,
	// until it is purged), ErrInvalid (no id or no owner).
	Create(ctx context.Context, t Thread) error
	// Thread finds one thread. ErrNotFound.
	Thread(ctx context.Context, id string) (Thread, error)
	// Threads lists at most limit threads of one owner that match query (see
	// Thread.Matches), those with the newest rows first; limit <= 0 means all of them.
	Threads(ctx context.Context, owner, query string, limit int) ([]Thread, error)
	// Rename sets a thread's title, and nothing else: not its place in the list.
	// ErrNotFound.
	Rename(ctx context.Context, id, title string) error
	// Delete makes a thread unknown to every other method but Create, Restore and
	// Purge, at once: an append under way gets ErrNotFound or came before. The
	// channels of those who follow it are closed. Its rows and records stay until
	// it is purged. ErrNotFound.
	Delete(ctx context.Context, id string) error
	// Restore undoes Delete; a thread that is not deleted is left as it is. A run
	// that was under way is still open then, and is listed by Open. The owner is
	// asked for because Thread does not tell it of a deleted thread. ErrNotFound:
	// unknown, purged or somebody else's.
	Restore(ctx context.Context, owner, id string) error
	// Purge removes for good the threads deleted before a time, with their rows and
	// their records (see Key), and says how many. It does so in small steps between
	// which others write; what it has begun to remove cannot be restored, and the
	// next call goes on where one was interrupted.
	Purge(ctx context.Context, before time.Time) (n int, err error)
	// Watch wakes when an owner's list changed: a thread was created, renamed,
	// deleted or restored, or its Status or Running changed; the other appends do
	// not wake. It wakes once at the start. A slow receiver finds one wake for all
	// that it missed. The channel is closed when ctx ends or the log is closed.
	Watch(ctx context.Context, owner string) <-chan struct{}

	// Append adds rows to a thread whose LastSeq is expected, and returns the new
	// LastSeq. All rows are stored or none, and they are durable when it returns.
	// Without rows it only checks expected. ErrConflict, ErrNotFound (also when the
	// thread was deleted meanwhile), ErrInvalid.
	Append(ctx context.Context, thread string, expected int64, rows ...Row) (last int64, err error)
	// Read returns at most limit rows with Seq >= from, ascending; limit <= 0
	// means all of them. With a limit it also ends with the row that brings their data
	// to ReadBytes, so that a batch has a size; see Last. ErrNotFound.
	Read(ctx context.Context, thread string, from int64, limit int) ([]Row, error)
	// Follow delivers the newest sequence number of a thread: the current one at
	// once if there is any row, then one after every append that the receiver has
	// kept up with. A slow receiver skips to the newest; numbers only grow, and
	// the newest is never skipped. A thread may be followed before it exists, or
	// while it is deleted: it delivers once there are rows. The channel is closed
	// when ctx ends, when the thread is deleted, when the log is closed, or when the
	// log cannot say what the newest number is.
	Follow(ctx context.Context, thread string) <-chan int64

	// CompareAndSet stores value under key if the key's revision is rev; rev 0
	// means that the key must not exist. Revisions grow. ErrConflict.
	CompareAndSet(ctx context.Context, key string, rev int64, value []byte) (newRev int64, err error)
	// Get finds the value and revision of a key. ErrNotFound.
	Get(ctx context.Context, key string) (value []byte, rev int64, err error)

	// Open lists the ids of threads that are Running: their runs are under way, or
	// were when their process died.
	Open(ctx context.Context) ([]string, error)
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
