// Package memory is the working memory of one run: the thread's memory, and the states that
// the client sees while the model writes a new one. The model writes whole new memories.
// The client receives RFC 6902 patches through states that are all valid and never lose a
// row that stays. The package stores nothing.
package memory

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"

	"cairn/agenthost/partialjson"
	"cairn/internal/jsontext"
)

// Check returns an error when a memory, an object with numbers as [json.Number], is not
// valid.
type Check func(map[string]any) error

// MaxSize is the most bytes of a memory as JSON. Each update costs that much work.
const MaxSize = 256 << 10

var errTooLarge = fmt.Errorf("the memory would have more than %d bytes", MaxSize)

// Notebook is one run's view of a thread's memory. It is not safe for concurrent use.
type Notebook struct {
	check Check
	// current is the memory with the run's accepted updates; nil is none yet.
	current map[string]any
	raw     json.RawMessage // current as JSON; {} when it is nil
	dirty   bool            // current is not saved
	work    int             // bytes compared so far to show updates
	// shown is the client's state after the opening snapshot; nil before it.
	shown map[string]any
	// writing is the update that is being streamed.
	writing *update
}

// update is one call of the memory tool while its arguments arrive.
type update struct {
	callID  string
	parser  partialjson.Parser
	size    int // bytes of the arguments so far
	changes int // of the parser, as last shown
}

// New returns a notebook with a stored memory, nil for a thread that has none. A stored
// memory that does not pass the check any more stays until the model's next update.
func New(check Check, stored json.RawMessage) (*Notebook, error) {
	n := &Notebook{check: check, raw: json.RawMessage("{}")}
	if stored == nil {
		return n, nil
	}
	m, err := parseObject(stored)
	if err != nil {
		return nil, fmt.Errorf("stored memory: %w", err)
	}
	n.current, n.raw = m, stored
	return n, nil
}

// accept sets the current memory, unless it is too large or fails the check.
func (n *Notebook) accept(m map[string]any) error {
	raw, err := n.fits(m)
	if err != nil {
		return err
	}
	n.current, n.raw, n.dirty = m, raw, true
	return nil
}

func (n *Notebook) fits(m map[string]any) (json.RawMessage, error) {
	raw, err := jsontext.Marshal(m)
	if err == nil && len(raw) > MaxSize {
		err = errTooLarge
	}
	if err == nil {
		err = n.check(m)
	}
	return raw, err
}

// Adopt sets the memory to the client's state when the thread has none and the state passes
// the check. Otherwise it does nothing.
func (n *Notebook) Adopt(state json.RawMessage) {
	if n.current != nil || len(state) > MaxSize {
		return
	}
	if m, err := parseObject(state); err == nil {
		_ = n.accept(m) // an invalid state is ignored
	}
}

// Exists reports whether the thread has a memory.
func (n *Notebook) Exists() bool { return n.current != nil }

// Dirty reports whether the memory has changes that are not saved.
func (n *Notebook) Dirty() bool { return n.dirty }

// Saved clears Dirty.
func (n *Notebook) Saved() { n.dirty = false }

// Member returns one member of the memory as JSON, nil when there is none.
func (n *Notebook) Member(name string) (json.RawMessage, error) {
	v, ok := n.current[name]
	if !ok {
		return nil, nil
	}
	return jsontext.Marshal(v)
}

// Merge replaces members of the memory by JSON values. When the result does not pass the
// check, it changes nothing and returns the error.
func (n *Notebook) Merge(members map[string]json.RawMessage) error {
	merged, err := n.merged(members)
	if err != nil {
		return err
	}
	return n.accept(merged)
}

// Fits returns the error that Merge would return.
func (n *Notebook) Fits(members map[string]json.RawMessage) error {
	merged, err := n.merged(members)
	if err == nil {
		_, err = n.fits(merged)
	}
	return err
}

func (n *Notebook) merged(members map[string]json.RawMessage) (map[string]any, error) {
	raw, err := jsontext.Marshal(members)
	if err != nil {
		return nil, err
	}
	written, err := parseObject(raw)
	if err != nil {
		return nil, err
	}
	all := map[string]any{}
	maps.Copy(all, n.current)
	maps.Copy(all, written)
	return all, nil
}

// Open returns the opening snapshot the first time it is called, then nil.
func (n *Notebook) Open() json.RawMessage {
	if n.shown != nil {
		return nil
	}
	n.shown = map[string]any{}
	maps.Copy(n.shown, n.current)
	return n.Snapshot()
}

// Snapshot returns the whole memory as JSON, {} when there is none.
func (n *Notebook) Snapshot() json.RawMessage { return n.raw }

// Begin starts an update. Of several updates in one answer the first is shown
// while it is written, the others when they are accepted.
func (n *Notebook) Begin(callID string) {
	if n.writing == nil {
		n.writing = &update{callID: callID}
	}
}

// Write reads a piece of the arguments and returns the patches for the client.
func (n *Notebook) Write(callID, piece string) ([]json.RawMessage, error) {
	u := n.writing
	if u == nil || u.callID != callID || u.parser.Write(piece) != nil {
		return nil, nil // End returns the error of broken arguments
	}
	u.size += len(piece)
	if u.parser.Changes() == u.changes {
		return nil, nil
	}
	u.changes = u.parser.Changes()
	size := len(n.raw) + u.size
	node := u.memoryNode()
	if node == nil || node.Kind != partialjson.Object || !n.spend(size) || tooLong(node) || longestArray(n.current) > maxLiveRows {
		return nil, nil
	}
	return n.showState(n.certain(node, size), size, false)
}

// End reads the whole arguments and either accepts the update or returns the problem, for
// the model. The patches bring the client to the accepted memory.
func (n *Notebook) End(args string) (patches []json.RawMessage, problem error, err error) {
	n.writing = nil
	u := update{}
	problem = errors.Join(u.parser.Write(args), u.parser.Close())
	node := u.memoryNode()
	if problem == nil && (node == nil || node.Kind != partialjson.Object) {
		problem = errors.New("memory must be an object")
	}
	if problem == nil {
		problem = n.accept(overlayObject(n.current, node))
	}
	target := n.current
	if target == nil {
		target = map[string]any{}
	}
	patches, err = n.showState(target, len(n.raw)+len(args), true)
	return patches, problem, err
}

// memoryNode returns the argument "memory" as far as it is known.
func (u *update) memoryNode() *partialjson.Node {
	root := u.parser.Root()
	if root == nil || root.Kind != partialjson.Object {
		return nil
	}
	return root.Members["memory"]
}
