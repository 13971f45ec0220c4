package logtest

import (
	"slices"
	"testing"
	"time"

	"cairn/internal/threadlog"
)

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
