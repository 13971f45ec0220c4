package demos

import (
	"strings"
	"testing"

	"cairn/components"
)

// count returns the nodes of a tree and how deep it is.
func count(all []components.StateNode) (n, depth int) {
	for _, node := range all {
		below, deep := count(node.Nodes)
		n, depth = n+1+below, max(depth, deep+1)
	}
	return n, depth
}

// tree is a state's tree.
func tree(state string) []components.StateNode {
	var p treePanel
	p.Update(Shared{State: parsed(state)})
	return p.top.nodes()
}

// TestTreeOfAnyState: a state of any size and shape is shown within bounds, and in
// the order the agent wrote it.
func TestTreeOfAnyState(t *testing.T) {
	for name, tc := range map[string]struct {
		state        string
		nodes, depth int
		first        string
	}{
		"members in order": {`{"b":1,"a":{"c":"x"}}`, 3, 2, "b"},
		"an array":         {`[{"k":null},"v"]`, 3, 2, "1"},
		"a scalar":         {`"text"`, 0, 0, ""},
		"nothing":          {``, 0, 0, ""},
		"not JSON":         {`{"a":1,`, 0, 0, ""},
		"deep":             {strings.Repeat(`[`, 9_999) + strings.Repeat(`]`, 9_999), treeDepth, treeDepth, "1"},
		"too deep":         {strings.Repeat(`{"a":`, 50) + "1" + strings.Repeat("}", 50), treeDepth, treeDepth, "a"},
		"too many":         {`[` + strings.Repeat("1,", 5000) + `1]`, treeNodes, 1, "1"},
		"many below":       {`{"a":[` + strings.Repeat("1,", 5000) + `1],"b":2}`, treeNodes, 2, "a"},
	} {
		all := tree(tc.state)
		n, depth := count(all)
		if n != tc.nodes || depth != tc.depth || n > 0 && all[0].Name != tc.first {
			t.Errorf("%s: %d nodes, %d deep, %+v", name, n, depth, all[:min(len(all), 1)])
		}
	}
	long := tree(`{"` + strings.Repeat("k", 1000) + `":"` + strings.Repeat("ü", 1000) + `"}`)
	if len(long[0].Name) > treeText+3 || len(long[0].Value) > treeText+3 {
		t.Errorf("%d bytes of name, %d of value", len(long[0].Name), len(long[0].Value))
	}
}

// TestTreePanel: the panel follows the state, also in the middle of a run.
func TestTreePanel(t *testing.T) {
	p := Demo{}.Complete().NewPanel()
	if v := p.View(); v.Summary != "No shared state yet" {
		t.Errorf("empty: %q", v.Summary)
	}
	p.Update(Shared{State: parsed(`{"list":["tent"]}`), Running: true})
	if v := p.View(); v.Summary != "Shared state · list" {
		t.Errorf("one: %q", v.Summary)
	}
	p.Update(Shared{State: parsed(`{"list":[],"title":"x"}`)})
	if v := p.View(); v.Summary != "Shared state · 2 members" {
		t.Errorf("two: %q", v.Summary)
	}
}
