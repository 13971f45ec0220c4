package ledger

import (
	"encoding/json"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"cairn/agenthost/sqlite"
	"cairn/agenthost/trip"
)

// TestLedger books once per key, in the file of the service's store, and is read while
// the service writes and after it closed.
func TestLedger(t *testing.T) {
	ctx, path := t.Context(), filepath.Join(t.TempDir(), "a b#c?%.db")
	if list, err := List(ctx, path); err != nil || len(list) != 0 {
		t.Errorf("no file: %v (%v)", list, err)
	}
	l, err := Open(ctx, path)
	if err != nil {
		t.Fatal(err)
	}
	store, err := sqlite.Open(ctx, path)
	if err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info, err)
	}
	l.now = func() time.Time { return time.Date(2026, 11, 30, 1, 2, 3, 0, time.UTC) }
	first := trip.Booking{ThreadID: "t1", Site: "North Pines", Nights: 2, TotalUSD: 90, Confirmation: "TP-0288"}
	for _, b := range []trip.Booking{first, {ThreadID: "t1", Site: "Other", Nights: 9}} {
		if got, err := l.Book(ctx, "key", b); err != nil || got.Site != "North Pines" {
			t.Errorf("booked %+v (%v)", got, err)
		}
	}
	const want = `[{"thread_id":"t1","site":"North Pines","nights":2,"total_usd":90,"confirmation":"TP-0288","created_at":"2026-11-30T01:02:03Z"}]`
	for _, when := range []string{"while open", "after closing"} {
		list, err := List(ctx, path)
		raw, encodeErr := json.Marshal(list)
		if err != nil || encodeErr != nil || string(raw) != want {
			t.Errorf("%s: %s (%v)", when, raw, err)
		}
		if when == "while open" {
			if err := l.Close(); err != nil {
				t.Fatal(err)
			}
			if err := store.Close(); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// TestBookAtOnce books under one key from two connections; one booking stands.
func TestBookAtOnce(t *testing.T) {
	ctx, path := t.Context(), filepath.Join(t.TempDir(), "agent.db")
	var wg sync.WaitGroup
	sites := make([]string, 10)
	for i := range sites {
		wg.Go(func() {
			l, err := Open(ctx, path)
			if err != nil {
				t.Error(err)
				return
			}
			defer func() { _ = l.Close() }()
			b, err := l.Book(ctx, "key", trip.Booking{Site: string(rune('a' + i))})
			if err != nil {
				t.Error(err)
			}
			sites[i] = b.Site
		})
	}
	wg.Wait()
	for _, s := range sites {
		if s == "" || s != sites[0] {
			t.Errorf("booked %q", sites)
		}
	}
}
