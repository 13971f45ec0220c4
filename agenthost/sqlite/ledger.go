package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"
)

// Booking is one row of the trip agent's ledger.
type Booking struct {
	ThreadID     string    `json:"thread_id"`
	Site         string    `json:"site"`
	Nights       int       `json:"nights"`
	TotalUSD     int       `json:"total_usd"`
	Confirmation string    `json:"confirmation"`
	CreatedAt    time.Time `json:"created_at"`
}

// Book writes a booking once per key and gives the one that stands: with a key
// used before, the first booking. CreatedAt is set here.
func (s *Store) Book(ctx context.Context, key string, b Booking) (Booking, error) {
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
		return Booking{}, fmt.Errorf("book: %w", err)
	}
	return b, nil
}

// Reservations reads the ledger of a file, oldest first, over a connection of
// its own that cannot write, so the service may run meanwhile. A file that does
// not exist holds no bookings.
func Reservations(ctx context.Context, path string) ([]Booking, error) {
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
	var list []Booking
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

func scanBooking(row interface{ Scan(...any) error }) (Booking, error) {
	var b Booking
	var created string
	if err := row.Scan(&b.ThreadID, &b.Site, &b.Nights, &b.TotalUSD, &b.Confirmation, &created); err != nil {
		return b, err
	}
	var err error
	b.CreatedAt, err = time.Parse(time.RFC3339Nano, created)
	return b, err
}
