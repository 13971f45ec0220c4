package demos

import (
	"fmt"
	"strconv"
	"strings"

	"cairn/agentclient/jsonpatch"
	"cairn/components"
)

// Bounds of what a tree shows of a state, which is the agent's and may be of any size.
const (
	treeNodes = 200
	treeDepth = 6
	treeText  = 200 // bytes of one value, and of one name
)

// treePanel shows any state. It holds nothing back: what half-written forms of it
// mean, only a demo can know.
type treePanel struct {
	top branch
	cut bool
}

// Update implements Panel.
func (p *treePanel) Update(s Shared) {
	left := budget{treeNodes, maxPanel}
	p.top.update(s.State, treeDepth, &left)
	p.cut = left.nodes == 0 || left.text == 0
}

// View implements Panel.
func (p *treePanel) View() components.Panel {
	tree := components.StateTree{
		Empty: "Nothing yet. What the agent keeps for both of you appears here.",
		Nodes: p.top.nodes(), Cut: p.cut,
	}
	v := components.Panel{Heading: "Shared state", Summary: "No shared state yet", TestID: "state-tree", Body: components.StateTreeView(tree)}
	switch n := len(tree.Nodes); {
	case n == 1:
		v.Summary = "Shared state · " + tree.Nodes[0].Name
	case n > 1:
		v.Summary = fmt.Sprintf("Shared state · %d members", n)
	}
	return v
}

// budget is what may still be shown: nodes, and bytes of text.
type budget struct{ nodes, text int }

// branch is a value as it is shown, and what is below it.
type branch struct {
	seen       jsonpatch.Revision
	name, text string
	below      []branch
	used       budget
	whole      bool // nothing is left out for want of a budget
}

// update reads the value again if it has changed, and of what is below it what has.
func (b *branch) update(v jsonpatch.Value, depth int, left *budget) {
	now := v.Revision()
	if b.whole && now == b.seen && b.used.nodes < left.nodes && b.used.text < left.text {
		left.nodes, left.text = left.nodes-b.used.nodes, left.text-b.used.text
		return
	}
	b.seen, b.text = now, ""
	before, n := *left, 0
	if depth > 0 {
		list := v.Kind() == jsonpatch.KindArray
		for name, member := range v.All() {
			if left.nodes == 0 || left.text == 0 {
				break
			}
			if name = clipTo(name, treeText); list {
				name = strconv.Itoa(n + 1)
			}
			if n == len(b.below) {
				b.below = append(b.below, branch{})
			}
			left.nodes--
			left.text = max(0, left.text-len(name))
			b.below[n].name = name
			b.below[n].update(member, depth-1, left)
			n++
		}
	}
	b.below = b.below[:n]
	if n == 0 {
		b.text = scalar(v)
		left.text = max(0, left.text-len(b.text))
	}
	b.used = budget{before.nodes - left.nodes, before.text - left.text}
	b.whole = left.nodes > 0 && left.text > 0
}

// nodes are the members of an object or the items of an array, in their order.
func (b *branch) nodes() []components.StateNode {
	var all []components.StateNode
	for i := range b.below {
		n := &b.below[i]
		all = append(all, components.StateNode{Name: n.name, Value: n.text, Nodes: n.nodes()})
	}
	return all
}

// scalar is the beginning of a value as a person writes it.
func scalar(v jsonpatch.Value) string {
	if v.Kind() == jsonpatch.KindString {
		return textOf(v, treeText)
	}
	raw, whole := v.JSON(treeText)
	if whole {
		return string(raw)
	}
	return strings.ToValidUTF8(string(raw), "") + "…"
}
