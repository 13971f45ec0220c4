package sqlite

import (
	"context"
	"database/sql"
	"errors"

	"cairn/internal/threadlog"
)

// batchRows is how many rows share a transaction before it is committed.
const batchRows = 512

// request is one write on its way through the writer goroutine.
type request struct {
	do   func(w *writer) error // inside a transaction; may be run twice
	rows int
	wake func() // after the commit
	err  error  // set before done is closed
	done chan struct{}
}

// submit hands a request to the writer and waits until it is committed or
// refused. The channel has no buffer: either the writer has the request and
// will finish it, or nothing happened.
func (l *Log) submit(ctx context.Context, r *request) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if l.closed() {
		return threadlog.ErrClosed
	}
	r.done = make(chan struct{})
	select {
	case l.writes <- r:
	case <-l.quit:
		return threadlog.ErrClosed
	case <-ctx.Done():
		return ctx.Err()
	}
	<-r.done
	return r.err
}

// writer owns the one connection that writes.
type writer struct {
	log  *Log
	conn *sql.Conn
	stmt struct {
		create, last, insert, advance, put, set              *sql.Stmt
		rename, remove, restore, doomed, purge, forget, drop *sql.Stmt
	}
	prepared []*sql.Stmt // all of stmt
}

func newWriter(ctx context.Context, l *Log) (*writer, error) {
	conn, err := l.write.Conn(ctx)
	if err != nil {
		return nil, err
	}
	w := &writer{log: l, conn: conn}
	for dst, query := range map[**sql.Stmt]string{
		&w.stmt.create: `INSERT INTO threads (id, owner, demo, title, created, updated, last_seq, status, running)
			VALUES (?, ?, ?, ?, ?, ?, 0, ?, 0) ON CONFLICT (id) DO NOTHING`,
		&w.stmt.last:    `SELECT n, owner, updated, last_seq, status, running FROM threads WHERE id = ? AND deleted = 0`,
		&w.stmt.insert:  `INSERT INTO rows (thread, seq, at, kind, run_id, data) VALUES (?, ?, ?, ?, ?, ?)`,
		&w.stmt.advance: `UPDATE threads SET last_seq = ?, status = ?, running = ?, updated = ? WHERE n = ?`,
		&w.stmt.put:     `INSERT INTO records (key, rev, value) VALUES (?, 1, ?) ON CONFLICT (key) DO NOTHING`,
		&w.stmt.set:     `UPDATE records SET rev = rev + 1, value = ? WHERE key = ? AND rev = ?`,
		&w.stmt.rename:  `UPDATE threads SET title = ? WHERE id = ? AND deleted = 0 RETURNING owner`,
		&w.stmt.remove:  `UPDATE threads SET deleted = ? WHERE id = ? AND deleted = 0 RETURNING owner`,
		&w.stmt.restore: `UPDATE threads SET deleted = 0 WHERE id = ? AND owner = ? AND deleted >= 0 RETURNING last_seq`,
		&w.stmt.doomed:  `UPDATE threads SET deleted = -1 WHERE n = (SELECT n FROM threads WHERE deleted <> 0 AND deleted < ? ORDER BY deleted LIMIT 1) RETURNING n, id`,
		&w.stmt.purge:   `DELETE FROM rows WHERE id IN (SELECT id FROM rows WHERE thread = ? LIMIT ?)`,
		&w.stmt.forget:  `DELETE FROM records WHERE key >= ? AND key < ?`,
		&w.stmt.drop:    `DELETE FROM threads WHERE n = ?`,
	} {
		if *dst, err = conn.PrepareContext(ctx, query); err != nil {
			return nil, errors.Join(err, w.close())
		}
		w.prepared = append(w.prepared, *dst)
	}
	return w, nil
}

// close closes everything. A statement left open would keep the file open
// too, and then closing the log would not fold the write-ahead log into the file.
func (w *writer) close() error {
	var errs []error
	for _, s := range w.prepared {
		errs = append(errs, s.Close())
	}
	return errors.Join(append(errs, w.conn.Close())...)
}

// loop runs until Close.
func (w *writer) loop() {
	defer close(w.log.idle)
	defer func() { w.log.closeErr = w.close() }()
	var batch []*request
	for {
		select {
		case r := <-w.log.writes:
			batch = w.gather(append(batch[:0], r))
			w.commit(batch)
		case <-w.log.quit:
			return
		}
	}
}

// gather adds the requests that are waiting now.
func (w *writer) gather(batch []*request) []*request {
	for n := batch[0].rows; n < batchRows; {
		select {
		case r := <-w.log.writes:
			batch = append(batch, r)
			n += r.rows
		default:
			return batch
		}
	}
	return batch
}

// commit answers every request of the batch. When the shared transaction fails
// nothing of it is kept, and each request gets one of its own, so that nobody
// pays for a neighbour.
func (w *writer) commit(batch []*request) {
	if w.transact(batch) != nil && len(batch) > 1 {
		for _, r := range batch {
			_ = w.transact([]*request{r}) // sets r.err
		}
	}
	for _, r := range batch {
		if r.err == nil && r.wake != nil {
			r.wake()
		}
		close(r.done)
	}
}

// transact runs the requests in one transaction and sets the err of each. A
// refused request (conflict, not found, exists) wrote nothing and does not
// disturb the others; any other failure undoes the whole transaction, becomes
// the err of every request and is returned.
func (w *writer) transact(batch []*request) (err error) {
	ctx := context.Background()
	defer func() {
		if err != nil {
			// A full disk may have rolled back already; then this one has nothing to do.
			_, _ = w.conn.ExecContext(ctx, "ROLLBACK")
			for _, r := range batch {
				r.err = err
			}
		}
	}()
	if _, err := w.conn.ExecContext(ctx, "BEGIN IMMEDIATE"); err != nil {
		return w.log.cause(err)
	}
	for _, r := range batch {
		r.err = r.do(w)
		if r.err != nil && !refused(r.err) {
			return w.log.cause(r.err)
		}
	}
	if _, err := w.conn.ExecContext(ctx, "COMMIT"); err != nil {
		return w.log.cause(err)
	}
	return nil
}

// refused reports an answer that was found before anything was written.
func refused(err error) bool {
	return errors.Is(err, threadlog.ErrConflict) || errors.Is(err, threadlog.ErrNotFound) || errors.Is(err, threadlog.ErrExists)
}
