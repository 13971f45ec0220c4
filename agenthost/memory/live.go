package memory

import (
	"encoding/json"
	"maps"

	"cairn/agenthost/partialjson"
)

// certain returns the newest valid state of an unfinished update: all of it, or else every
// top-level member that is valid already. size is the bytes of the states.
func (n *Notebook) certain(node *partialjson.Node, size int) map[string]any {
	all := overlayObject(n.current, node)
	if n.check(all) == nil {
		return all
	}
	state := n.shown
	for _, key := range node.Keys {
		if !n.spend(size) {
			return n.shown
		}
		candidate := maps.Clone(state)
		candidate[key] = all[key]
		if n.check(candidate) == nil {
			state = candidate
		}
	}
	return state
}

// showState returns the patches that bring the client to a state of the given size, one
// for each added row. A final state is always shown, another one while the run has budget.
func (n *Notebook) showState(target map[string]any, size int, final bool) ([]json.RawMessage, error) {
	if n.shown == nil {
		return nil, nil
	}
	var patches []json.RawMessage
	for _, state := range n.growth(target, size) {
		patch, ok, err := n.diff(n.shown, state, size)
		if err == nil && !ok {
			if !final {
				return patches, nil
			}
			state = target
			patch, err = memberPatch(n.shown, target)
		}
		if err != nil {
			return nil, err
		}
		n.shown = state
		if patch != nil {
			patches = append(patches, patch)
		}
		if !ok {
			break // the target is shown
		}
	}
	return patches, nil
}
