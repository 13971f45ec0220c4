package agenthost

import (
	"context"
	"encoding/json"
	"fmt"

	"cairn/agenthost/memory"
)

// state is what one call sees of the shared state and writes to it. It is used by
// the call's goroutine alone.
type state struct {
	now    *memory.Notebook
	writes map[string]json.RawMessage
	err    error // of the first value that is no JSON
}

// Share writes a member of the agent's shared state, see [Agent.Shared]: v as JSON,
// nil as null. It takes effect when the tool returns, also when it returns
// [Suspend], and not when it fails; what does not fit the schema makes it fail. In a
// child, and without a shared state, it does nothing.
func (c Call[In]) Share(member string, v any) {
	if c.state == nil {
		return
	}
	raw, err := encodeJSON(v)
	if err != nil && c.state.err == nil {
		c.state.err = fmt.Errorf("share %s: %w", member, err)
	}
	c.state.writes[member] = raw
}

// Shared reads a member of the shared state into v as it was when the call began,
// and reports that there is one.
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

// newState is what a call may share, nil for an agent whose tools share nothing.
func (x *run) newState() *state {
	if x.agent.Shared.isZero() {
		return nil
	}
	return &state{now: x.memory, writes: map[string]json.RawMessage{}}
}

// problem is what is wrong with what a call shares: no JSON, or not as the schema
// says.
func (s *state) problem() error {
	switch {
	case s == nil || len(s.writes) == 0:
		return nil
	case s.err != nil:
		return s.err
	}
	return s.now.Fits(s.writes)
}

// take makes what a call shared the run's state. [run.suspend] stores that of a call
// that waits.
func (x *run) mergeShared(s *state) error {
	if s == nil || len(s.writes) == 0 {
		return nil
	}
	if err := x.memory.Merge(s.writes); err != nil {
		return fmt.Errorf("what a tool shares: %w", err)
	}
	return nil
}

// keep stores what a call shared. It is kept before the call's result is, so that
// nobody is shown a result whose state is missing.
func (x *run) saveShared(ctx context.Context, s *state) error {
	if err := x.mergeShared(s); err != nil {
		return err
	}
	return x.saveMemory(context.WithoutCancel(ctx))
}

// sendShared shows the client what a call shared.
func (x *run) sendShared(s *state) error {
	if s == nil || len(s.writes) == 0 {
		return nil
	}
	return x.emit(x.writer.Shared(x.memory.Snapshot()))
}
