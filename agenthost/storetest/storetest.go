// Package storetest is the contract of [agenthost.Store] as a test suite.
package storetest

import (
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"cairn/agenthost"
)

// Open returns an empty store and a function that returns the same store as after a
// restart of the service. A store that does not survive one returns itself. The store
// must be usable until the test ends.
type Open func(t *testing.T) (store agenthost.Store, restart func() agenthost.Store)

// Run checks every promise of [agenthost.Store].
func Run(t *testing.T, open Open) {
	for name, test := range map[string]func(*testing.T, agenthost.Store, func() agenthost.Store){
		"memory":                memory,
		"suspension":            suspension,
		"one decision wins":     oneDecisionWins,
		"decisions together":    decisionsTogether,
		"states":                states,
		"callers share nothing": callersShareNothing,
	} {
		t.Run(name, func(t *testing.T) {
			s, restart := open(t)
			test(t, s, restart)
		})
	}
}

var (
	thread = agenthost.Thread{Agent: "a", ID: "t1"}
	others = []agenthost.Thread{{Agent: "a", ID: "t2"}, {Agent: "b", ID: "t1"}}
)

// paused returns a suspension that waits on calls.
func paused(run string, calls ...string) agenthost.Suspension {
	sus := agenthost.Suspension{RunID: run,
		Messages: []agenthost.Message{{Role: "user", Content: "x"}, {Role: "assistant", ToolCalls: []agenthost.ToolCall{{ID: "c", Name: "n", Arguments: "{"}}}},
		Queue:    []agenthost.ToolCall{{ID: "next", Name: "n", Arguments: "{}"}}}
	for _, call := range calls {
		sus.Interrupts = append(sus.Interrupts, agenthost.Interrupt{
			InterruptKey: agenthost.InterruptKey{RunID: run, ToolCallID: call}, ToolName: "reserve",
			Args: json.RawMessage(`{"a":1}`), Payload: json.RawMessage(`{"b":2}`), IdempotencyKey: run + call,
			ExpiresAt: time.Date(2030, 1, 2, 3, 4, 5, 6, time.UTC)})
	}
	return sus
}

func answer(run, call, text string) agenthost.Decision {
	return agenthost.Decision{InterruptKey: agenthost.InterruptKey{RunID: run, ToolCallID: call}, Answer: json.RawMessage(text)}
}

func memory(t *testing.T, s agenthost.Store, restart func() agenthost.Store) {
	for _, state := range []string{`{"n":1}`, `{"n":2}`} {
		must(t, s.SaveMemory(t.Context(), thread, json.RawMessage(state)))
	}
	s = restart()
	if got, err := s.Memory(t.Context(), thread); err != nil || string(got) != `{"n":2}` {
		t.Errorf("%s (%v)", got, err)
	}
	for _, other := range others {
		if got, err := s.Memory(t.Context(), other); err != nil || got != nil {
			t.Errorf("%v: %s (%v)", other, got, err)
		}
	}
}

func suspension(t *testing.T, s agenthost.Store, restart func() agenthost.Store) {
	ctx, want := t.Context(), paused("r1", "c1", "c2")
	before := time.Now()
	must(t, s.Suspend(ctx, thread, want))
	if err := s.Suspend(ctx, thread, paused("r1", "c3")); !errors.Is(err, agenthost.ErrRunIDUsed) {
		t.Errorf("a run id that is used: %v", err)
	}
	for i, other := range others {
		sus := paused("r1", "c1")
		sus.Interrupts[0].IdempotencyKey = fmt.Sprint("other", i)
		must(t, s.Suspend(ctx, other, sus))
	}
	s = restart()
	got, err := s.Suspension(ctx, thread, "r1")
	must(t, err)
	for i := range want.Interrupts {
		at := got.Interrupts[i].CreatedAt
		if at.Before(before.Add(-time.Second)) || at.After(time.Now().Add(time.Second)) {
			t.Errorf("created %v", at)
		}
		want.Interrupts[i].State, want.Interrupts[i].CreatedAt = agenthost.StatePending, at
	}
	if a, b := asJSON(t, got), asJSON(t, want); a != b {
		t.Errorf("got  %s\nwant %s", a, b)
	}
	list, err := s.Interrupts(ctx, thread)
	must(t, err)
	if a, b := asJSON(t, list), asJSON(t, want.Interrupts); a != b {
		t.Errorf("got  %s\nwant %s", a, b)
	}
	never := paused("r2", "c9")
	never.Interrupts[0].ExpiresAt = time.Time{}
	must(t, s.Suspend(ctx, thread, never))
	if list, err = s.Interrupts(ctx, thread); err != nil || len(list) != 3 || list[2].RunID != "r2" || !list[2].ExpiresAt.IsZero() {
		t.Errorf("oldest first: %+v (%v)", list, err)
	}
	if _, err := s.Suspension(ctx, thread, "nope"); !errors.Is(err, agenthost.ErrNotFound) {
		t.Errorf("an unknown run: %v", err)
	}
}

