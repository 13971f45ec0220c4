package memory

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/wI2L/jsondiff"

	"cairn/internal/jsontext"
)

const (
	// liveWork is the most bytes of states that a run compares, in all, to show updates
	// row by row and while they are written. After that the client receives an update
	// when it is whole, by its top-level members. A long list takes some megabytes.
	liveWork = 16 << 20
	// rowsPerSize is how many rows can be compared with all others for the price of
	// checking them once.
	rowsPerSize = 16
	// maxPaths is the most bytes of the paths in one patch.
	maxPaths = 1 << 20
)

// spend takes bytes from the run's budget and reports whether it had them.
func (n *Notebook) spend(size int) bool {
	if size > liveWork-n.work {
		n.work = liveWork
		return false
	}
	n.work += size
	return true
}

// diff returns the RFC 6902 patch between two states of the given size, nil when they are
// equal, and reports whether the run had budget for it.
func (n *Notebook) diff(from, to map[string]any, size int) (patch json.RawMessage, ok bool, err error) {
	if reflect.DeepEqual(from, to) {
		return nil, true, nil
	}
	room := maxPaths
	if !n.spend(size) || !pathsFit(&room, 0, from) || !pathsFit(&room, 0, to) || !n.spend(maxPaths-room) {
		return nil, false, nil
	}
	rows := max(longestArray(from), longestArray(to))
	var opts []jsondiff.Option
	if rows <= maxLiveRows && n.spend(size*rows/rowsPerSize) { // the shortest patch costs rows × rows
		opts = append(opts, jsondiff.LCS())
	}
	ops, err := jsondiff.CompareWithoutMarshal(from, to, opts...)
	if err != nil {
		return nil, false, fmt.Errorf("memory patch: %w", err)
	}
	if len(ops) == 0 {
		return nil, true, nil
	}
	patch, err = json.Marshal(ops)
	return patch, true, err
}

// pathsFit reports whether the paths to all values within v, which itself has a path
// of length at, have less than room bytes together. A long name counts for each value
// below it.
func pathsFit(room *int, at int, v any) bool {
	if *room -= at; *room < 0 {
		return false
	}
	switch v := v.(type) {
	case map[string]any:
		for name, member := range v {
			if !pathsFit(room, at+1+len(name), member) {
				return false
			}
		}
	case []any:
		for i, row := range v {
			if !pathsFit(room, at+1+len(strconv.Itoa(i)), row) {
				return false
			}
		}
	}
	return true
}

// operation is one of RFC 6902; Value is nil for remove alone.
type operation struct {
	Op    string          `json:"op"`
	Path  string          `json:"path"`
	Value json.RawMessage `json:"value,omitempty"`
}

var pointer = strings.NewReplacer("~", "~0", "/", "~1")

// memberPatch replaces the top-level members that differ. Its cost is linear.
func memberPatch(from, to map[string]any) (json.RawMessage, error) {
	var patch []operation
	for _, name := range slices.Sorted(maps.Keys(from)) {
		if _, stays := to[name]; !stays {
			patch = append(patch, operation{Op: "remove", Path: "/" + pointer.Replace(name)})
		}
	}
	for _, name := range slices.Sorted(maps.Keys(to)) {
		old, known := from[name]
		if known && reflect.DeepEqual(old, to[name]) {
			continue
		}
		raw, err := jsontext.Marshal(to[name])
		if err != nil {
			return nil, fmt.Errorf("memory patch: %w", err)
		}
		patch = append(patch, operation{"add", "/" + pointer.Replace(name), raw})
	}
	return jsontext.Marshal(patch)
}
