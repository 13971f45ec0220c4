package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"cairn/internal/threadlog"
)

const threadColumns = `SELECT id, owner, demo, title, created, updated, last_seq, status, running FROM threads WHERE deleted = 0 AND `

// The queries of every frame of a watched thread are prepared once: to compile it takes
// four times as long as to run it.
const (
	oneThread  = threadColumns + `id = ?`
	threadRows = `SELECT seq, at, kind, run_id, data FROM rows
		WHERE thread = (SELECT n FROM threads WHERE id = ? AND deleted = 0) AND seq >= ? ORDER BY seq LIMIT ?`
)

// prepare compiles them, for each connection when it first runs them; they are
// closed with the connections.
func (l *Log) prepare(ctx context.Context) (err error) {
	if l.oneThread, err = l.read.PrepareContext(ctx, oneThread); err == nil {
		l.threadRows, err = l.read.PrepareContext(ctx, threadRows)
	}
	return err
}

// Thread implements threadlog.Log.
func (l *Log) Thread(ctx context.Context, id string) (threadlog.Thread, error) {
	t, err := scanThread(l.oneThread.QueryRowContext(ctx, id))
	if err != nil {
		return threadlog.Thread{}, fmt.Errorf("threadlog: thread %s: %w", id, l.readError(ctx, err))
	}
	return t, nil
}

// Threads implements threadlog.Log.
func (l *Log) Threads(ctx context.Context, owner, query string, limit int) ([]threadlog.Thread, error) {
	keep := func(t threadlog.Thread) (use, more bool) {
		if !t.Matches(query) {
			return false, true
		}
		limit--
		return true, limit != 0
	}
	ts, err := collect(ctx, l, scanThread, keep, threadColumns+`owner = ? ORDER BY updated DESC, n DESC`, owner)
	if err != nil {
		return nil, fmt.Errorf("threadlog: threads of an owner: %w", err)
	}
	return ts, nil
}

// Read implements threadlog.Log. One query finds the thread and its rows, so that
// they are of one moment: a thread that is purged meanwhile leaves its place to
// another.
func (l *Log) Read(ctx context.Context, thread string, from int64, limit int) ([]threadlog.Row, error) {
	room := threadlog.ReadBytes
	fits := func(r threadlog.Row) (use, more bool) {
		room -= len(r.Data)
		return true, limit < 0 || room > 0
	}
	if limit <= 0 {
		limit = -1
	}
	from = max(from, 1)
	for {
		rows, err := scanAll(ctx, l, scanRow, fits, func() (*sql.Rows, error) {
			return l.threadRows.QueryContext(ctx, thread, from, limit)
		})
		if err != nil {
			return nil, fmt.Errorf("threadlog: read %s from %d: %w", thread, from, err)
		}
		if len(rows) > 0 {
			return rows, nil
		}
		// None, or no thread; if there are some now, they are new.
		switch t, err := l.Thread(ctx, thread); {
		case err != nil:
			return nil, err
		case t.LastSeq < from:
			return nil, nil
		}
	}
}

// Get implements threadlog.Log.
func (l *Log) Get(ctx context.Context, key string) (value []byte, rev int64, err error) {
	err = l.read.QueryRowContext(ctx, `SELECT value, rev FROM records WHERE key = ?`, key).Scan(&value, &rev)
	if err != nil {
		return nil, 0, fmt.Errorf("threadlog: get %s: %w", key, l.readError(ctx, err))
	}
	return value, rev, nil
}

// Open implements threadlog.Log.
func (l *Log) Open(ctx context.Context) ([]string, error) {
	scan := func(s scanner) (id string, err error) { return id, s.Scan(&id) }
	ids, err := collect(ctx, l, scan, nil, `SELECT id FROM threads WHERE running = 1 AND deleted = 0 ORDER BY n`)
	if err != nil {
		return nil, fmt.Errorf("threadlog: open runs: %w", err)
	}
	return ids, nil
}

// Follow implements threadlog.Log. It subscribes before it looks, so an append
// in between is reported by one of the two.
func (l *Log) Follow(ctx context.Context, thread string) <-chan int64 {
	f := l.hub.Follow(ctx, thread)
	switch t, err := l.Thread(ctx, thread); {
	case err == nil:
		f.Wake(t.LastSeq)
	case !errors.Is(err, threadlog.ErrNotFound):
		f.Fail()
	}
	return f.C
}

// Watch implements threadlog.Log.
func (l *Log) Watch(ctx context.Context, owner string) <-chan struct{} {
	return l.hub.Watch(ctx, owner)
}

// scanner is a *sql.Row or *sql.Rows.
type scanner interface{ Scan(dst ...any) error }

func scanThread(s scanner) (t threadlog.Thread, err error) {
	var created, updated int64
	err = s.Scan(&t.ID, &t.Owner, &t.Demo, &t.Title, &created, &updated, &t.LastSeq, &t.Status, &t.Running)
	t.CreatedAt, t.UpdatedAt = time.UnixMicro(created).UTC(), time.UnixMicro(updated).UTC()
	return t, err
}

func scanRow(s scanner) (r threadlog.Row, err error) {
	var at int64
	err = s.Scan(&r.Seq, &at, &r.Kind, &r.RunID, (*[]byte)(&r.Data))
	r.At = time.UnixMicro(at).UTC()
	return r, err
}

// collect runs a query and scans its rows: all of them, or those that keep wants
// to use until it wants no more.
func collect[T any](ctx context.Context, l *Log, scan func(scanner) (T, error), keep func(T) (use, more bool), query string, args ...any) ([]T, error) {
	return scanAll(ctx, l, scan, keep, func() (*sql.Rows, error) { return l.read.QueryContext(ctx, query, args...) })
}

func scanAll[T any](ctx context.Context, l *Log, scan func(scanner) (T, error), keep func(T) (use, more bool), run func() (*sql.Rows, error)) ([]T, error) {
	rows, err := run()
	if err != nil {
		return nil, l.readError(ctx, err)
	}
	defer rows.Close()
	var all []T
	for rows.Next() {
		v, err := scan(rows)
		if err != nil {
			return nil, l.readError(ctx, err)
		}
		use, more := true, true
		if keep != nil {
			use, more = keep(v)
		}
		if use {
			all = append(all, v)
		}
		if !more {
			return all, nil
		}
	}
	if err := rows.Err(); err != nil {
		return nil, l.readError(ctx, err)
	}
	return all, nil
}

// readError returns the contract's error for a query that failed. SQLite reports a
// cancelled query as "interrupted", and a closed pool has no sentinel.
func (l *Log) readError(ctx context.Context, err error) error {
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return threadlog.ErrNotFound
	case ctx.Err() != nil:
		return ctx.Err()
	case l.closed():
		return threadlog.ErrClosed
	default:
		return l.cause(err)
	}
}
