package logtest

import (
	"errors"
	"fmt"
	"testing"

	"cairn/internal/threadlog"
)

func create(t *testing.T, l threadlog.Log, ids ...string) {
	t.Helper()
	for _, id := range ids {
		if err := l.Create(t.Context(), threadlog.Thread{ID: id, Owner: "o", Demo: "mastra"}); err != nil {
			t.Fatal(err)
		}
	}
}

func events(n int) []threadlog.Row {
	rows := make([]threadlog.Row, n)
	for i := range rows {
		rows[i] = threadlog.Row{Kind: threadlog.KindEvent, RunID: "r", Data: fmt.Appendf(nil, `{"type":"CUSTOM","n":%d}`, i)}
	}
	return rows
}

func read(t *testing.T, l threadlog.Log, thread string, from int64, limit int) []threadlog.Row {
	t.Helper()
	rows, err := l.Read(t.Context(), thread, from, limit)
	if err != nil {
		t.Error(err)
	}
	return rows
}

func gapFree(t *testing.T, rows []threadlog.Row, want int) {
	t.Helper()
	if len(rows) != want {
		t.Errorf("%d rows, want %d", len(rows), want)
	}
	for i, r := range rows {
		if r.Seq != int64(i+1) {
			t.Fatalf("row %d has sequence %d", i+1, r.Seq)
		}
	}
}

func no(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func is(t *testing.T, err, want error) {
	t.Helper()
	if !errors.Is(err, want) {
		t.Errorf("error = %v, want %v", err, want)
	}
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

func closeLog(t *testing.T, l threadlog.Log) {
	t.Helper()
	if err := l.Close(); err != nil {
		t.Error(err)
	}
}
