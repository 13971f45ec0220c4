package agenthost

import (
	"context"
	"encoding/json"
	"fmt"

	"cairn/agenthost/memory"
	"cairn/internal/jsontext"
)

// state is the shared state as one call sees it, with the call's writes. Only the call's
// goroutine uses it.
type state struct {
	now    *memory.Notebook
	writes map[string]json.RawMessage
	err    error // of the first value that is no JSON
}

// Share sets a member of the agent's shared state, see [Agent.Shared]: v as JSON, nil as
// null. The write takes effect when the tool returns a value or [Suspend], not when it
// fails. A state that does not fit the schema makes the call fail. In a child, and
// without a shared state, Share does nothing.
func (c Call[In]) Share(member string, v any) {
	if c.state == nil {
		return
	}
	raw, err := jsontext.Marshal(v)
	if err != nil && c.state.err == nil {
		c.state.err = fmt.Errorf("share %s: %w", member, err)
	}
	c.state.writes[member] = raw
}

// Shared decodes a member of the shared state into v, as it was when the call began, and
// reports whether there is one.
func (c Call[In]) Shared(member string, v any) (bool, error) {
	if c.state == nil {
		return false, nil
	}
	raw, err := c.state.now.Member(member)
	if raw == nil || err != nil {
		return false, err
	}
	return true, json.Unmarshal(raw, v)
}

// newState returns the state for a call, nil for an agent without [Agent.Shared].
func (x *run) newState() *state {
	if x.agent.Shared.isZero() {
		return nil
	}
	return &state{now: x.memory, writes: map[string]json.RawMessage{}}
}

// problem returns an error when a value that a call shares cannot be encoded or does not
// fit the schema.
func (s *state) problem() error {
	switch {
	case s == nil || len(s.writes) == 0:
		return nil
	case s.err != nil:
		return s.err
	}
	return s.now.Fits(s.writes)
}

// mergeShared merges a call's writes into the run's state. [run.suspend] stores the state
// of a call that waits.
func (x *run) mergeShared(s *state) error {
	if s == nil || len(s.writes) == 0 {
		return nil
	}
	if err := x.memory.Merge(s.writes); err != nil {
		return fmt.Errorf("state written by a tool: %w", err)
	}
	return nil
}

// saveShared stores a call's writes. It runs before the result is stored, so that no
// client receives a result whose state is missing.
func (x *run) saveShared(ctx context.Context, s *state) error {
	if err := x.mergeShared(s); err != nil {
		return err
	}
	return x.saveMemory(context.WithoutCancel(ctx))
}

// sendShared sends the state when a call wrote to it.
func (x *run) sendShared(s *state) error {
	if s == nil || len(s.writes) == 0 {
		return nil
	}
	return x.emit(x.writer.Shared(x.memory.Snapshot()))
}
