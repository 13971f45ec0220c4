// Package logtest is the contract of threadlog.Log as a test suite. An
// implementation passes it under the race detector or it is not one.
package logtest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"cairn/internal/threadlog"
)

// New opens the log kept in dir; the same dir again is the same log, reopened
// after Close. The suite closes what it opens.
type New func(t *testing.T, dir string) threadlog.Log

// Run checks every promise of threadlog.Log.
func Run(t *testing.T, open New) {
	tests := []struct {
		name string
		run  func(t *testing.T, l threadlog.Log)
	}{
		{"threads", threads},
		{"owners are isolated", owners},
		{"rows come back as they went in", roundTrip},
		{"read from and limit", readRange},
		{"status", status},
		{"search", search},
		{"rename", rename},
		{"watch", watch},
		{"delete and restore", remove},
		{"delete what is followed", removeFollowed},
		{"delete what is written", removeRace},
		{"purge", purge},
		{"append refuses", refusals},
		{"append is all or nothing", allOrNothing},
		{"concurrent appenders leave no gap", gapless},
		{"one winner per append", appendRace},
		{"records", records},
		{"one winner per record", recordRace},
		{"open runs", openRuns},
		{"follow wakes", followWakes},
		{"follow coalesces", followCoalesces},
		{"follow never misses the latest", followLatest},
		{"follow ends", followEnds},
		{"cancelled context", cancelled},
		{"closed log", closedLog},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			l := open(t, t.TempDir())
			defer closeLog(t, l)
			tt.run(t, l)
		})
	}
	t.Run("restart keeps everything", func(t *testing.T) { restart(t, open) })
}

func threads(t *testing.T, l threadlog.Log) {
	ctx := t.Context()
	at := time.Date(2026, 11, 30, 10, 0, 0, 123456000, time.UTC)
	want := threadlog.Thread{ID: "a", Owner: "ann", Demo: "mastra", Title: "Yosemite ⛺", CreatedAt: at}
	no(t, l.Create(ctx, want))
	want.UpdatedAt = at
	if got, err := l.Thread(ctx, "a"); err != nil || got != want {
		t.Errorf("Thread = %+v, %v; want %+v", got, err, want)
	}
	is(t, l.Create(ctx, want), threadlog.ErrExists)
	is(t, l.Create(ctx, threadlog.Thread{Owner: "ann"}), threadlog.ErrInvalid)
	is(t, l.Create(ctx, threadlog.Thread{ID: "b"}), threadlog.ErrInvalid)
	_, err := l.Thread(ctx, "nope")
	is(t, err, threadlog.ErrNotFound)

	before := time.Now().Add(-time.Millisecond)
	no(t, l.Create(ctx, threadlog.Thread{ID: "now", Owner: "ann"}))
	if got, _ := l.Thread(ctx, "now"); got.CreatedAt.Before(before) {
		t.Errorf("CreatedAt = %v, want the present", got.CreatedAt)
	}
	_, err = l.Append(ctx, "a", 0, threadlog.Row{Kind: threadlog.KindUser, At: at.Add(time.Hour)})
	no(t, err)
	if got, _ := l.Thread(ctx, "a"); got.LastSeq != 1 || !got.UpdatedAt.Equal(at.Add(time.Hour)) || !got.CreatedAt.Equal(at) {
		t.Errorf("after an append: %+v", got)
	}
}

func owners(t *testing.T, l threadlog.Log) {
	ctx := t.Context()
	at := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	for i, id := range []string{"a1", "b1", "a2", "a3"} {
		no(t, l.Create(ctx, threadlog.Thread{ID: id, Owner: id[:1], CreatedAt: at.Add(time.Duration(i) * time.Minute)}))
	}
	_, err := l.Append(ctx, "a2", 0, threadlog.Row{Kind: threadlog.KindUser, At: at.Add(time.Hour)})
	no(t, err)
	for owner, want := range map[string][]string{"a": {"a2", "a3", "a1"}, "b": {"b1"}, "c": nil, "": nil, "%": nil} {
		ts, err := l.Threads(ctx, owner, "", 0)
		no(t, err)
		if got := ids(ts); !slices.Equal(got, want) {
			t.Errorf("Threads(%q) = %v, want %v", owner, got, want)
		}
	}
}

