package threadlog

import "context"

// Rows are what happened in threads.
type Rows interface {
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
	// the newest is never skipped, but it may come after Append has returned. A thread may be followed before it exists, or
	// while it is deleted: it delivers once there are rows. The channel is closed
	// when ctx ends, when the thread is deleted, when the log is closed, or when the
	// log cannot say what the newest number is.
	Follow(ctx context.Context, thread string) <-chan int64
	// Open lists the ids of threads that are Running: their runs are under way, or
	// were when their process died.
	Open(ctx context.Context) ([]string, error)
}
