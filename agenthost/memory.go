package agenthost

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"

	"github.com/wI2L/jsondiff"

	"cairn/agenthost/partialjson"
)

// notebook is the working memory of one run: what the thread has, and what the
// client is shown while the model writes a new one. Every state it shows is
// valid against the schema and keeps the rows that stay.
type notebook struct {
	schema Schema
	// current is the memory with the run's accepted updates; nil is none yet.
	current map[string]any
	dirty   bool // current is not saved
	// shown is what the client has after the opening snapshot; nil before it.
	shown map[string]any
	// writing is the update that is being streamed.
	writing *memoryUpdate
}

// memoryUpdate is one call of updateWorkingMemory while its arguments arrive.
type memoryUpdate struct {
	callID string
	parser partialjson.Parser
}

// load takes a stored memory. A stored memory that no longer fits the schema is
// shown as it is; the model's next update replaces it.
func (n *notebook) load(stored json.RawMessage) error {
	if stored == nil {
		return nil
	}
	v, err := decodeAny(stored)
	if err != nil {
		return fmt.Errorf("stored memory: %w", err)
	}
	m, ok := v.(map[string]any)
	if !ok {
		return fmt.Errorf("stored memory is no object")
	}
	n.current = m
	return nil
}

// adopt takes the client's state as memory when the thread has none and the
// state fits the schema; anything else is ignored, for it comes from outside.
func (n *notebook) adopt(state json.RawMessage) {
	if n.current != nil || len(state) == 0 {
		return
	}
	v, err := decodeAny(state)
	if err != nil {
		return
	}
	if m, ok := v.(map[string]any); ok && n.schema.checkValue(m) == nil {
		n.current, n.dirty = m, true
	}
}

// open gives the opening snapshot the first time a run writes, else nil.
func (n *notebook) open() json.RawMessage {
	if n.shown != nil {
		return nil
	}
	n.shown = map[string]any{}
	maps.Copy(n.shown, n.current)
	return n.snapshot()
}

// snapshot is the whole memory as JSON, {} when there is none.
func (n *notebook) snapshot() json.RawMessage {
	if n.current == nil {
		return json.RawMessage("{}")
	}
	raw, err := encodeJSON(n.current)
	if err != nil {
		return json.RawMessage("{}") // decoded JSON always encodes
	}
	return raw
}

// begin starts an update. Of several updates in one answer the first is shown
// while it is written, the others when they are accepted.
func (n *notebook) begin(callID string) {
	if n.writing == nil {
		n.writing = &memoryUpdate{callID: callID}
	}
}

// write takes a piece of the arguments and gives the patches it makes visible.
func (n *notebook) write(callID, piece string) ([]json.RawMessage, error) {
	if n.writing == nil || n.writing.callID != callID || n.writing.parser.Write(piece) != nil {
		return nil, nil // broken arguments are judged at the end
	}
	node := n.writing.memoryNode()
	if node == nil || node.Kind != partialjson.Object {
		return nil, nil
	}
	return n.showState(n.certain(node))
}

// end takes the whole arguments and either accepts the update or says what is
// wrong with it, for the model. Patches bring the client to what is accepted.
func (n *notebook) end(args string) (patches []json.RawMessage, problem error, err error) {
	n.writing = nil
	u := memoryUpdate{}
	problem = errors.Join(u.parser.Write(args), u.parser.Close())
	node := u.memoryNode()
	if problem == nil && (node == nil || node.Kind != partialjson.Object) {
		problem = errors.New("memory must be an object")
	}
	if problem == nil {
		merged := overlayObject(n.current, node)
		if problem = n.schema.checkValue(merged); problem == nil {
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
func (u *memoryUpdate) memoryNode() *partialjson.Node {
	root := u.parser.Root()
	if root == nil || root.Kind != partialjson.Object {
		return nil
	}
	return root.Members["memory"]
}

// certain is the newest valid state that the unfinished update allows: all of
// it, or else every top-level member that is valid already.
func (n *notebook) certain(node *partialjson.Node) map[string]any {
	all := overlayObject(n.current, node)
	if n.schema.checkValue(all) == nil {
		return all
	}
	state := n.shown
	for _, key := range node.Keys {
		candidate := maps.Clone(state)
		candidate[key] = all[key]
		if n.schema.checkValue(candidate) == nil {
			state = candidate
		}
	}
	return state
}

// showState moves the client to a state, one patch for each added row.
func (n *notebook) showState(target map[string]any) ([]json.RawMessage, error) {
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
