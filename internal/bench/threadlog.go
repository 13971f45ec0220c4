package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"cairn/agentclient"
	"cairn/internal/thread"
	"cairn/internal/threadlog"
	"cairn/internal/threadlog/sqlite"
)

const (
	logWriters  = 200                   // threads that are active at the same time
	logPace     = 50 * time.Millisecond // between two events of such a thread
	logLength   = time.Second           // of a turn of appends as fast as they go
	pacedLength = 3 * time.Second
	logTurns    = 3 // how often each is measured, at most
	replayRows  = 5000
	replayAmong = 20 // threads whose rows lie between each other
)

// measureLog is what the log of threads costs: every append is on the disk when it
// is counted. The peer of the appends is the disk itself, written to and synced by
// one writer, which says how much of a figure is the machine's.
func measureLog(ctx context.Context, dir string, rounds int) ([]figure, error) {
	events := splitEvents(mixedRun())[:replayRows]
	var paced spread
	for i := range min(rounds, logTurns) {
		s, err := pacedAppends(ctx, filepath.Join(dir, fmt.Sprint("paced-", i), "threads.db"), logWriters, pacedLength, events)
		if err != nil {
			return nil, err
		}
		if i == 0 || s.P99 < paced.P99 {
			paced = s
		}
	}
	var disk, one, many float64
	for i := range min(rounds, logTurns) {
		d, err := diskSyncs(filepath.Join(dir, "syncs"))
		if err != nil {
			return nil, err
		}
		single, err := appends(ctx, filepath.Join(dir, fmt.Sprint("one-", i), "threads.db"), 1, events)
		if err != nil {
			return nil, err
		}
		together, err := appends(ctx, filepath.Join(dir, fmt.Sprint("many-", i), "threads.db"), logWriters, events)
		if err != nil {
			return nil, err
		}
		disk, one, many = max(disk, d), max(one, single), max(many, together)
	}
	replayed, err := replays(ctx, filepath.Join(dir, "replay", "threads.db"), events, rounds)
	if err != nil {
		return nil, err
	}
	list := []figure{
		{Name: "log-append-1", Value: one, Unit: "rows/s", Peer: disk, PeerUnit: "syncs/s", Ratio: one / disk, Goal: ">=0.25", Pass: one/disk >= 0.25},
		{Name: "log-append-200", Value: many, Unit: "rows/s", Peer: disk, PeerUnit: "syncs/s", Ratio: many / disk, Goal: ">=8000", Pass: many >= 8000},
		{Name: "log-wake-200-p50", Value: paced.P50, Unit: "ms", Goal: "<=15", Pass: paced.P50 <= 15},
		{Name: "log-wake-200-p99", Value: paced.P99, Unit: "ms", Goal: "<=40", Pass: paced.P99 <= 40},
		{Name: "log-replay-5000", Value: ms(replayed), Unit: "ms", Goal: "<=30", Pass: replayed <= 30*time.Millisecond},
	}
	return list, nil
}

// splitEvents returns the events of a stream as rows.
func splitEvents(stream []byte) (rows []threadlog.Row) {
	for frame := range bytes.SplitSeq(stream, []byte("\n\n")) {
		if data, ok := bytes.CutPrefix(frame, []byte("data: ")); ok {
			rows = append(rows, threadlog.Row{Kind: threadlog.KindEvent, RunID: "r", Data: data})
		}
	}
	return rows
}

// diskSyncs is how often in a second a page can be written and synced.
func diskSyncs(path string) (float64, error) {
	f, err := os.Create(path)
	if err != nil {
		return 0, err
	}
	defer func() { _ = os.Remove(path) }()
	page := make([]byte, 4096)
	n, began := 0, time.Now()
	for ; time.Since(began) < logLength && err == nil; n++ {
		_, err = f.Write(page)
		err = errors.Join(err, f.Sync())
	}
	return float64(n) / time.Since(began).Seconds(), errors.Join(err, f.Close())
}

// newLog has a thread for each of n writers.
func newLog(ctx context.Context, path string, n int) (*sqlite.Log, error) {
	log, err := sqlite.Open(ctx, path)
	if err != nil {
		return nil, err
	}
	for i := range n {
		if err := log.Create(ctx, threadlog.Thread{ID: fmt.Sprint(i), Owner: "bench"}); err != nil {
			return nil, errors.Join(err, log.Close())
		}
	}
	return log, nil
}