func roundTrip(t *testing.T, l threadlog.Log) {
	create(t, l, "a", "b")
	at := time.Date(2026, 11, 30, 10, 0, 0, 987654000, time.UTC)
	want := []threadlog.Row{
		{At: at, Kind: threadlog.KindUser, Data: json.RawMessage(`{"text":"hi  ⛺","z":1e400}`)},
		{At: at, Kind: threadlog.KindRun, RunID: "r1", Data: json.RawMessage(`null`)},
		{At: at.Add(time.Microsecond), Kind: threadlog.KindEvent, RunID: "r1", Data: json.RawMessage("{\"a\":\"\x00\xff\"}\r\n")},
		{At: at, Kind: threadlog.KindClaim, RunID: "r'; --", Data: json.RawMessage{}},
		{At: at, Kind: threadlog.KindEnd, RunID: "r1", Data: nil},
	}
	if last, err := l.Append(t.Context(), "a", 0, want...); err != nil || last != 5 {
		t.Fatalf("Append = %d, %v", last, err)
	}
	got := read(t, l, "a", 1, 0)
	if len(got) != len(want) {
		t.Fatalf("%d rows, want %d", len(got), len(want))
	}
	for i, g := range got {
		w := want[i]
		if g.Seq != int64(i+1) || !g.At.Equal(w.At) || g.Kind != w.Kind || g.RunID != w.RunID || string(g.Data) != string(w.Data) {
			t.Errorf("row %d = %+v (%q), want %+v", i+1, g, g.Data, w)
		}
	}
	if rows := read(t, l, "b", 1, 0); len(rows) != 0 {
		t.Errorf("the other thread has %d rows", len(rows))
	}
	before := time.Now().Add(-time.Millisecond)
	_, err := l.Append(t.Context(), "b", 0, threadlog.Row{Kind: threadlog.KindUser, Seq: 99})
	no(t, err)
	if rows := read(t, l, "b", 1, 0); rows[0].Seq != 1 || rows[0].At.Before(before) {
		t.Errorf("row without a time and with a sequence of its own = %+v", rows[0])
	}
}

func readRange(t *testing.T, l threadlog.Log) {
	create(t, l, "a")
	_, err := l.Append(t.Context(), "a", 0, events(10)...)
	no(t, err)
	for _, tt := range []struct {
		from        int64
		limit       int
		first, last int64
	}{{1, 0, 1, 10}, {0, 0, 1, 10}, {-5, 3, 1, 3}, {4, 3, 4, 6}, {9, 50, 9, 10}, {10, 1, 10, 10}} {
		got := read(t, l, "a", tt.from, tt.limit)
		if len(got) != int(tt.last-tt.first+1) || got[0].Seq != tt.first || got[len(got)-1].Seq != tt.last {
			t.Errorf("Read(%d, %d) = %d rows", tt.from, tt.limit, len(got))
		}
	}
	if got := read(t, l, "a", 11, 5); len(got) != 0 {
		t.Errorf("past the end: %d rows", len(got))
	}
	_, err = l.Read(t.Context(), "nope", 1, 0)
	is(t, err, threadlog.ErrNotFound)
}

func refusals(t *testing.T, l threadlog.Log) {
	ctx := t.Context()
	create(t, l, "a")
	_, err := l.Append(ctx, "nope", 0, events(1)...)
	is(t, err, threadlog.ErrNotFound)
	for _, k := range []threadlog.Kind{"", "nonsense"} {
		_, err = l.Append(ctx, "a", 0, threadlog.Row{Kind: k})
		is(t, err, threadlog.ErrInvalid)
	}
	for _, expected := range []int64{-1, 1, 2} {
		_, err = l.Append(ctx, "a", expected, events(1)...)
		is(t, err, threadlog.ErrConflict)
		_, err = l.Append(ctx, "a", expected)
		is(t, err, threadlog.ErrConflict)
	}
	if last, err := l.Append(ctx, "a", 0); err != nil || last != 0 {
		t.Errorf("Append of nothing = %d, %v", last, err)
	}
	if rows := read(t, l, "a", 1, 0); len(rows) != 0 {
		t.Errorf("refused appends left %d rows", len(rows))
	}
}