func oneDecisionWins(t *testing.T, s agenthost.Store, restart func() agenthost.Store) {
	must(t, s.Suspend(t.Context(), thread, paused("r1", "c1")))
	var wg sync.WaitGroup
	var mu sync.Mutex
	won := ""
	for i := range 20 {
		wg.Go(func() {
			text := fmt.Sprintf(`{"n":%d}`, i)
			list, err := s.Decide(t.Context(), thread, []agenthost.Decision{answer("r1", "c1", text)})
			mu.Lock()
			defer mu.Unlock()
			switch {
			case err == nil && won == "":
				won = text
			case err == nil:
				t.Errorf("%s and %s were recorded", won, text)
			case !errors.Is(err, agenthost.ErrDecided) || len(list) != 1 || list[0].Decision == nil:
				t.Errorf("decide: %v, %+v", err, list)
			}
		})
	}
	wg.Wait()
	list, err := restart().Interrupts(t.Context(), thread)
	if err != nil || len(list) != 1 || list[0].State != agenthost.StateDecided || string(list[0].Decision) != won {
		t.Errorf("%+v (%v), want the decision %s", list, err, won)
	}
}

func decisionsTogether(t *testing.T, s agenthost.Store, _ func() agenthost.Store) {
	ctx := t.Context()
	must(t, errors.Join(s.Suspend(ctx, thread, paused("r1", "c1", "c2")), s.Suspend(ctx, thread, paused("r2", "c3"))))
	if _, err := s.Decide(ctx, thread, []agenthost.Decision{answer("r2", "c3", "3")}); err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		answers []agenthost.Decision
		err     error
	}{
		{[]agenthost.Decision{answer("r1", "c1", "1"), answer("r1", "c9", "9")}, agenthost.ErrNotFound},
		{[]agenthost.Decision{answer("r9", "c1", "1")}, agenthost.ErrNotFound},
		{[]agenthost.Decision{answer("r1", "c1", "1"), answer("r2", "c3", "3")}, agenthost.ErrDecided},
		{[]agenthost.Decision{answer("r1", "c2", "2"), answer("r1", "c1", "1")}, nil},
	} {
		list, err := s.Decide(ctx, thread, tc.answers)
		if !errors.Is(err, tc.err) {
			t.Fatalf("%v: %v, want %v", tc.answers, err, tc.err)
		}
		stored, err := s.Interrupts(ctx, thread)
		must(t, err)
		for i, in := range stored[:2] {
			if want := tc.err == nil; (in.State == agenthost.StateDecided) != want || want && string(in.Decision) != fmt.Sprint(i+1) {
				t.Errorf("%v: %+v", tc.answers, in)
			}
		}
		if tc.err == nil && (list[0].ToolCallID != "c2" || string(list[0].Decision) != "2" || string(list[1].Decision) != "1") {
			t.Errorf("returned %+v", list)
		}
	}
}

func states(t *testing.T, s agenthost.Store, restart func() agenthost.Store) {
	ctx := t.Context()
	must(t, s.Suspend(ctx, thread, paused("r1", "c1", "c2")))
	_, err := s.Decide(ctx, thread, []agenthost.Decision{answer("r1", "c1", "1"), answer("r1", "c2", "2")})
	must(t, err)
	must(t, s.Record(ctx, thread, agenthost.InterruptKey{RunID: "r1", ToolCallID: "c1"}, json.RawMessage(`"done"`)))
	for _, other := range others {
		must(t, s.Settle(ctx, other, agenthost.StateResulted, agenthost.StateLeft))
	}
	must(t, s.Settle(ctx, thread, agenthost.StatePending, agenthost.StateLeft))
	check := func(first agenthost.InterruptState) {
		t.Helper()
		list, err := s.Interrupts(ctx, thread)
		if err != nil || len(list) != 2 || list[0].State != first || string(list[0].Result) != `"done"` ||
			list[1].State != agenthost.StateDecided || list[1].Result != nil {
			t.Errorf("%+v (%v), want %s first", list, err, first)
		}
	}
	check(agenthost.StateResulted)
	must(t, s.Settle(ctx, thread, agenthost.StateResulted, agenthost.StateFinished))
	s = restart()
	check(agenthost.StateFinished)
}

// callersShareNothing changes what was stored and what was returned.
func callersShareNothing(t *testing.T, s agenthost.Store, _ func() agenthost.Store) {
	ctx, state, sus := t.Context(), json.RawMessage(`{"n":1}`), paused("r1", "c1")
	must(t, errors.Join(s.SaveMemory(ctx, thread, state), s.Suspend(ctx, thread, sus)))
	state[5], sus.Interrupts[0].ToolName, sus.Messages[1].ToolCalls[0].ID, sus.Queue[0].ID = '9', "changed", "changed", "changed"
	for range 2 {
		got, err := s.Suspension(ctx, thread, "r1")
		must(t, err)
		m, err := s.Memory(ctx, thread)
		must(t, err)
		if string(m) != `{"n":1}` || got.Interrupts[0].ToolName != "reserve" || got.Messages[1].ToolCalls[0].ID != "c" || got.Queue[0].ID != "next" {
			t.Errorf("%s, %+v", m, got)
		}
		m[5], got.Interrupts[0].ToolName, got.Messages[1].ToolCalls[0].ID, got.Queue[0].ID = '9', "changed", "changed", "changed"
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func asJSON(t *testing.T, v any) string {
	t.Helper()
	raw, err := json.Marshal(v)
	must(t, err)
	return string(raw)
}
