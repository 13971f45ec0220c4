package hostile

import (
	"context"
	"os"
	"sync"
	"testing"
	"time"

	"cairn/internal/testall"
)

// build builds the program under test, once.
var build = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "cairn-hostile-")
	if err != nil {
		return "", err
	}
	built = dir
	return Build(context.Background(), dir)
})

var built string // where, "" when it was not

func TestMain(m *testing.M) {
	code := m.Run()
	if built != "" {
		_ = os.RemoveAll(built)
	}
	os.Exit(code)
}

// binary returns the program under test; CAIRN_HOSTILE_BINARY names another.
func binary(t *testing.T) string {
	t.Helper()
	if b := os.Getenv("CAIRN_HOSTILE_BINARY"); b != "" {
		return b
	}
	b, err := build()
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// TestCorpus plays every case through one server, and then loads every page again on a
// server that was started anew. CAIRN_HOSTILE=long plays the long cases too.
func TestCorpus(t *testing.T) {
	t.Parallel()
	d, err := NewDriver(t.Context(), binary(t), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	var results []Result
	began := time.Now()
	for _, c := range testall.Sample(t, Cases(os.Getenv("CAIRN_HOSTILE") == "long"), 60) {
		t.Run(c.Name, func(t *testing.T) {
			r, err := d.Play(t.Context(), c)
			if err != nil {
				t.Fatal(err)
			}
			results = append(results, r)
			for _, w := range r.Wrong {
				t.Error(w)
			}
		})
	}
	Print(t.Output(), results)
	waits := d.Waits()
	t.Logf("%d cases in %.0f s; the bystander waited %v at most, %v at the 99th percentile", len(results), time.Since(began).Seconds(), waits[len(waits)-1], waits[len(waits)*99/100])
	t.Run("restarted", func(t *testing.T) {
		if err := d.Restart(); err != nil {
			t.Fatal(err)
		}
		for _, w := range d.Pages(t.Context()) {
			t.Error(w)
		}
	})
}
