package conversation

import (
	"fmt"
	"testing"

	"cairn/agui"
)

// TestSnapshotsOfOneIDStaySmall: a snapshot of many messages, or calls, under one id adds
// nothing when it is told again, and one that names a few costs what it names.
func TestSnapshotsOfOneIDStaySmall(t *testing.T) {
	const n = 3_000
	many := &agui.MessagesSnapshot{}
	for i := range n {
		many.Messages = append(many.Messages,
			agui.Message{ID: fmt.Sprint("u", i), Role: agui.RoleUser, Content: agui.TextContent(fmt.Sprint("question ", i))},
			agui.Message{ID: "p", Role: agui.RoleAssistant, Content: agui.TextContent(fmt.Sprint("call ", i)),
				ToolCalls: []agui.ToolCall{{ID: "call_0", Type: "function", Function: agui.Function{Name: "f", Arguments: "{}"}}}},
			agui.Message{ID: fmt.Sprint("r", i), Role: agui.RoleTool, ToolCallID: "call_0", Content: agui.TextContent(fmt.Sprint("result ", i))})
	}
	c := New()
	c.Apply(&agui.RunStarted{ThreadID: "t", RunID: "r"})
	for range 3 {
		c.Apply(many)
		if len(c.entries) != 3*n || len(c.calls) != n || len(c.History()) != 3*n {
			t.Fatalf("%d entries, %d calls, %d messages sent; want %d, %d and %d", len(c.entries), len(c.calls), len(c.History()), 3*n, n, 3*n)
		}
	}
	for i, e := range c.entries {
		if call := e.ToolCall; call != nil && call.Result != fmt.Sprint("result ", i/3) {
			t.Fatalf("entry %d has %s", i, call.Result)
		}
	}
	few := &agui.MessagesSnapshot{Messages: many.Messages[3*n-3:]}
	c.Apply(few)
	allocated := testing.AllocsPerRun(20, func() { c.Apply(few) })
	if allocated > 500 {
		t.Errorf("%.0f allocations for a snapshot of three messages", allocated)
	}
}
