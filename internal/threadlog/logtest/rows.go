package logtest

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"cairn/internal/threadlog"
)

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

// readBytes: a batch of large rows is bounded in bytes, and all of them can be read.
func readBytes(t *testing.T, l threadlog.Log) {
	create(t, l, "a")
	large := json.RawMessage(`"` + strings.Repeat("x", threadlog.ReadBytes/3) + `"`)
	const n = 8
	for i := range int64(n) {
		_, err := l.Append(t.Context(), "a", i, threadlog.Row{Kind: threadlog.KindEvent, Data: large})
		no(t, err)
	}
	seen, batches := 0, 0
	for done := false; !done; batches++ {
		rows := read(t, l, "a", int64(seen)+1, n+1)
		if len(rows) > 3 {
			t.Errorf("%d large rows at once", len(rows))
		}
		seen, done = seen+len(rows), threadlog.Last(rows, n+1)
	}
	if seen != n || batches < 3 {
		t.Errorf("%d rows in %d batches", seen, batches)
	}
	if rows := read(t, l, "a", 1, 0); len(rows) != n {
		t.Errorf("without a limit: %d rows", len(rows))
	}
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
