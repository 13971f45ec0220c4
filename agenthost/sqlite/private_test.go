package sqlite

import (
	"context"
	"database/sql"
	"os"
	"path/filepath"
	"testing"

	"cairn/agenthost"
)

// TestFilesArePrivate: also those of an older version, which others could read.
func TestFilesArePrivate(t *testing.T) {
	path := filepath.Join(t.TempDir(), "agent.db")
	for _, existing := range []bool{false, true} {
		if existing {
			if err := os.Chmod(path, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		s, err := Open(t.Context(), path)
		if err != nil {
			t.Fatal(err)
		}
		if err := s.SaveMemory(t.Context(), agenthost.Thread{Agent: "a", ID: "t"}, []byte("{}")); err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{path, path + "-wal", path + "-shm"} {
			if info, err := os.Stat(name); err != nil || info.Mode().Perm() != 0o600 {
				t.Errorf("%s (existing %v): %v, %v", name, existing, info, err)
			}
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// TestAPanicFreesTheConnection: a transaction that is left by a panic writes nothing
// and does not keep the next one waiting.
func TestAPanicFreesTheConnection(t *testing.T) {
	s, err := Open(t.Context(), filepath.Join(t.TempDir(), "agent.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = s.Close() }()
	func() {
		defer func() { _ = recover() }() // as crash.Run does
		_ = s.inTx(t.Context(), func(tx *sql.Tx) error {
			if _, err := tx.Exec(`INSERT INTO memory (agent, thread_id, state, updated_at) VALUES ('a', 't', '{}', '')`); err != nil {
				t.Error(err)
			}
			panic("planted")
		})
	}()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	if n := s.db.Stats().InUse; n != 0 {
		t.Fatalf("%d connections are in use", n)
	}
	if m, err := s.Memory(ctx, agenthost.Thread{Agent: "a", ID: "t"}); err != nil || m != nil {
		t.Errorf("%s, %v", m, err)
	}
}
