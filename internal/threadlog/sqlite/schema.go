package sqlite

import (
	"context"
	"database/sql"
	"fmt"
)

// schema is how the file came to be what it is: the file's user_version is the
// number of steps it has taken. A step that was released is never changed; what
// comes next is one more at the end.
//
// Rows sit in a rowid table in order of arrival with an index by thread:
// clustering them by thread instead was measured two to seven times slower.
var schema = []string{`
CREATE TABLE threads (
  n        INTEGER PRIMARY KEY,
  id       TEXT NOT NULL UNIQUE,
  owner    TEXT NOT NULL,
  demo     TEXT NOT NULL,
  title    TEXT NOT NULL,
  created  INTEGER NOT NULL, -- microseconds since 1970, as every time here
  updated  INTEGER NOT NULL,
  last_seq INTEGER NOT NULL,
  running  INTEGER NOT NULL  -- 1: the last run row has no end row after it
) STRICT;
CREATE INDEX threads_owner ON threads (owner, updated);
CREATE INDEX threads_running ON threads (n) WHERE running = 1;
CREATE TABLE rows (
  id     INTEGER PRIMARY KEY,
  thread INTEGER NOT NULL REFERENCES threads (n),
  seq    INTEGER NOT NULL,
  at     INTEGER NOT NULL,
  kind   TEXT NOT NULL,
  run_id TEXT NOT NULL,
  data   BLOB NOT NULL,
  UNIQUE (thread, seq)
) STRICT;
CREATE TABLE records (
  key   TEXT PRIMARY KEY,
  rev   INTEGER NOT NULL,
  value BLOB NOT NULL
) STRICT;
`, `
ALTER TABLE threads ADD COLUMN status TEXT NOT NULL DEFAULT '';
ALTER TABLE threads ADD COLUMN deleted INTEGER NOT NULL DEFAULT 0; -- when; 0: it is not; -1: it is being purged
DROP INDEX threads_owner;
DROP INDEX threads_running;
CREATE INDEX threads_owner ON threads (owner, updated) WHERE deleted = 0;
CREATE INDEX threads_running ON threads (n) WHERE running = 1 AND deleted = 0;
CREATE INDEX threads_deleted ON threads (deleted) WHERE deleted <> 0;
`}

// migrate takes the steps the file has not taken, each in a transaction of its
// own. A file with more steps was written by a newer program and is left alone.
func migrate(ctx context.Context, db *sql.DB, steps []string) error {
	var version int
	if err := db.QueryRowContext(ctx, "PRAGMA user_version").Scan(&version); err != nil {
		return err
	}
	if version > len(steps) {
		return fmt.Errorf("the file has schema %d, this program knows %d: a newer version wrote it", version, len(steps))
	}
	for i := version; i < len(steps); i++ {
		if err := migrateTo(ctx, db, i+1, steps[i]); err != nil {
			return fmt.Errorf("change the file to schema %d: %w", i+1, err)
		}
	}
	return nil
}

func migrateTo(ctx context.Context, db *sql.DB, version int, step string) error {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback() // after Commit it does nothing
	if _, err := tx.ExecContext(ctx, fmt.Sprintf("%s; PRAGMA user_version = %d", step, version)); err != nil {
		return err
	}
	return tx.Commit()
}
