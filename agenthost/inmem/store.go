// Package inmem implements [agenthost.Store] in memory: for tests and first steps. What
// it holds is lost with the process.
package inmem

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"sync"
	"time"

	"cairn/agenthost"
)

// Store implements [agenthost.Store].
type Store struct {
	mu      sync.Mutex
	threads map[agenthost.Thread]*stored
}

var _ agenthost.Store = (*Store)(nil)

// stored is what a thread has; suspensions are oldest first.
type stored struct {
	memory      json.RawMessage
	suspensions []*agenthost.Suspension
}

// New returns an empty store.
func New() *Store { return &Store{threads: map[agenthost.Thread]*stored{}} }

// use calls f with the thread, which is created if there is none.
func (s *Store) use(t agenthost.Thread, f func(*stored) error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.threads[t] == nil {
		s.threads[t] = &stored{}
	}
	return f(s.threads[t])
}

// Memory implements [agenthost.Store].
func (s *Store) Memory(_ context.Context, t agenthost.Thread) (state json.RawMessage, err error) {
	err = s.use(t, func(th *stored) error {
		state = slices.Clone(th.memory)
		return nil
	})
	return state, err
}

// SaveMemory implements [agenthost.Store].
func (s *Store) SaveMemory(_ context.Context, t agenthost.Thread, state json.RawMessage) error {
	return s.use(t, func(th *stored) error {
		th.memory = slices.Clone(state)
		return nil
	})
}

// Suspend implements [agenthost.Store].
func (s *Store) Suspend(_ context.Context, t agenthost.Thread, sus agenthost.Suspension) error {
	kept := clone(sus)
	for i := range kept.Interrupts {
		kept.Interrupts[i].State, kept.Interrupts[i].CreatedAt = agenthost.StatePending, time.Now().UTC()
	}
	return s.use(t, func(th *stored) error {
		if th.suspension(sus.RunID) != nil {
			return fmt.Errorf("suspend: %w", agenthost.ErrRunIDUsed)
		}
		th.suspensions = append(th.suspensions, &kept)
		return nil
	})
}

// Interrupts implements [agenthost.Store].
func (s *Store) Interrupts(_ context.Context, t agenthost.Thread) (list []agenthost.Interrupt, err error) {
	err = s.use(t, func(th *stored) error {
		for _, sus := range th.suspensions {
			list = append(list, clone(*sus).Interrupts...)
		}
		return nil
	})
	return list, err
}

// Suspension implements [agenthost.Store].
func (s *Store) Suspension(_ context.Context, t agenthost.Thread, runID string) (sus agenthost.Suspension, err error) {
	err = s.use(t, func(th *stored) error {
		kept := th.suspension(runID)
		if kept == nil {
			return fmt.Errorf("read suspension: %w", agenthost.ErrNotFound)
		}
		sus = clone(*kept)
		return nil
	})
	return sus, err
}

// Decide implements [agenthost.Store].
func (s *Store) Decide(_ context.Context, t agenthost.Thread, answers []agenthost.Decision) (list []agenthost.Interrupt, err error) {
	err = s.use(t, func(th *stored) error {
		var found []*agenthost.Interrupt
		decided := false
		for _, a := range answers {
			in := th.interrupt(a.InterruptKey)
			if in == nil {
				return fmt.Errorf("decide: %w", agenthost.ErrNotFound)
			}
			found = append(found, in)
			decided = decided || in.State != agenthost.StatePending
		}
		for i, in := range found {
			if !decided {
				in.State, in.Decision = agenthost.StateDecided, slices.Clone(answers[i].Answer)
			}
			list = append(list, *in)
		}
		if decided {
			return fmt.Errorf("decide: %w", agenthost.ErrDecided)
		}
		return nil
	})
	return list, err
}

// Record implements [agenthost.Store].
func (s *Store) Record(_ context.Context, t agenthost.Thread, id agenthost.InterruptKey, result json.RawMessage) error {
	return s.use(t, func(th *stored) error {
		if in := th.interrupt(id); in != nil {
			in.State, in.Result = agenthost.StateResulted, slices.Clone(result)
		}
		return nil
	})
}

// Settle implements [agenthost.Store].
func (s *Store) Settle(_ context.Context, t agenthost.Thread, from, to agenthost.InterruptState) error {
	return s.use(t, func(th *stored) error {
		for _, sus := range th.suspensions {
			for i := range sus.Interrupts {
				if sus.Interrupts[i].State == from {
					sus.Interrupts[i].State = to
				}
			}
		}
		return nil
	})
}

func (th *stored) suspension(runID string) *agenthost.Suspension {
	for _, sus := range th.suspensions {
		if sus.RunID == runID {
			return sus
		}
	}
	return nil
}

func (th *stored) interrupt(id agenthost.InterruptKey) *agenthost.Interrupt {
	if sus := th.suspension(id.RunID); sus != nil {
		for i := range sus.Interrupts {
			if sus.Interrupts[i].ToolCallID == id.ToolCallID {
				return &sus.Interrupts[i]
			}
		}
	}
	return nil
}

// clone copies what a caller could change in place. The JSON of an interrupt is never
// changed by the service.
func clone(sus agenthost.Suspension) agenthost.Suspension {
	sus.Interrupts, sus.Queue = slices.Clone(sus.Interrupts), slices.Clone(sus.Queue)
	sus.Messages = slices.Clone(sus.Messages)
	for i := range sus.Messages {
		sus.Messages[i].ToolCalls = slices.Clone(sus.Messages[i].ToolCalls)
	}
	return sus
}
