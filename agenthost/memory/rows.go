package memory

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"cairn/agenthost/partialjson"
	"cairn/internal/jsontext"
)

// maxLiveRows is the length of list up to which a change is shown row by row
// while the model writes, because comparing lists costs rows × rows. Beyond it
// the client's state does not change until the update is whole.
const maxLiveRows = 100

// tooLong reports whether an update has a list beyond maxLiveRows.
func tooLong(n *partialjson.Node) bool {
	for _, m := range n.Members {
		if tooLong(m) {
			return true
		}
	}
	if len(n.Items) > maxLiveRows {
		return true
	}
	return slices.ContainsFunc(n.Items, tooLong)
}

// overlay returns base with the written part of an update. Objects merge, scalars replace,
// and a finished list replaces the old one. While a list is being written the old rows
// stay: a written row replaces the row of the same identity or is inserted after the row
// written before it.
func overlay(base any, node *partialjson.Node) any {
	switch {
	case node.Kind == partialjson.Object:
		m, _ := base.(map[string]any)
		return overlayObject(m, node)
	case node.Kind == partialjson.Array && !node.Done:
		rows, _ := base.([]any)
		return overlayRows(rows, node.Items)
	default:
		return node.Any()
	}
}

func overlayObject(base map[string]any, node *partialjson.Node) map[string]any {
	out := make(map[string]any, len(base)+len(node.Keys))
	maps.Copy(out, base)
	for key, member := range node.Members {
		out[key] = overlay(base[key], member)
	}
	return out
}

func overlayRows(base []any, written []*partialjson.Node) []any {
	rows := append([]any{}, base...)
	ids := make([]string, len(rows))
	for i, row := range rows {
		ids[i] = rowIdentity(row)
	}
	settled := make([]bool, len(rows)) // rows that were written already
	last := -1
	for _, node := range written {
		if !node.Done {
			break // an unfinished row is not shown
		}
		row := node.Any()
		id := rowIdentity(row)
		at := slices.Index(ids, id)
		for at >= 0 && settled[at] { // two rows of one name
			next := slices.Index(ids[at+1:], id)
			if next < 0 {
				at = -1
				break
			}
			at += 1 + next
		}
		if at < 0 {
			at = last + 1
			rows, ids = slices.Insert(rows, at, any(nil)), slices.Insert(ids, at, id)
			settled = slices.Insert(settled, at, false)
		}
		rows[at], settled[at], last = row, true, at
	}
	return rows
}

// rowIdentity returns the identity of a row of a list: its member id, key or name, or else
// the whole value.
func rowIdentity(row any) string {
	if m, ok := row.(map[string]any); ok {
		for _, key := range []string{"id", "key", "name"} {
			switch v := m[key].(type) {
			case string, json.Number:
				return fmt.Sprintf("%s=%v", key, v)
			}
		}
	}
	raw, err := jsontext.Marshal(row)
	if err != nil {
		return "" // decoded JSON always encodes
	}
	return string(raw)
}

// newRow is a row of the target state that the shown one lacks.
type newRow struct {
	path  []string // of its list
	index int
}

// growth returns the states from the shown state to the target with at most one new row
// each, without those that the schema forbids.
func (n *Notebook) growth(target map[string]any, size int) []map[string]any {
	if !n.spend(size) {
		return []map[string]any{target}
	}
	rows := newRows(nil, n.shown, target)
	if len(rows) > maxLiveRows || !n.spend(len(rows)*(1+len(rows)/rowsPerSize)*size) {
		return []map[string]any{target}
	}
	var states []map[string]any
	for k := 1; k < len(rows); k++ {
		state := target
		for i := len(rows) - 1; i >= k; i-- { // later rows first, so indices hold
			state = without(state, rows[i].path, rows[i].index)
		}
		if n.check(state) == nil {
			states = append(states, state)
		}
	}
	return append(states, target)
}

// newRows returns the rows of lists in to that from does not have, in a fixed order. It
// does not look inside rows.
func newRows(path []string, from, to any) []newRow {
	var found []newRow
	switch to := to.(type) {
	case map[string]any:
		old, _ := from.(map[string]any)
		for _, key := range slices.Sorted(maps.Keys(to)) {
			found = append(found, newRows(append(path, key), old[key], to[key])...)
		}
	case []any:
		old, _ := from.([]any)
		have := map[string]int{}
		for _, row := range old {
			have[rowIdentity(row)]++
		}
		for i, row := range to {
			id := rowIdentity(row)
			if have[id] > 0 {
				have[id]--
				continue
			}
			found = append(found, newRow{path: slices.Clone(path), index: i})
		}
	}
	return found
}

// without returns the state without one row; it copies the state along the path.
func without(state map[string]any, path []string, index int) map[string]any {
	out := maps.Clone(state)
	switch next := state[path[0]].(type) {
	case map[string]any:
		out[path[0]] = without(next, path[1:], index)
	case []any:
		out[path[0]] = slices.Delete(slices.Clone(next), index, index+1)
	}
	return out
}

func longestArray(v any) int {
	longest := 0
	switch v := v.(type) {
	case map[string]any:
		for _, e := range v {
			longest = max(longest, longestArray(e))
		}
	case []any:
		longest = len(v)
		for _, e := range v {
			longest = max(longest, longestArray(e))
		}
	}
	return longest
}