// appends is how many rows a second so many writers store, one row at a time.
func appends(ctx context.Context, path string, writers int, events []threadlog.Row) (float64, error) {
	log, err := newLog(ctx, path, writers)
	if err != nil {
		return 0, err
	}
	var stored atomic.Int64
	began := time.Now()
	err = each(writers, func(i int) error {
		for last := int64(0); time.Since(began) < logLength; stored.Add(1) {
			var err error
			if last, err = log.Append(ctx, fmt.Sprint(i), last, events[int(last)%len(events)]); err != nil {
				return err
			}
		}
		return nil
	})
	rate := float64(stored.Load()) / time.Since(began).Seconds()
	return rate, errors.Join(err, log.Close())
}

// each runs all at the same time.
func each(n int, run func(i int) error) error {
	errs := make([]error, n)
	var all sync.WaitGroup
	for i := range n {
		all.Go(func() { errs[i] = run(i) })
	}
	all.Wait()
	return errors.Join(errs...)
}

// pacedAppends is the time from an event's arrival to the wake of the followers of its
// thread, when the event is on the disk. Events arrive at their pace whatever the
// log does; what arrived in the meantime is stored together, as a run's are.
func pacedAppends(ctx context.Context, path string, threads int, length time.Duration, events []threadlog.Row) (spread, error) {
	log, err := newLog(ctx, path, threads)
	if err != nil {
		return spread{}, err
	}
	n := int64(length / logPace)
	began := time.Now().Add(logPace)
	arrival := func(i int, seq int64) time.Time {
		return began.Add(time.Duration(seq-1)*logPace + logPace*time.Duration(i)/time.Duration(threads))
	}
	times := make([][]time.Duration, threads)
	ctx, cancel := context.WithCancelCause(ctx) // followers of a thread that fails are not left waiting
	defer cancel(nil)
	err = each(2*threads, func(i int) error {
		id := fmt.Sprint(i / 2)
		if i%2 == 0 {
			seen := int64(0)
			for newest := range log.Follow(ctx, id) {
				for now := time.Now(); seen < newest; {
					seen++
					times[i/2] = append(times[i/2], now.Sub(arrival(i/2, seen)))
				}
				if seen == n {
					return nil
				}
			}
			return context.Cause(ctx)
		}
		for last := int64(0); last < n; {
			time.Sleep(time.Until(arrival(i/2, last+1)))
			end := last + 1
			for end < n && !time.Now().Before(arrival(i/2, end+1)) {
				end++
			}
			var err error
			if last, err = log.Append(ctx, id, last, events[last:end]...); err != nil {
				cancel(err)
				return err
			}
		}
		return nil
	})
	var together []time.Duration
	for _, t := range times {
		together = append(together, t...)
	}
	if err == nil && len(together) != threads*int(n) {
		err = fmt.Errorf("%d of %d events arrived", len(together), threads*int(n))
	}
	if err := errors.Join(err, log.Close()); err != nil {
		return spread{}, err
	}
	return spreadOf(together), nil
}

// replays is the best time in which a thread is read and folded whose rows lie
// among those of others, as they do when all were written at the same time.
func replays(ctx context.Context, path string, events []threadlog.Row, rounds int) (best time.Duration, err error) {
	log, err := newLog(ctx, path, replayAmong)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, log.Close()) }()
	rows := []threadlog.Row{
		thread.NewRow(threadlog.KindUser, "", agentclient.UserData{ID: "u", Text: "Hello"}),
		thread.NewRow(threadlog.KindRun, "r", agentclient.RunData{Reason: agentclient.ReasonMessage}),
	}
	rows = append(rows, events...)
	err = each(replayAmong, func(i int) error {
		last := int64(0)
		for some := range slices.Chunk(rows, 10) {
			var err error
			if last, err = log.Append(ctx, fmt.Sprint(i), last, some...); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return 0, err
	}
	for range rounds {
		began := time.Now()
		folded, err := thread.Read(ctx, log, "0", agentclient.SessionConfig{})
		if err != nil {
			return 0, err
		}
		took := time.Since(began)
		if folded.Records != int64(len(rows)) || folded.Skipped > 0 {
			return 0, fmt.Errorf("replayed %d of %d rows, skipped %d", folded.Records, len(rows), folded.Skipped)
		}
		if best == 0 || took < best {
			best = took
		}
	}
	return best, nil
}
