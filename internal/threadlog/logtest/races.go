package logtest

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"

	"cairn/internal/threadlog"
)

// gapless lets appenders race for the next number, each retrying until it wins.
func gapless(t *testing.T, l threadlog.Log) {
	create(t, l, "a")
	const appenders, each = 20, 10
	var wg sync.WaitGroup
	for i := range appenders {
		wg.Go(func() {
			for j := range each {
				row := threadlog.Row{Kind: threadlog.KindEvent, RunID: fmt.Sprint(i), Data: fmt.Appendf(nil, `%d`, j)}
				for {
					th, err := l.Thread(t.Context(), "a")
					if err == nil {
						_, err = l.Append(t.Context(), "a", th.LastSeq, row)
					}
					if err == nil {
						break
					}
					if !errors.Is(err, threadlog.ErrConflict) {
						t.Error(err)
						return
					}
				}
			}
		})
	}
	wg.Wait()
	rows := read(t, l, "a", 1, 0)
	gapFree(t, rows, appenders*each)
	next := map[string]int{}
	for _, r := range rows {
		if string(r.Data) != fmt.Sprint(next[r.RunID]) {
			t.Fatalf("row %d of appender %s is %s, want %d", r.Seq, r.RunID, r.Data, next[r.RunID])
		}
		next[r.RunID]++
	}
}

func appendRace(t *testing.T, l threadlog.Log) {
	create(t, l, "a")
	for round := range int64(20) {
		winners := race(t, func() error {
			_, err := l.Append(t.Context(), "a", round*2, events(2)...)
			return err
		})
		if winners != 1 {
			t.Fatalf("round %d: %d winners", round, winners)
		}
	}
	gapFree(t, read(t, l, "a", 1, 0), 40)
}

func recordRace(t *testing.T, l threadlog.Log) {
	var rev atomic.Int64
	for round := range 20 {
		expected := rev.Load()
		winners := race(t, func() error {
			next, err := l.CompareAndSet(t.Context(), "k", expected, nil)
			if err == nil {
				rev.Store(next)
			}
			return err
		})
		if winners != 1 {
			t.Fatalf("round %d: %d winners", round, winners)
		}
	}
}

// race calls act 20 times at once and counts successes; a loser must have lost
// to somebody.
func race(t *testing.T, act func() error) int64 {
	t.Helper()
	var winners atomic.Int64
	var wg sync.WaitGroup
	start := make(chan struct{})
	for range 20 {
		wg.Go(func() {
			<-start
			switch err := act(); {
			case err == nil:
				winners.Add(1)
			case !errors.Is(err, threadlog.ErrConflict):
				t.Error(err)
			}
		})
	}
	close(start)
	wg.Wait()
	return winners.Load()
}
