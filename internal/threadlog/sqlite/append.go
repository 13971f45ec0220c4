package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"cairn/internal/threadlog"
)

// Append implements threadlog.Log.
func (l *Log) Append(ctx context.Context, thread string, expected int64, rows ...threadlog.Row) (int64, error) {
	for i, r := range rows {
		if !r.Kind.Valid() {
			return 0, fmt.Errorf("threadlog: append to %s: row %d: %w: kind %q", thread, i, threadlog.ErrInvalid, r.Kind)
		}
	}
	now, last := time.Now(), expected+int64(len(rows))
	var owner string // whose list changed
	r := &request{rows: len(rows), do: func(w *writer) (err error) {
		owner, err = w.append(thread, expected, now, rows)
		return err
	}}
	if len(rows) > 0 {
		r.wake = func() {
			l.hub.Publish(thread, last)
			if owner != "" {
				l.hub.Changed(owner)
			}
		}
	}
	if err := l.submit(ctx, r); err != nil {
		return 0, fmt.Errorf("threadlog: append to %s after %d: %w", thread, expected, err)
	}
	return last, nil
}

// append returns the owner of the thread if the list of threads changed.
func (w *writer) append(thread string, expected int64, now time.Time, rows []threadlog.Row) (owner string, err error) {
	var was threadlog.Thread
	var n, updated int64
	switch err := w.stmt.last.QueryRow(thread).Scan(&n, &was.Owner, &updated, &was.LastSeq, &was.Status, &was.Running); {
	case errors.Is(err, sql.ErrNoRows):
		return "", threadlog.ErrNotFound
	case err != nil:
		return "", err
	case was.LastSeq != expected:
		return "", fmt.Errorf("%w: it is at %d", threadlog.ErrConflict, was.LastSeq)
	case len(rows) == 0:
		return "", nil
	}
	was.UpdatedAt = time.UnixMicro(updated)
	is := was
	for i, r := range rows {
		r.Seq = expected + int64(i) + 1
		if r.At.IsZero() {
			r.At = now
		}
		if _, err := w.stmt.insert.Exec(n, r.Seq, r.At.UnixMicro(), string(r.Kind), r.RunID, blob(r.Data)); err != nil {
			return "", err
		}
		is.Advance(r)
	}
	if _, err := w.stmt.advance.Exec(is.LastSeq, is.Status, is.Running, is.UpdatedAt.UnixMicro(), n); err != nil {
		return "", err
	}
	if is.Status != was.Status || is.Running != was.Running {
		owner = was.Owner
	}
	return owner, nil
}

// CompareAndSet implements threadlog.Log.
func (l *Log) CompareAndSet(ctx context.Context, key string, rev int64, value []byte) (int64, error) {
	err := l.submit(ctx, &request{rows: 1, do: func(w *writer) error {
		if rev == 0 {
			res, err := w.stmt.put.Exec(key, blob(value))
			return changed(res, err, threadlog.ErrConflict)
		}
		res, err := w.stmt.set.Exec(blob(value), key, rev)
		return changed(res, err, threadlog.ErrConflict)
	}})
	if err != nil {
		return 0, fmt.Errorf("threadlog: set %s at revision %d: %w", key, rev, err)
	}
	return rev + 1, nil
}

// changed turns a statement that touched no row into otherwise.
func changed(res sql.Result, err, otherwise error) error {
	if err != nil {
		return err
	}
	if n, err := res.RowsAffected(); err != nil || n > 0 {
		return err
	}
	return otherwise
}

// blob makes the empty value an empty blob instead of NULL.
func blob(b []byte) []byte {
	if b == nil {
		return []byte{}
	}
	return b
}
