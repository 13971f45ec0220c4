package logtest

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"cairn/internal/threadlog"
)

func status(t *testing.T, l threadlog.Log) {
	ctx := t.Context()
	create(t, l, "a")
	no(t, l.Create(ctx, threadlog.Thread{ID: "new", Owner: "o", Status: "new"}))
	if got := must(l.Thread(ctx, "new")); got.Status != "new" {
		t.Errorf("created with a status: %+v", got)
	}
	at := time.Date(2026, 11, 30, 10, 0, 0, 0, time.UTC)
	last := int64(0)
	for _, step := range []struct {
		row     threadlog.Row
		status  string
		running bool
	}{
		{threadlog.Row{Kind: threadlog.KindUser}, "", false},
		{threadlog.Row{Kind: threadlog.KindRun, Status: "running"}, "running", true},
		{threadlog.Row{Kind: threadlog.KindEvent}, "running", true},
		{threadlog.Row{Kind: threadlog.KindEvent, Status: "asks"}, "asks", true},
		{threadlog.Row{Kind: threadlog.KindEnd}, "asks", false},
	} {
		step.row.At = at
		var err error
		last, err = l.Append(ctx, "a", last, step.row)
		no(t, err)
		if got := must(l.Thread(ctx, "a")); got.Status != step.status || got.Running != step.running {
			t.Errorf("after %+v: %+v", step.row, got)
		}
	}
	// Of several rows the last word counts, and a refused append says nothing.
	_, err := l.Append(ctx, "a", last, threadlog.Row{Kind: threadlog.KindRun, Status: "running"},
		threadlog.Row{Kind: threadlog.KindEnd, Status: "failed"}, threadlog.Row{Kind: threadlog.KindEvent})
	no(t, err)
	_, err = l.Append(ctx, "a", last, threadlog.Row{Kind: threadlog.KindEvent, Status: "stale"})
	is(t, err, threadlog.ErrConflict)
	ts := must(l.Threads(ctx, "o", "", 1))
	if len(ts) != 1 || ts[0].ID != "a" || ts[0].Status != "failed" || ts[0].Running {
		t.Errorf("Threads = %+v", ts)
	}
	for _, r := range read(t, l, "a", 1, 0) {
		if r.Status != "" {
			t.Errorf("a row came back with status %q", r.Status)
		}
	}
}

func search(t *testing.T, l threadlog.Log) {
	ctx := t.Context()
	at := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	for i, title := range []string{"Trip to Yosemite", "100% ÄRGER", "a_b", "trip BACK", "axb"} {
		no(t, l.Create(ctx, threadlog.Thread{ID: title, Owner: "o", Title: title, CreatedAt: at.Add(time.Duration(i) * time.Hour)}))
	}
	no(t, l.Create(ctx, threadlog.Thread{ID: "x", Owner: "other", Title: "trip"}))
	for _, tt := range []struct {
		query string
		limit int
		want  []string
	}{
		{"", 0, []string{"axb", "trip BACK", "a_b", "100% ÄRGER", "Trip to Yosemite"}},
		{"", 2, []string{"axb", "trip BACK"}},
		{"TRIP", 0, []string{"trip BACK", "Trip to Yosemite"}},
		{"trip", 1, []string{"trip BACK"}},
		{"yosemite  trip", 0, []string{"Trip to Yosemite"}},
		{"ärger", 0, []string{"100% ÄRGER"}},
		{"%", 0, []string{"100% ÄRGER"}},
		{"a_b", -1, []string{"a_b"}},
		{"nothing", 0, nil},
	} {
		ts, err := l.Threads(ctx, "o", tt.query, tt.limit)
		no(t, err)
		if got := ids(ts); !slices.Equal(got, tt.want) {
			t.Errorf("Threads(%q, %d) = %q, want %q", tt.query, tt.limit, got, tt.want)
		}
	}
}

func rename(t *testing.T, l threadlog.Log) {
	ctx := t.Context()
	create(t, l, "a", "b")
	_, err := l.Append(ctx, "a", 0, events(1)...)
	no(t, err)
	want := must(l.Thread(ctx, "a"))
	want.Title = "Çalled ⛺"
	no(t, l.Rename(ctx, "a", want.Title))
	if got := must(l.Thread(ctx, "a")); got != want {
		t.Errorf("renamed: %+v, want %+v", got, want)
	}
	if got := must(l.Thread(ctx, "b")); got.Title != "" {
		t.Errorf("the other thread is called %q", got.Title)
	}
	is(t, l.Rename(ctx, "nope", "x"), threadlog.ErrNotFound)
	no(t, l.Delete(ctx, "b"))
	is(t, l.Rename(ctx, "b", "x"), threadlog.ErrNotFound)
}

func watch(t *testing.T, l threadlog.Log) {
	ctx, cancel := context.WithCancel(t.Context())
	mine, other := l.Watch(ctx, "o"), l.Watch(t.Context(), "other")
	wakes := func(what string) {
		t.Helper()
		select {
		case _, ok := <-mine:
			if !ok {
				t.Fatalf("%s: closed", what)
			}
		case <-time.After(patience):
			t.Fatalf("%s did not wake", what)
		}
	}
	one := func(what string) {
		t.Helper()
		wakes(what)
		silent(t, mine)
	}
	one("the start")
	<-other
	create(t, l, "a")
	one("Create")
	appended := int64(0)
	add := func(rows ...threadlog.Row) {
		t.Helper()
		var err error
		appended, err = l.Append(ctx, "a", appended, rows...)
		no(t, err)
	}
	add(threadlog.Row{Kind: threadlog.KindUser})
	silent(t, mine)
	add(threadlog.Row{Kind: threadlog.KindRun})
	one("a run")
	add(events(3)...)
	add(threadlog.Row{Kind: threadlog.KindEvent, Status: "asks"})
	one("a status")
	add(threadlog.Row{Kind: threadlog.KindEvent, Status: "asks"})
	silent(t, mine)
	add(threadlog.Row{Kind: threadlog.KindEnd})
	one("the end of a run")
	no(t, l.Rename(ctx, "a", "x"))
	one("Rename")
	no(t, l.Delete(ctx, "a"))
	one("Delete")
	is(t, l.Delete(ctx, "a"), threadlog.ErrNotFound)
	silent(t, mine)
	no(t, l.Restore(ctx, "o", "a"))
	one("Restore")
	for i := range 5 {
		create(t, l, fmt.Sprint("more", i))
	}
	wakes("five at once")
	silent(t, other)

	cancel()
	left := 0
	for range mine { // the last of the five may have come after the first was heard of
		left++
	}
	if left > 1 {
		t.Errorf("%d wakes after the context ended", left)
	}
	if _, ok := <-l.Watch(ctx, "o"); ok {
		t.Error("Watch with an ended context wakes")
	}
	no(t, l.Close())
	if _, ok := <-other; ok {
		t.Error("a wake after Close")
	}
	if _, ok := <-l.Watch(t.Context(), "o"); ok {
		t.Error("Watch on a closed log wakes")
	}
}

func ids(ts []threadlog.Thread) (ids []string) {
	for _, t := range ts {
		ids = append(ids, t.ID)
	}
	return ids
}
