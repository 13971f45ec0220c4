package demos

import (
	"slices"

	"cairn/agentclient/conversation"
	"cairn/agentclient/interrupt"
)

// Unworded are the words for a request that a demo has none for.
func Unworded() Approval {
	return Approval{Title: "Approval required", Approved: "Approved", Declined: "Declined", Hint: "Nothing is done until you approve."}
}

// about reports whether a request may be for the tool: what another one is given can look
// the same.
func about(p interrupt.Pending, tool string) bool { return p.ToolName == "" || p.ToolName == tool }

// Complete returns the demo with everything it leaves out: a panel that shows the
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
		if approved && slices.ContainsFunc(e.Results, conversation.SaysFailed) {
			e.Results, e.State = nil, nil // a tool that failed confirms nothing
		}
		switch {
		case judge != nil && (wordless || words(e.Asked).Title != ""):
			return judge(approved, e)
		case approved:
			return "The agent did not confirm this. Check before you try again.", false
		}
		return "The agent did not confirm whether something was done. Check before you try again.", false
	}
	if d.ToolSummary == nil {
		d.ToolSummary = func(_, _, _ string) string { return "" }
	}
	return d
}
