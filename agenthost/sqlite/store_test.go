package sqlite

import (
	"context"
	"encoding/json"
	"errors"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"cairn/agenthost"
)

var thread = agenthost.Thread{Agent: "mastra", ID: "t1"}

func open(t *testing.T, path string) *Store {
	t.Helper()
	s, err := Open(context.Background(), path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

func suspended(run, call string) agenthost.Suspension {
	return agenthost.Suspension{RunID: run,
		Messages: []agenthost.Message{{Role: "user", Content: "x"}},
		Queue:    []agenthost.ToolCall{{ID: "next", Name: "n", Arguments: "{}"}},
		Interrupts: []agenthost.Interrupt{{InterruptKey: agenthost.InterruptKey{RunID: run, ToolCallID: call}, ToolName: "reserve",
			Args: json.RawMessage(`{"a":1}`), Payload: json.RawMessage(`{"b":2}`), IdempotencyKey: run + call,
			ExpiresAt: time.Date(2030, 1, 2, 3, 4, 5, 6, time.UTC)}}}
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

func TestMemoryIsPerThreadAndAgent(t *testing.T) {
	ctx, path := context.Background(), filepath.Join(t.TempDir(), "a.db")
	s := open(t, path)
	for _, state := range []string{`{"n":1}`, `{"n":2}`} {
		if err := s.SaveMemory(ctx, thread, json.RawMessage(state)); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	s = open(t, path)
	for _, tc := range []struct {
		t    agenthost.Thread
		want string
	}{{thread, `{"n":2}`}, {agenthost.Thread{Agent: "mastra", ID: "t2"}, ""}, {agenthost.Thread{Agent: "other", ID: "t1"}, ""}} {
		got, err := s.Memory(ctx, tc.t)
		if err != nil || string(got) != tc.want {
			t.Errorf("%v: %s, want %s (%v)", tc.t, got, tc.want, err)
		}
	}
}

func TestSuspensionComesBackAsItWas(t *testing.T) {
	ctx, path := context.Background(), filepath.Join(t.TempDir(), "a.db")
	s := open(t, path)
	want := suspended("r1", "c1")
	if err := s.Suspend(ctx, thread, want); err != nil {
		t.Fatal(err)
	}
	if err := s.Suspend(ctx, thread, suspended("r1", "c2")); !errors.Is(err, agenthost.ErrRunIDUsed) {
		t.Errorf("the run id again: %v", err)
	}
	if err := s.Suspend(ctx, agenthost.Thread{Agent: "mastra", ID: "t2"}, suspended("r1", "c9")); err != nil {
		t.Errorf("the run id on another thread: %v", err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	s = open(t, path)
	got, err := s.Suspension(ctx, thread, "r1")
	if err != nil {
		t.Fatal(err)
	}
	want.Interrupts[0].State, want.Interrupts[0].CreatedAt = agenthost.StatePending, got.Interrupts[0].CreatedAt
	if a, b := asJSON(t, got), asJSON(t, want); a != b {
		t.Errorf("got  %s\nwant %s", a, b)
	}
	if _, err := s.Suspension(ctx, thread, "nope"); !errors.Is(err, agenthost.ErrNotFound) {
		t.Errorf("an unknown run: %v", err)
	}
}

func asJSON(t *testing.T, v any) string {
	t.Helper()
	raw, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

// TestOneDecisionWins: of many at once one is recorded, and it stays.
func TestOneDecisionWins(t *testing.T) {
	ctx, path := context.Background(), filepath.Join(t.TempDir(), "a.db")
	s, other := open(t, path), open(t, path)
	if err := s.Suspend(ctx, thread, suspended("r1", "c1")); err != nil {
		t.Fatal(err)
	}
	id := agenthost.InterruptKey{RunID: "r1", ToolCallID: "c1"}
	var wg sync.WaitGroup
	var mu sync.Mutex
	won := 0
	for i := range 20 {
		wg.Go(func() {
			store := s
			if i%2 == 1 {
				store = other
			}
			list, err := store.Decide(ctx, thread, []agenthost.Decision{{InterruptKey: id, Answer: json.RawMessage(`{"n":` + string(rune('0'+i%10)) + `}`)}})
			mu.Lock()
			defer mu.Unlock()
			switch {
			case err == nil:
				won++
			case !errors.Is(err, agenthost.ErrDecided) || len(list) != 1 || list[0].Decision == nil:
				t.Errorf("decide: %v, %+v", err, list)
			}
		})
	}
	wg.Wait()
	if won != 1 {
		t.Errorf("%d decisions won", won)
	}
	for _, wrong := range []agenthost.InterruptKey{{RunID: "r1", ToolCallID: "c2"}, {RunID: "r2", ToolCallID: "c1"}} {
		if _, err := s.Decide(ctx, thread, []agenthost.Decision{{InterruptKey: wrong, Answer: json.RawMessage(`1`)}}); !errors.Is(err, agenthost.ErrNotFound) {
			t.Errorf("%v: %v", wrong, err)
		}
	}
	if err := s.Record(ctx, thread, id, json.RawMessage(`"done"`)); err != nil {
		t.Fatal(err)
	}
	if err := s.Settle(ctx, agenthost.Thread{Agent: "mastra", ID: "t2"}, agenthost.StateResulted, agenthost.StateLeft); err != nil {
		t.Fatal(err)
	}
	if err := s.Settle(ctx, thread, agenthost.StatePending, agenthost.StateLeft); err != nil {
		t.Fatal(err)
	}
	list, err := s.Interrupts(ctx, thread)
	if err != nil || len(list) != 1 || list[0].State != agenthost.StateResulted || string(list[0].Result) != `"done"` {
		t.Errorf("interrupts %+v (%v)", list, err)
	}
}

// TestDecisionsTogether: several answers are recorded all or none.
func TestDecisionsTogether(t *testing.T) {
	ctx := context.Background()
	s := open(t, filepath.Join(t.TempDir(), "a.db"))
	sus := suspended("r1", "c1")
	second := suspended("r1", "c2").Interrupts[0]
	sus.Interrupts = append(sus.Interrupts, second)
	if err := errors.Join(s.Suspend(ctx, thread, sus), s.Suspend(ctx, thread, suspended("r2", "c3"))); err != nil {
		t.Fatal(err)
	}
	answer := func(run, call string) agenthost.Decision {
		return agenthost.Decision{InterruptKey: agenthost.InterruptKey{RunID: run, ToolCallID: call}, Answer: json.RawMessage(`"` + call + `"`)}
	}
	if _, err := s.Decide(ctx, thread, []agenthost.Decision{answer("r2", "c3")}); err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		answers []agenthost.Decision
		err     error
	}{
		{[]agenthost.Decision{answer("r1", "c1"), answer("r1", "c9")}, agenthost.ErrNotFound},
		{[]agenthost.Decision{answer("r1", "c1"), answer("r2", "c3")}, agenthost.ErrDecided},
		{[]agenthost.Decision{answer("r1", "c2"), answer("r1", "c1")}, nil},
	} {
		list, err := s.Decide(ctx, thread, tc.answers)
		if !errors.Is(err, tc.err) {
			t.Fatalf("%v: %v, want %v", tc.answers, err, tc.err)
		}
		stored, err := s.Interrupts(ctx, thread)
		if err != nil {
			t.Fatal(err)
		}
		for _, in := range stored[:2] {
			if want := tc.err == nil; (in.State == agenthost.StateDecided) != want || want && string(in.Decision) != `"`+in.ToolCallID+`"` {
				t.Errorf("%v: %+v", tc.answers, in)
			}
		}
		if tc.err == nil && (list[0].ToolCallID != "c2" || string(list[1].Decision) != `"c1"`) {
			t.Errorf("gave %+v", list)
		}
	}
}
