// Package ledger stores the bookings of the trip planner in a table of its own in a
// SQLite file, which may be that of the agent service.
package ledger

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"time"

	_ "modernc.org/sqlite" // registers the driver "sqlite"

	"cairn/agenthost/trip"
)

const schema = `CREATE TABLE IF NOT EXISTS bookings (
	id              INTEGER PRIMARY KEY,
	idempotency_key TEXT NOT NULL UNIQUE,
	thread_id       TEXT NOT NULL,
	site            TEXT NOT NULL,
	nights          INTEGER NOT NULL,
	total_usd       INTEGER NOT NULL,
	confirmation    TEXT NOT NULL,
	created_at      TEXT NOT NULL
)`

// Ledger implements [trip.Ledger].
type Ledger struct {
	db  *sql.DB
	now func() time.Time
}

var _ trip.Ledger = (*Ledger)(nil)

// Open opens or creates the file, which only its owner may read.
func Open(ctx context.Context, path string) (*Ledger, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, fmt.Errorf("ledger %s: %w", path, err)
	}
	if err := f.Close(); err != nil {
		return nil, fmt.Errorf("ledger %s: %w", path, err)
	}
	db, err := sql.Open("sqlite", dsn(path, "rwc"))
	if err != nil {
		return nil, fmt.Errorf("ledger %s: %w", path, err)
	}
	db.SetMaxOpenConns(1)
	if _, err := db.ExecContext(ctx, schema); err != nil {
		_ = db.Close()
		return nil, fmt.Errorf("ledger %s: %w", path, err)
	}
	return &Ledger{db: db, now: time.Now}, nil
}

// dsn returns the driver's name of a file. A write waits up to 5 seconds for another
// connection's.
func dsn(path, mode string) string {
	q := url.Values{"mode": {mode}, "_txlock": {"immediate"}, "_pragma": {"busy_timeout(5000)"}}
	if mode != "ro" {
		q["_pragma"] = append(q["_pragma"], "journal_mode(WAL)", "synchronous(FULL)")
	}
	u := url.URL{Scheme: "file", Opaque: (&url.URL{Path: path}).EscapedPath(), RawQuery: q.Encode()}
	return u.String()
}

// Close releases the file.
func (l *Ledger) Close() error { return l.db.Close() }

const selectBookings = `SELECT thread_id, site, nights, total_usd, confirmation, created_at FROM bookings`

// Book stores a booking and returns it. With a key used before it stores nothing and
// returns the first booking. It sets CreatedAt.
func (l *Ledger) Book(ctx context.Context, key string, b trip.Booking) (trip.Booking, error) {
	_, err := l.db.ExecContext(ctx, `INSERT INTO bookings
		(idempotency_key, thread_id, site, nights, total_usd, confirmation, created_at)
		VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
		key, b.ThreadID, b.Site, b.Nights, b.TotalUSD, b.Confirmation, l.now().UTC().Format(time.RFC3339Nano))
	if err == nil {
		b, err = scan(l.db.QueryRowContext(ctx, selectBookings+` WHERE idempotency_key = ?`, key))
	}
	if err != nil {
		return trip.Booking{}, fmt.Errorf("book: %w", err)
	}
	return b, nil
}

// List returns the bookings in a file, oldest first. Its connection cannot write, so
// the service may run meanwhile. A file that does not exist has no bookings.
func List(ctx context.Context, path string) ([]trip.Booking, error) {
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	db, err := sql.Open("sqlite", dsn(path, "ro"))
	if err != nil {
		return nil, fmt.Errorf("ledger %s: %w", path, err)
	}
	defer func() { _ = db.Close() }() // nothing was written
	rows, err := db.QueryContext(ctx, selectBookings+` ORDER BY id`)
	if err != nil {
		return nil, fmt.Errorf("ledger %s: %w", path, err)
	}
	defer func() { _ = rows.Close() }() // rows.Err below reports what matters
	var list []trip.Booking
	for rows.Next() {
		b, err := scan(rows)
		if err != nil {
			return nil, fmt.Errorf("ledger %s: %w", path, err)
		}
		list = append(list, b)
	}
	if err := rows.Err(); err != nil {
		return nil, fmt.Errorf("ledger %s: %w", path, err)
	}
	return list, nil
}

func scan(row interface{ Scan(...any) error }) (trip.Booking, error) {
	var b trip.Booking
	var created string
	if err := row.Scan(&b.ThreadID, &b.Site, &b.Nights, &b.TotalUSD, &b.Confirmation, &created); err != nil {
		return b, err
	}
	var err error
	b.CreatedAt, err = time.Parse(time.RFC3339Nano, created)
	return b, err
}