func allOrNothing(t *testing.T, l threadlog.Log) {
	create(t, l, "a")
	_, err := l.Append(t.Context(), "a", 0, append(events(5), threadlog.Row{Kind: "nonsense"})...)
	is(t, err, threadlog.ErrInvalid)
	if rows := read(t, l, "a", 1, 0); len(rows) != 0 {
		t.Errorf("a refused append left %d rows", len(rows))
	}
	last, err := l.Append(t.Context(), "a", 0, events(1200)...) // more than one group commit holds
	if err != nil || last != 1200 {
		t.Errorf("Append of 1200 = %d, %v", last, err)
	}
	gapFree(t, read(t, l, "a", 1, 0), 1200)
}

func records(t *testing.T, l threadlog.Log) {
	ctx := t.Context()
	_, _, err := l.Get(ctx, "k")
	is(t, err, threadlog.ErrNotFound)
	_, err = l.CompareAndSet(ctx, "k", 1, []byte("x"))
	is(t, err, threadlog.ErrConflict)

	rev, err := l.CompareAndSet(ctx, "k", 0, []byte("one"))
	no(t, err)
	_, err = l.CompareAndSet(ctx, "k", 0, []byte("again"))
	is(t, err, threadlog.ErrConflict)
	next, err := l.CompareAndSet(ctx, "k", rev, []byte("two\x00"))
	no(t, err)
	if next <= rev {
		t.Errorf("revision went from %d to %d", rev, next)
	}
	_, err = l.CompareAndSet(ctx, "k", rev, []byte("stale"))
	is(t, err, threadlog.ErrConflict)
	if v, r, err := l.Get(ctx, "k"); string(v) != "two\x00" || r != next || err != nil {
		t.Errorf("Get = %q, %d, %v", v, r, err)
	}
	next, err = l.CompareAndSet(ctx, "k", next, nil)
	no(t, err)
	if v, r, err := l.Get(ctx, "k"); len(v) != 0 || r != next || err != nil {
		t.Errorf("Get of an empty value = %q, %d, %v", v, r, err)
	}
	if _, _, err := l.Get(ctx, "K"); !errors.Is(err, threadlog.ErrNotFound) {
		t.Errorf("keys differ by case: %v", err)
	}
}

func openRuns(t *testing.T, l threadlog.Log) {
	ctx := t.Context()
	script := map[string][]threadlog.Kind{
		"a-none":     {threadlog.KindUser},
		"b-running":  {threadlog.KindUser, threadlog.KindRun, threadlog.KindEvent},
		"c-ended":    {threadlog.KindRun, threadlog.KindEvent, threadlog.KindEnd},
		"d-again":    {threadlog.KindRun, threadlog.KindEnd, threadlog.KindUser, threadlog.KindRun},
		"e-late":     {threadlog.KindRun, threadlog.KindEnd, threadlog.KindEvent},
		"f-two-runs": {threadlog.KindRun, threadlog.KindRun, threadlog.KindEnd},
	}
	for id, kinds := range script {
		create(t, l, id)
		for i, k := range kinds {
			_, err := l.Append(ctx, id, int64(i), threadlog.Row{Kind: k})
			no(t, err)
		}
	}
	check := func(want ...string) {
		t.Helper()
		got, err := l.Open(ctx)
		no(t, err)
		slices.Sort(got)
		if !slices.Equal(got, want) {
			t.Errorf("Open = %v, want %v", got, want)
		}
	}
	check("b-running", "d-again")
	_, err := l.Append(ctx, "b-running", 3, threadlog.Row{Kind: threadlog.KindEvent}, threadlog.Row{Kind: threadlog.KindEnd})
	no(t, err)
	check("d-again")
}

