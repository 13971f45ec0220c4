// Package memory is the working memory of one run: what the thread has, and what
// the client is shown while the model writes a new one. The model writes whole
// new memories; the client gets RFC 6902 patches that lead there through states
// that are all valid and never lose a row that stays. It stores nothing.
package memory

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"

	"github.com/wI2L/jsondiff"

	"cairn/agenthost/partialjson"
)

// Check says what is wrong with a memory, an object with numbers as
// [json.Number], or nil.
type Check func(map[string]any) error

// Notebook is one run's view of a thread's memory. Not safe for concurrent use.
type Notebook struct {
	check Check
	// current is the memory with the run's accepted updates; nil is none yet.
	current map[string]any
	dirty   bool // current is not saved
	// shown is what the client has after the opening snapshot; nil before it.
	shown map[string]any
	// writing is the update that is being streamed.
	writing *update
}

// update is one call of the memory tool while its arguments arrive.
type update struct {
	callID string
	parser partialjson.Parser
}

// New opens a stored memory, nil for a thread that has none. A stored memory
// that no longer passes the check is kept as it is; the model's next update
// replaces it.
func New(check Check, stored json.RawMessage) (*Notebook, error) {
	n := &Notebook{check: check}
	if stored == nil {
		return n, nil
	}
	m, err := parseObject(stored)
	if err != nil {
		return nil, fmt.Errorf("stored memory: %w", err)
	}
	n.current = m
	return n, nil
}

// Adopt takes the client's state as memory when the thread has none and the
// state passes the check; anything else is ignored, for it comes from outside.
func (n *Notebook) Adopt(state json.RawMessage) {
	if n.current != nil {
		return
	}
	if m, err := parseObject(state); err == nil && n.check(m) == nil {
		n.current, n.dirty = m, true
	}
}

// Exists reports that the thread has a memory.
func (n *Notebook) Exists() bool { return n.current != nil }

// Dirty reports that the memory is to be saved; Saved says that it was.
func (n *Notebook) Dirty() bool { return n.dirty }

// Saved clears Dirty.
func (n *Notebook) Saved() { n.dirty = false }

// Member is one member of the memory as JSON, nil when there is none.
func (n *Notebook) Member(name string) (json.RawMessage, error) {
	v, ok := n.current[name]
	if !ok {
		return nil, nil
	}
	return encode(v)
}

// Merge replaces members of the memory by JSON values. What would not pass the
// check changes nothing.
func (n *Notebook) Merge(members map[string]json.RawMessage) error {
	merged, err := n.merged(members)
	if err != nil {
		return err
	}
	n.current, n.dirty = merged, true
	return nil
}

// Fits says why Merge would refuse these members, or nil.
func (n *Notebook) Fits(members map[string]json.RawMessage) error {
	_, err := n.merged(members)
	return err
}

func (n *Notebook) merged(members map[string]json.RawMessage) (map[string]any, error) {
	raw, err := encode(members)
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
	return all, n.check(all)
}

// Open gives the opening snapshot the first time a run writes, else nil.
func (n *Notebook) Open() json.RawMessage {
	if n.shown != nil {
		return nil
	}
	n.shown = map[string]any{}
	maps.Copy(n.shown, n.current)
	return n.Snapshot()
}

// Snapshot is the whole memory as JSON, {} when there is none.
func (n *Notebook) Snapshot() json.RawMessage {
	if n.current == nil {
		return json.RawMessage("{}")
	}
	raw, err := encode(n.current)
	if err != nil {
		return json.RawMessage("{}") // decoded JSON always encodes
	}
	return raw
}

// Begin starts an update. Of several updates in one answer the first is shown
// while it is written, the others when they are accepted.
func (n *Notebook) Begin(callID string) {
	if n.writing == nil {
		n.writing = &update{callID: callID}
	}
}

// Write takes a piece of the arguments and gives the patches it makes visible.
func (n *Notebook) Write(callID, piece string) ([]json.RawMessage, error) {
	if n.writing == nil || n.writing.callID != callID || n.writing.parser.Write(piece) != nil {
		return nil, nil // broken arguments are judged at the end
	}
	node := n.writing.memoryNode()
	if node == nil || node.Kind != partialjson.Object || tooLong(node) || longestArray(n.current) > maxLiveRows {
		return nil, nil
	}
	return n.showState(n.certain(node))
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
		merged := overlayObject(n.current, node)
		if problem = n.check(merged); problem == nil {
			n.current, n.dirty = merged, true
		}
	}
	target := n.current
	if target == nil {
		target = map[string]any{}
	}
	patches, err = n.showState(target)
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

// certain is the newest valid state that the unfinished update allows: all of
// it, or else every top-level member that is valid already.
func (n *Notebook) certain(node *partialjson.Node) map[string]any {
	all := overlayObject(n.current, node)
	if n.check(all) == nil {
		return all
	}
	state := n.shown
	for _, key := range node.Keys {
		candidate := maps.Clone(state)
		candidate[key] = all[key]
		if n.check(candidate) == nil {
			state = candidate
		}
	}
	return state
}

// showState moves the client to a state, one patch for each added row.
func (n *Notebook) showState(target map[string]any) ([]json.RawMessage, error) {
	if n.shown == nil {
		return nil, nil
	}
	var patches []json.RawMessage
	for _, state := range n.growth(target) {
		patch, err := diff(n.shown, state)
		if err != nil {
			return nil, err
		}
		n.shown = state
		if patch != nil {
			patches = append(patches, patch)
		}
	}
	return patches, nil
}

// diff gives the RFC 6902 patch between two states, nil when they are equal.
func diff(from, to map[string]any) (json.RawMessage, error) {
	opts := []jsondiff.Option{jsondiff.LCS()}
	if longestArray(from) > maxLiveRows || longestArray(to) > maxLiveRows {
		opts = nil // the shortest patch costs rows × rows
	}
	patch, err := jsondiff.CompareWithoutMarshal(from, to, opts...)
	if err != nil {
		return nil, fmt.Errorf("memory patch: %w", err)
	}
	if len(patch) == 0 {
		return nil, nil
	}
	return json.Marshal(patch)
}

// parseObject reads exactly one JSON object.
func parseObject(text []byte) (map[string]any, error) {
	var p partialjson.Parser
	if err := errors.Join(p.Write(string(text)), p.Close()); err != nil {
		return nil, err
	}
	m, ok := p.Root().Any().(map[string]any)
	if !ok {
		return nil, errors.New("not an object")
	}
	return m, nil
}

// encode writes compact JSON without HTML escaping.
func encode(v any) (json.RawMessage, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimRight(b.Bytes(), "\n"), nil
}
