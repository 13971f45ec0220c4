package sqlite

import (
	"encoding/json"
	"errors"
	"path/filepath"
	"sync"
	"testing"

	"cairn/agenthost"
	"cairn/agenthost/storetest"
)

func open(t *testing.T, path string) *Store {
	t.Helper()
	s, err := Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

func TestStore(t *testing.T) {
	storetest.Run(t, func(t *testing.T) (agenthost.Store, func() agenthost.Store) {
		path := filepath.Join(t.TempDir(), "agent.db")
		s := open(t, path)
		return s, func() agenthost.Store {
			if err := s.Close(); err != nil {
				t.Fatal(err)
			}
			return open(t, path)
		}
	})
}

func TestFileIsDurable(t *testing.T) {
	s := open(t, filepath.Join(t.TempDir(), "a b#c?%.db")) // a path is a path
	for pragma, want := range map[string]string{"journal_mode": "wal", "synchronous": "2", "foreign_keys": "1"} {
		var got string
		if err := s.db.QueryRow("PRAGMA " + pragma).Scan(&got); err != nil || got != want {
			t.Errorf("%s is %s, want %s (%v)", pragma, got, want, err)
		}
	}
}

// TestDecideInTwoProcesses decides on one interrupt from two connections.
func TestDecideInTwoProcesses(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.db")
	stores := []*Store{open(t, path), open(t, path)}
	thread, id := agenthost.Thread{Agent: "a", ID: "t"}, agenthost.InterruptKey{RunID: "r", ToolCallID: "c"}
	err := stores[0].Suspend(t.Context(), thread, agenthost.Suspension{RunID: "r", Interrupts: []agenthost.Interrupt{{InterruptKey: id, IdempotencyKey: "k"}}})
	if err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	errs := make([]error, 20)
	for i := range errs {
		wg.Go(func() {
			_, errs[i] = stores[i%2].Decide(t.Context(), thread, []agenthost.Decision{{InterruptKey: id, Answer: json.RawMessage(`1`)}})
		})
	}
	wg.Wait()
	won := 0
	for _, err := range errs {
		if err == nil {
			won++
		} else if !errors.Is(err, agenthost.ErrDecided) {
			t.Error(err)
		}
	}
	if won != 1 {
		t.Errorf("%d decisions won", won)
	}
}
