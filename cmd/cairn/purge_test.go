package main

import (
	"context"
	"errors"
	"log/slog"
	"testing"
	"testing/synctest"
	"time"

	"cairn/internal/threadlog"
	"cairn/internal/threadlog/memory"
	"cairn/web"
)

// TestPurge: a deleted conversation can be brought back for as long as the page
// says, and is gone a little later, whether the process was restarted or not.
func TestPurge(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		log := memory.New().Open()
		defer log.Close()
		remove := func(id string) {
			if err := log.Create(ctx, threadlog.Thread{ID: id, Owner: "o"}); err != nil {
				t.Fatal(err)
			}
			if err := log.Delete(ctx, id); err != nil {
				t.Fatal(err)
			}
		}
		remove("old")
		time.Sleep(web.UndoFor + time.Second) // of the bubble
		remove("new")
		go purge(ctx, log, slog.New(slog.DiscardHandler)) // ends with cancel
		synctest.Wait()
		if err := log.Restore(ctx, "o", "old"); !errors.Is(err, threadlog.ErrNotFound) {
			t.Errorf("at the start the old one is still there: %v", err)
		}
		time.Sleep(web.UndoFor - time.Second)
		if err := log.Restore(ctx, "o", "new"); err != nil {
			t.Errorf("the new one went too soon: %v", err)
		}
		if err := log.Delete(ctx, "new"); err != nil {
			t.Fatal(err)
		}
		time.Sleep(web.UndoFor + 2*purgeEvery)
		if err := log.Restore(ctx, "o", "new"); !errors.Is(err, threadlog.ErrNotFound) {
			t.Errorf("the new one stays: %v", err)
		}
		cancel()
		synctest.Wait()
	})
}
