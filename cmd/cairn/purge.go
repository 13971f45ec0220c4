package main

import (
	"context"
	"log/slog"
	"time"

	"cairn/internal/threadlog"
	"cairn/web"
)

// purgeEvery is how often conversations whose time for an undo is over are looked
// for.
const purgeEvery = time.Minute

// purge removes deleted conversations for good once they can no longer be brought
// back: at once, then every purgeEvery, until ctx ends. What fails is tried again.
func purge(ctx context.Context, log threadlog.Threads, logger *slog.Logger) {
	every := time.NewTicker(purgeEvery)
	defer every.Stop()
	for {
		n, err := log.Purge(ctx, time.Now().Add(-web.UndoFor))
		switch {
		case ctx.Err() != nil:
			return
		case err != nil:
			logger.Error("remove deleted conversations", "err", err)
		case n > 0:
			logger.Info("deleted conversations removed for good", "n", n)
		}
		select {
		case <-every.C:
		case <-ctx.Done():
			return
		}
	}
}
