package trip

import (
	"context"
	"time"
)

// Booking is one reservation that was made.
type Booking struct {
	ThreadID     string    `json:"thread_id"`
	Site         string    `json:"site"`
	Nights       int       `json:"nights"`
	TotalUSD     int       `json:"total_usd"`
	Confirmation string    `json:"confirmation"`
	CreatedAt    time.Time `json:"created_at"`
}

// Ledger stores bookings; package ledger has one. Book with a key used before stores
// nothing and returns the first booking.
type Ledger interface {
	Book(ctx context.Context, key string, b Booking) (Booking, error)
}
