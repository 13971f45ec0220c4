package threadlog

import (
	"context"
	"time"
)

// Threads are the conversations: made, found, listed, renamed, and removed.
type Threads interface {
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
	// channels of its followers are closed. Its rows and records stay until
	// it is purged. ErrNotFound.
	Delete(ctx context.Context, id string) error
	// Restore undoes Delete; a thread that is not deleted is left as it is. A run
	// that was under way is still open then, and is listed by Open. The owner is
	// asked for because Thread does not tell it of a deleted thread. ErrNotFound:
	// unknown, purged or somebody else's.
	Restore(ctx context.Context, owner, id string) error
	// Purge removes for good the threads deleted before a time, with their rows and
	// their records (see Key), and returns how many. It does so in small steps between
	// which others write; what it has begun to remove cannot be restored, and the
	// next call goes on where one was interrupted.
	Purge(ctx context.Context, before time.Time) (n int, err error)
	// Watch wakes when an owner's list changed: a thread was created, renamed,
	// deleted or restored, or its Status or Running changed; the other appends do
	// not wake. It wakes once at the start, and may wake after the write has returned. A slow receiver finds one wake for all
	// that it missed. The channel is closed when ctx ends or the log is closed.
	Watch(ctx context.Context, owner string) <-chan struct{}
}