func restart(t *testing.T, open New) {
	ctx, dir := t.Context(), t.TempDir()
	l := open(t, dir)
	create(t, l, "a", "b")
	_, err := l.Append(ctx, "a", 0, events(50)...)
	no(t, err)
	_, err = l.Append(ctx, "b", 0, threadlog.Row{Kind: threadlog.KindRun, RunID: "r"})
	no(t, err)
	rev, err := l.CompareAndSet(ctx, "k", 0, []byte("v"))
	no(t, err)
	create(t, l, "c")
	no(t, l.Delete(ctx, "c"))
	rows, thread := read(t, l, "a", 1, 0), must(l.Thread(ctx, "a"))
	closeLog(t, l)

	l = open(t, dir)
	defer closeLog(t, l)
	again := read(t, l, "a", 1, 0)
	if !slices.EqualFunc(rows, again, func(a, b threadlog.Row) bool { return fmt.Sprint(a) == fmt.Sprint(b) }) {
		t.Error("rows changed over a restart")
	}
	if got := must(l.Thread(ctx, "a")); got != thread {
		t.Errorf("thread = %+v, want %+v", got, thread)
	}
	if got := must(l.Open(ctx)); !slices.Equal(got, []string{"b"}) {
		t.Errorf("Open = %v", got)
	}
	if v, r, err := l.Get(ctx, "k"); string(v) != "v" || r != rev || err != nil {
		t.Errorf("Get = %q, %d, %v", v, r, err)
	}
	_, err = l.Thread(ctx, "c")
	is(t, err, threadlog.ErrNotFound)
	no(t, l.Restore(ctx, "o", "c"))
	if last, err := l.Append(ctx, "a", 50, events(1)...); last != 51 || err != nil {
		t.Errorf("Append = %d, %v", last, err)
	}
}

func cancelled(t *testing.T, l threadlog.Log) {
	create(t, l, "a")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, errAppend := l.Append(ctx, "a", 0, events(3)...)
	_, errSet := l.CompareAndSet(ctx, "k", 0, nil)
	_, errRead := l.Read(ctx, "a", 1, 0)
	_, errThreads := l.Threads(ctx, "o", "", 0)
	for _, err := range []error{errAppend, errSet, errRead, errThreads, l.Create(ctx, threadlog.Thread{ID: "x", Owner: "o"}),
		l.Rename(ctx, "a", "x"), l.Delete(ctx, "a"), l.Restore(ctx, "o", "a")} {
		is(t, err, context.Canceled)
	}
	if rows := read(t, l, "a", 1, 0); len(rows) != 0 {
		t.Errorf("a cancelled append left %d rows", len(rows))
	}

	// Whenever the context ends, an append reports what it did.
	var wg sync.WaitGroup
	for i := range 20 {
		id := fmt.Sprint("t", i)
		create(t, l, id)
		wg.Go(func() {
			ctx, cancel := context.WithCancel(context.Background())
			go cancel()
			_, err := l.Append(ctx, id, 0, events(3)...)
			want := 3
			if err != nil {
				is(t, err, context.Canceled)
				want = 0
			}
			if rows := read(t, l, id, 1, 0); len(rows) != want {
				t.Errorf("Append said %v and left %d rows", err, len(rows))
			}
		})
	}
	wg.Wait()
}

func closedLog(t *testing.T, l threadlog.Log) {
	create(t, l, "a")
	no(t, l.Close())
	no(t, l.Close())
	ctx := t.Context()
	_, errAppend := l.Append(ctx, "a", 0, events(1)...)
	_, errSet := l.CompareAndSet(ctx, "k", 0, nil)
	_, errRead := l.Read(ctx, "a", 1, 0)
	_, errThread := l.Thread(ctx, "a")
	_, errThreads := l.Threads(ctx, "o", "", 0)
	_, errOpen := l.Open(ctx)
	_, _, errGet := l.Get(ctx, "k")
	_, errPurge := l.Purge(ctx, time.Now())
	for i, err := range []error{errAppend, errSet, errRead, errThread, errThreads, errOpen, errGet, errPurge, l.Create(ctx, threadlog.Thread{ID: "x", Owner: "o"}),
		l.Rename(ctx, "a", "x"), l.Delete(ctx, "a"), l.Restore(ctx, "o", "a")} {
		if !errors.Is(err, threadlog.ErrClosed) {
			t.Errorf("call %d on a closed log: %v", i, err)
		}
	}
	if _, ok := <-l.Follow(ctx, "a"); ok {
		t.Error("Follow on a closed log delivers")
	}
}
