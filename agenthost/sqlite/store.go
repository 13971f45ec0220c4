// Package sqlite implements [agenthost.Store] in one SQLite file. Writes are on disk
// when they return (WAL, synchronous=FULL). It does not guard against a second service
// on one file; the owner of the data directory does.
package sqlite

import (
	"context"
	"database/sql"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"time"

	_ "modernc.org/sqlite" // registers the driver "sqlite"

	"cairn/agenthost"
)

//go:embed schema.sql
var schema string

// Store implements [agenthost.Store].
type Store struct {
	db  *sql.DB
	now func() time.Time
}

var _ agenthost.Store = (*Store)(nil)

// Open opens or creates the file, which only its owner may read. The store must not be
// closed before the last run has ended.
func Open(ctx context.Context, path string) (*Store, error) {
	if err := makePrivate(path); err != nil {
		return nil, fmt.Errorf("agent store %s: %w", path, err)
	}
	db, err := sql.Open("sqlite", dsn(path, "rwc"))
	if err != nil {
		return nil, fmt.Errorf("agent store %s: %w", path, err)
	}
	// Short transactions and one writer: a second connection would only wait.
	db.SetMaxOpenConns(1)
	if _, err := db.ExecContext(ctx, schema); err != nil {
		_ = db.Close()
		return nil, fmt.Errorf("agent store %s: %w", path, err)
	}
	return &Store{db: db, now: time.Now}, nil
}

// makePrivate creates the file if it does not exist, and makes it and the files beside it
// readable for their owner only. SQLite creates new files beside it with the permissions
// of the file.
func makePrivate(path string) error {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	if err := f.Close(); err != nil {
		return err
	}
	for _, name := range []string{path, path + "-wal", path + "-shm"} {
		info, err := os.Stat(name)
		if errors.Is(err, fs.ErrNotExist) || err == nil && info.Mode().Perm() == 0o600 {
			continue
		}
		if err != nil {
			return err
		}
		if err := os.Chmod(name, 0o600); err != nil {
			return err
		}
	}
	return nil
}

// dsn returns the driver's name of a file. The unit of busy_timeout is milliseconds.
func dsn(path, mode string) string {
	q := url.Values{"mode": {mode}, "_txlock": {"immediate"}}
	q["_pragma"] = []string{"busy_timeout(5000)", "foreign_keys(1)"}
	if mode != "ro" {
		q["_pragma"] = append(q["_pragma"], "journal_mode(WAL)", "synchronous(FULL)")
	}
	u := url.URL{Scheme: "file", Opaque: (&url.URL{Path: path}).EscapedPath(), RawQuery: q.Encode()}
	return u.String()
}

// Close releases the file.
func (s *Store) Close() error { return s.db.Close() }

// Memory implements [agenthost.Store].
func (s *Store) Memory(ctx context.Context, t agenthost.Thread) (json.RawMessage, error) {
	var state string
	err := s.db.QueryRowContext(ctx, `SELECT state FROM memory WHERE agent = ? AND thread_id = ?`, t.Agent, t.ID).Scan(&state)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read memory: %w", err)
	}
	return json.RawMessage(state), nil
}

// SaveMemory implements [agenthost.Store].
func (s *Store) SaveMemory(ctx context.Context, t agenthost.Thread, state json.RawMessage) error {
	_, err := s.db.ExecContext(ctx, `INSERT INTO memory (agent, thread_id, state, updated_at) VALUES (?, ?, ?, ?)
		ON CONFLICT DO UPDATE SET state = excluded.state, updated_at = excluded.updated_at`,
		t.Agent, t.ID, string(state), s.stamp())
	if err != nil {
		return fmt.Errorf("save memory: %w", err)
	}
	return nil
}

func (s *Store) stamp() string { return s.now().UTC().Format(time.RFC3339Nano) }

// inTx runs f in one transaction, committed unless f fails or panics. A transaction
// that stayed open would hold the only connection.
func (s *Store) inTx(ctx context.Context, f func(*sql.Tx) error) error {
	tx, err := s.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback() }() // does nothing after a commit
	if err := f(tx); err != nil {
		return err
	}
	return tx.Commit()
}
