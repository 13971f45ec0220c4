package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"

	"cairn/agenthost/trip"
)

var _ trip.Ledger = (*Store)(nil)

// Book writes a booking once per key and returns the one that stands: with a key
// used before, the first booking. CreatedAt is set here.
func (s *Store) Book(ctx context.Context, key string, b trip.Booking) (trip.Booking, error) {
	err := s.inTx(ctx, func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, `INSERT INTO bookings
			(idempotency_key, thread_id, site, nights, total_usd, confirmation, created_at)
			VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
			key, b.ThreadID, b.Site, b.Nights, b.TotalUSD, b.Confirmation, s.stamp())
		if err != nil {
			return err
		}
		b, err = scanBooking(tx.QueryRowContext(ctx, selectBookings+` WHERE idempotency_key = ?`, key))
		return err
	})
	if err != nil {
		return trip.Booking{}, fmt.Errorf("book: %w", err)
	}
	return b, nil
}

// Reservations reads the ledger of a file, oldest first, over a connection of
// its own that cannot write, so the service may run meanwhile. A file that does
// not exist holds no bookings.
func Reservations(ctx context.Context, path string) ([]trip.Booking, error) {
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
		b, err := scanBooking(rows)
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

const selectBookings = `SELECT thread_id, site, nights, total_usd, confirmation, created_at FROM bookings`

func scanBooking(row interface{ Scan(...any) error }) (trip.Booking, error) {
	var b trip.Booking
	var created string
	if err := row.Scan(&b.ThreadID, &b.Site, &b.Nights, &b.TotalUSD, &b.Confirmation, &created); err != nil {
		return b, err
	}
	var err error
	b.CreatedAt, err = time.Parse(time.RFC3339Nano, created)
	return b, err
}
