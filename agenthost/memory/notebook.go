// Package memory is the working memory of one run: what the thread has, and what
// the client is shown while the model writes a new one. The model writes whole
// new memories; the client gets RFC 6902 patches that lead there through states
// that are all valid and never lose a row that stays. It stores nothing.
package memory

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"

	"cairn/agenthost/partialjson"
	"cairn/internal/jsontext"
)

// Check says what is wrong with a memory, an object with numbers as
// [json.Number], or nil.
type Check func(map[string]any) error

// MaxSize is the most bytes of a memory as JSON. Every update of it costs its size.
const MaxSize = 256 << 10

var errTooLarge = fmt.Errorf("the memory would have more than %d bytes", MaxSize)

// Notebook is one run's view of a thread's memory. Not safe for concurrent use.
type Notebook struct {
	check Check
	// current is the memory with the run's accepted updates; nil is none yet.
	current map[string]any
	raw     json.RawMessage // current as JSON; {} when it is nil
	dirty   bool            // current is not saved
	work    int             // bytes looked through so far to show what is written
	// shown is what the client has after the opening snapshot; nil before it.
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

// New opens a stored memory, nil for a thread that has none. A stored memory
// that no longer passes the check is kept as it is; the model's next update
// replaces it.
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

// accept makes a memory the current one, unless it is too large or fails the check.
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

// Adopt takes the client's state as memory when the thread has none and the
// state passes the check; anything else is ignored, for it comes from outside.
func (n *Notebook) Adopt(state json.RawMessage) {
	if n.current != nil || len(state) > MaxSize {
		return
	}
	if m, err := parseObject(state); err == nil {
		_ = n.accept(m) // what does not fit is ignored
	}
}

// Exists reports whether the thread has a memory.
func (n *Notebook) Exists() bool { return n.current != nil }

// Dirty reports whether the memory is to be saved; Saved says that it was.
func (n *Notebook) Dirty() bool { return n.dirty }

// Saved clears Dirty.
func (n *Notebook) Saved() { n.dirty = false }

// Member is one member of the memory as JSON, nil when there is none.
func (n *Notebook) Member(name string) (json.RawMessage, error) {
	v, ok := n.current[name]
	if !ok {
		return nil, nil
	}
	return jsontext.Marshal(v)
}

// Merge replaces members of the memory by JSON values. What would not pass the
// check changes nothing.
func (n *Notebook) Merge(members map[string]json.RawMessage) error {
	merged, err := n.merged(members)
	if err != nil {
		return err
	}
	return n.accept(merged)
}

// Fits returns why Merge would refuse these members, or nil.
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

// Open returns the opening snapshot the first time a run writes, else nil.
func (n *Notebook) Open() json.RawMessage {
	if n.shown != nil {
		return nil
	}
	n.shown = map[string]any{}
	maps.Copy(n.shown, n.current)
	return n.Snapshot()
}

// Snapshot is the whole memory as JSON, {} when there is none.
func (n *Notebook) Snapshot() json.RawMessage { return n.raw }

// Begin starts an update. Of several updates in one answer the first is shown
// while it is written, the others when they are accepted.
func (n *Notebook) Begin(callID string) {
	if n.writing == nil {
		n.writing = &update{callID: callID}
	}
}

// Write takes a piece of the arguments and returns the patches it makes visible.
func (n *Notebook) Write(callID, piece string) ([]json.RawMessage, error) {
	u := n.writing
	if u == nil || u.callID != callID || u.parser.Write(piece) != nil {
		return nil, nil // broken arguments are judged at the end
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

// End takes the whole arguments and either accepts the update or says what is
// wrong with it, for the model. Patches bring the client to what is accepted.
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

// memoryNode is the argument "memory" as far as it is known.
func (u *update) memoryNode() *partialjson.Node {
	root := u.parser.Root()
	if root == nil || root.Kind != partialjson.Object {
		return nil
	}
	return root.Members["memory"]
}
