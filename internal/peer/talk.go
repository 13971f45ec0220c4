package peer

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
)

// Step is one run of a conversation: something said on a thread, or the answer to
// what the thread waits for.
type Step struct {
	Thread string          `json:"thread"`
	Say    string          `json:"say,omitempty"`
	Answer json.RawMessage `json:"answer,omitempty"` // the payload of a resolved interrupt
	Cancel bool            `json:"cancel,omitempty"`
}

// Turn is what the peer made of one run.
type Turn struct {
	Events  []string // types, in order
	Invalid []string // frames that the protocol's schemas refuse
	// Error is why the client refused to run or to go on, empty when it did not.
	Error    string
	Pending  []map[string]any // interrupts that wait for an answer
	Messages []map[string]any
	State    json.RawMessage
}

// Talk takes the steps with the agent at url, as an application built on the
// peer's HttpAgent would, one after the other.
func Talk(ctx context.Context, root, url, token string, steps []Step) ([]Turn, error) {
	cmd, err := node(ctx, root, "peer/talk.mjs", url)
	if err != nil {
		return nil, err
	}
	cmd.Env = append(cmd.Environ(), "AG_UI_INTERNAL_TOKEN="+token)
	var in bytes.Buffer
	enc := json.NewEncoder(&in)
	for _, s := range steps {
		if err := enc.Encode(s); err != nil {
			return nil, fmt.Errorf("peer: %w", err)
		}
	}
	cmd.Stdin = &in
	out, err := cmd.Output()
	if err != nil {
		return nil, failed(err)
	}
	turns := make([]Turn, len(steps))
	dec := json.NewDecoder(bytes.NewReader(out))
	for i := range turns {
		if err := dec.Decode(&turns[i]); err != nil {
			return nil, fmt.Errorf("peer: turn %d of %d: %w", i+1, len(turns), err)
		}
	}
	return turns, nil
}
