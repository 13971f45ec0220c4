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

// Ledger keeps bookings. Booking twice with one key books once and returns the
// booking that stands.
type Ledger interface {
	Book(ctx context.Context, key string, b Booking) (Booking, error)
}
