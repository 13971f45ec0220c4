package main

import (
	"context"
	"path/filepath"
	"testing"
	"time"

	"cairn/internal/threadlog"
)

// TestLogIsMeasuredWhole runs the measurements small: each of them counts what
// arrived and fails when that is not everything.
func TestLogIsMeasuredWhole(t *testing.T) {
	ctx, dir := t.Context(), t.TempDir()
	events := splitEvents(mixedRun())
	if len(events) != 21_553 || string(events[1].Data) != `{"type":"STATE_SNAPSHOT","snapshot":{"count":0,"items":[]}}` {
		t.Fatalf("%d events, the second is %s", len(events), events[1].Data)
	}
	if s, err := pacedAppends(ctx, filepath.Join(dir, "paced.db"), 3, 4*logPace, events); err != nil || s.P50 <= 0 || s.P99 < s.P50 {
		t.Errorf("paced: %+v, %v", s, err)
	}
	if d, err := replays(ctx, filepath.Join(dir, "replay.db"), events[:100], 2); err != nil || d <= 0 || d > time.Minute {
		t.Errorf("replay: %v, %v", d, err)
	}
	bad := []threadlog.Row{{Kind: threadlog.KindClaim, Data: []byte("no decision")}}
	if _, err := replays(ctx, filepath.Join(dir, "bad.db"), bad, 1); err == nil {
		t.Error("a row that does not fold is measured")
	}
	cancelled, cancel := context.WithCancel(ctx)
	cancel()
	if _, err := pacedAppends(cancelled, filepath.Join(dir, "none.db"), 2, 2*logPace, events); err == nil {
		t.Error("nothing arrived and it is measured")
	}
}
