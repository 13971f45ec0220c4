package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"cairn/internal/threadlog"
)

// oldFile makes a file of schema 1 with something in it.
func oldFile(t *testing.T) string {
	t.Helper()
	script, err := os.ReadFile("testdata/v1.sql")
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "threads.db")
	raw(t, path, func(db *sql.DB) error {
		_, err := db.Exec("PRAGMA journal_mode = WAL;" + string(script))
		return err
	})
	return path
}

// raw opens a file behind the log's back.
func raw(t *testing.T, path string, f func(db *sql.DB) error) {
	t.Helper()
	db, err := connect(path, 1)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if err := f(db); err != nil {
		t.Fatal(err)
	}
}

func TestOldFileIsMigrated(t *testing.T) {
	ctx := t.Context()
	path := oldFile(t)
	for range 2 { // the second time nothing is left to migrate
		l := open(t, path)
		ts, err := l.Threads(ctx, "ann", "", 0)
		at := time.UnixMicro(1796032800123456).UTC()
		want := []threadlog.Thread{
			{ID: "trip", Owner: "ann", Demo: "mastra", Title: "Yosemite ⛺", CreatedAt: at, UpdatedAt: time.UnixMicro(1796036400000000).UTC(), LastSeq: 3, Running: true},
			{ID: "done", Owner: "ann", Demo: "strands", CreatedAt: at.Truncate(time.Second), UpdatedAt: at.Truncate(time.Second), LastSeq: 2},
		}
		if err != nil || !reflect.DeepEqual(ts, want) {
			t.Errorf("Threads = %+v, %v", ts, err)
		}
		rows, err := l.Read(ctx, "trip", 1, 0)
		if err != nil || len(rows) != 3 || rows[0].Kind != threadlog.KindUser || rows[1].RunID != "r1" || string(rows[2].Data) != "{\x00\xff}" {
			t.Errorf("Read = %+v, %v", rows, err)
		}
		if ids, err := l.Open(ctx); err != nil || fmt.Sprint(ids) != "[trip]" {
			t.Errorf("Open = %v, %v", ids, err)
		}
		if v, rev, err := l.Get(ctx, "k"); string(v) != "v" || rev != 7 || err != nil {
			t.Errorf("Get = %q, %d, %v", v, rev, err)
		}
		for _, err := range []error{l.Rename(ctx, "bob", "Hello"), l.Delete(ctx, "bob"), l.Restore(ctx, "bob", "bob")} {
			if err != nil {
				t.Error(err)
			}
		}
		if err := l.Close(); err != nil {
			t.Error(err)
		}
	}
}

// TestInterruptedMigration holds that a step is taken or not, never in part.
func TestInterruptedMigration(t *testing.T) {
	path := oldFile(t)
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	raw(t, path, func(db *sql.DB) error {
		broken := append(schema[:2:2], schema[1]+"; UPDATE threads SET title = 'x'; nonsense", "DROP TABLE rows")
		broken[1], broken[2] = broken[2], broken[1]
		if err := migrate(t.Context(), db, broken); err == nil || !strings.Contains(err.Error(), "schema 2") {
			t.Errorf("a broken step: %v", err)
		}
		if err := migrate(cancelled, db, schema); !errors.Is(err, context.Canceled) {
			t.Errorf("a cancelled step: %v", err)
		}
		var version, columns int
		var title string
		err := errors.Join(db.QueryRow("PRAGMA user_version").Scan(&version),
			db.QueryRow("SELECT count(*) FROM pragma_table_info('threads') WHERE name IN ('status', 'deleted')").Scan(&columns),
			db.QueryRow("SELECT title FROM threads WHERE id = 'trip'").Scan(&title))
		if version != 1 || columns != 0 || title != "Yosemite ⛺" {
			t.Errorf("left version %d, %d new columns, title %q", version, columns, title)
		}
		return err
	})
	l := open(t, path)
	defer l.Close()
	if th, err := l.Thread(t.Context(), "trip"); err != nil || th.LastSeq != 3 {
		t.Errorf("Thread = %+v, %v", th, err)
	}
}

func TestNewerFileIsLeftAlone(t *testing.T) {
	path := oldFile(t)
	raw(t, path, func(db *sql.DB) error { _, err := db.Exec("PRAGMA user_version = 99"); return err })
	before, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if l, err := Open(t.Context(), path); err == nil {
		l.Close()
		t.Error("Open succeeded")
	} else if !strings.Contains(err.Error(), "a newer version wrote it") || !strings.Contains(err.Error(), path) {
		t.Errorf("Open = %v", err)
	}
	if after, err := os.ReadFile(path); err != nil || string(after) != string(before) {
		t.Errorf("the file was changed, %v", err)
	}
}
