package demos

import (
	"bytes"
	"encoding/json"
	"fmt"

	"cairn/agentclient/interrupt"
	"cairn/components"
)

// Unworded are the words for a request that a demo has none for.
func Unworded() Approval {
	return Approval{Title: "Approval required", Approved: "Approved", Declined: "Declined", Hint: "Nothing is done until you approve."}
}

// about reports that a request may be for the tool: what another one is given can look
// the same.
func about(p interrupt.Pending, tool string) bool { return p.ToolName == "" || p.ToolName == tool }

// Complete gives the demo with everything it leaves out: a panel that shows the
// state as a tree, a question in its own members with the form its agent asks for, and
// an outcome that claims nothing. A question that a demo with words has none for gets
// these too: what the demo says is about another.
func (d Demo) Complete() Demo {
	if d.NewPanel == nil {
		d.NewPanel = func() Panel { return new(treePanel) }
	}
	words, judge := d.Approval, d.Outcome
	wordless := words == nil
	if wordless {
		words = func(interrupt.Pending) Approval { return Approval{} }
	}
	d.Approval = func(p interrupt.Pending) Approval {
		if a := words(p); a.Title != "" {
			return a
		}
		return Unworded()
	}
	d.Outcome = func(approved bool, e Evidence) (string, bool) {
		switch {
		case judge != nil && (wordless || words(e.Asked).Title != ""):
			return judge(approved, e)
		case approved:
			return "This page cannot tell whether it was done.", false
		}
		return "This page cannot tell whether something was done.", false
	}
	if d.ToolSummary == nil {
		d.ToolSummary = func(_, _, _ string) string { return "" }
	}
	return d
}

// What a tree shows of a state, which is the agent's and may be of any size.
const (
	treeNodes = 200
	treeDepth = 6
	treeText  = 200 // bytes of one value
)

// treePanel shows any state. It holds nothing back: what half-written forms of it
// mean, only a demo can know.
type treePanel struct{ state json.RawMessage }

// Update implements Panel.
func (p *treePanel) Update(s Shared) { p.state = s.State }

// View implements Panel.
func (p *treePanel) View() components.Panel {
	left := treeNodes
	tree := components.StateTree{Empty: "Nothing yet. What the agent keeps for both of you appears here."}
	tree.Nodes = nodes(p.state, treeDepth, &left)
	tree.Cut = left == 0
	v := components.Panel{Heading: "Shared state", Summary: "No shared state yet", TestID: "state-tree", Body: components.StateTreeView(tree)}
	switch n := len(tree.Nodes); {
	case n == 1:
		v.Summary = "Shared state · " + tree.Nodes[0].Name
	case n > 1:
		v.Summary = fmt.Sprintf("Shared state · %d members", n)
	}
	return v
}

// nodes are the members of an object or the elements of an array, in their order.
// left counts down what may still be shown.
func nodes(raw json.RawMessage, depth int, left *int) (all []components.StateNode) {
	dec := json.NewDecoder(bytes.NewReader(raw))
	open, err := dec.Token()
	if err != nil || open != json.Delim('{') && open != json.Delim('[') {
		return nil
	}
	for i := 1; dec.More() && *left > 0; i++ {
		name := fmt.Sprint(i)
		if open == json.Delim('{') {
			key, err := dec.Token()
			if err != nil {
				return all
			}
			name, _ = key.(string)
		}
		var value json.RawMessage
		if dec.Decode(&value) != nil {
			return all
		}
		*left--
		n := components.StateNode{Name: clipTo(name, treeText)}
		if depth > 1 {
			n.Nodes = nodes(value, depth-1, left)
		}
		if len(n.Nodes) == 0 {
			n.Value = clipTo(scalar(value), treeText)
		}
		all = append(all, n)
	}
	return all
}

// scalar is a value as a person writes it.
func scalar(value json.RawMessage) string {
	var text string
	if json.Unmarshal(value, &text) == nil && string(value) != "null" {
		return text
	}
	return string(value)
}
