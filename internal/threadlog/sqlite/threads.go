package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"cairn/internal/threadlog"
)

// Create implements threadlog.Log.
func (l *Log) Create(ctx context.Context, t threadlog.Thread) error {
	if t.ID == "" || t.Owner == "" {
		return fmt.Errorf("threadlog: create thread %q of owner %q: %w: both are needed", t.ID, t.Owner, threadlog.ErrInvalid)
	}
	if t.CreatedAt.IsZero() {
		t.CreatedAt = time.Now()
	}
	at := t.CreatedAt.UnixMicro()
	err := l.submit(ctx, &request{do: func(w *writer) error {
		res, err := w.stmt.create.Exec(t.ID, t.Owner, t.Demo, t.Title, at, at, t.Status)
		return changed(res, err, threadlog.ErrExists)
	}, wake: func() { l.hub.Changed(t.Owner) }})
	if err != nil {
		return fmt.Errorf("threadlog: create thread %s: %w", t.ID, err)
	}
	return nil
}

// Rename implements threadlog.Log.
func (l *Log) Rename(ctx context.Context, id, title string) error {
	var owner string
	err := l.submit(ctx, &request{do: func(w *writer) error {
		return found(w.stmt.rename.QueryRow(title, id), &owner)
	}, wake: func() { l.hub.Changed(owner) }})
	if err != nil {
		return fmt.Errorf("threadlog: rename thread %s: %w", id, err)
	}
	return nil
}

// Delete implements threadlog.Log.
func (l *Log) Delete(ctx context.Context, id string) error {
	var owner string
	at := time.Now().UnixMicro()
	err := l.submit(ctx, &request{do: func(w *writer) error {
		return found(w.stmt.remove.QueryRow(at, id), &owner)
	}, wake: func() {
		l.hub.Drop(id)
		l.hub.Changed(owner)
	}})
	if err != nil {
		return fmt.Errorf("threadlog: delete thread %s: %w", id, err)
	}
	return nil
}

// Restore implements threadlog.Log.
func (l *Log) Restore(ctx context.Context, owner, id string) error {
	var last int64
	err := l.submit(ctx, &request{do: func(w *writer) error {
		return found(w.stmt.restore.QueryRow(id, owner), &last)
	}, wake: func() {
		l.hub.Publish(id, last)
		l.hub.Changed(owner)
	}})
	if err != nil {
		return fmt.Errorf("threadlog: restore thread %s: %w", id, err)
	}
	return nil
}

// Purge implements threadlog.Log: one submitted write for every step.
func (l *Log) Purge(ctx context.Context, before time.Time) (n int, err error) {
	for {
		var gone bool
		err := l.submit(ctx, &request{rows: batchRows, do: func(w *writer) (err error) {
			gone, err = w.purge(before)
			return err
		}})
		switch {
		case errors.Is(err, threadlog.ErrNotFound):
			return n, nil
		case err != nil:
			return n, fmt.Errorf("threadlog: purge: %w", err)
		case gone:
			n++
		}
	}
}

// purge takes one step: some rows of a deleted thread, and with the last of them
// the thread. ErrNotFound when there is none.
func (w *writer) purge(before time.Time) (gone bool, err error) {
	var n int64
	var id string
	if err := found(w.stmt.doomed.QueryRow(before.UnixMicro()), &n, &id); err != nil {
		return false, err
	}
	res, err := w.stmt.purge.Exec(n, batchRows)
	if err != nil {
		return false, err
	}
	if deleted, err := res.RowsAffected(); err != nil || deleted == batchRows {
		return false, err
	}
	prefix := threadlog.KeyPrefix(id)
	// The slash that ends a prefix is followed by the digit nought.
	if _, err := w.stmt.forget.Exec(prefix, prefix[:len(prefix)-1]+"0"); err != nil {
		return false, err
	}
	_, err = w.stmt.drop.Exec(n)
	return err == nil, err
}

// found scans the one row of a changed thread. ErrNotFound when there was none.
func found(row *sql.Row, dst ...any) error {
	err := row.Scan(dst...)
	if errors.Is(err, sql.ErrNoRows) {
		return threadlog.ErrNotFound
	}
	return err
}
