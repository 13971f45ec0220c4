package conversation

import (
	"encoding/json"
	"fmt"
	"testing"

	"cairn/agui"
)

// TestSmallSnapshotsBesideMuch: what a snapshot leaves alone costs it nothing: the
// messages, calls and results of subagents, reasoning, activities that it does not speak
// for, and what the user wrote.
func TestSmallSnapshotsBesideMuch(t *testing.T) {
	grow := func(n int) *Conversation {
		c := New()
		c.Apply(&agui.RunStarted{})
		for i := range n {
			id, tag := fmt.Sprint(i), agui.Base{SubagentRunID: fmt.Sprint("s", i%3)}
			c.Apply(&agui.TextMessageStart{Base: tag, MessageID: "m" + id})
			c.Apply(&agui.TextMessageContent{Base: tag, MessageID: "m" + id, Delta: "text"})
			c.Apply(&agui.ToolCallStart{Base: tag, ToolCallID: "c" + id, ToolCallName: "f", ParentMessageID: "m" + id})
			c.Apply(&agui.ToolCallResult{Base: tag, ToolCallID: "c" + id, MessageID: "r" + id, Content: agui.TextContent("ok")})
			c.Apply(&agui.ToolCallResult{Base: tag, ToolCallID: "o" + id, MessageID: "p" + id, Content: agui.TextContent("ok")})
			c.Apply(&agui.ReasoningMessageStart{MessageID: "t" + id})
			c.Apply(&agui.ReasoningMessageContent{MessageID: "t" + id, Delta: "hm"})
			c.Apply(&agui.ActivitySnapshot{MessageID: "a" + id, ActivityType: fmt.Sprint("type", i%5), Content: json.RawMessage(`{}`)})
			c.AddMessage(agui.Message{ID: "u" + id, Role: agui.RoleUser, Content: agui.TextContent("text " + id)})
		}
		return c
	}
	one := func(i int, role agui.Role, more ...agui.Message) *agui.MessagesSnapshot {
		return &agui.MessagesSnapshot{Messages: append(more, agui.Message{ID: "x", Role: role, Content: agui.TextContent(fmt.Sprint(i))})}
	}
	for name, next := range map[string]func(i int) agui.Event{
		"another text": func(i int) agui.Event { return one(i, agui.RoleAssistant) },
		"another id": func(i int) agui.Event {
			return one(i, agui.RoleAssistant, agui.Message{ID: fmt.Sprint("y", i), Role: agui.RoleUser, Content: agui.TextContent("text 7")})
		},
		"another role": func(i int) agui.Event { return one(i, []agui.Role{agui.RoleAssistant, agui.RoleSystem}[i%2]) },
		"a role that stays": func(i int) agui.Event {
			if i%2 == 0 {
				return &agui.ReasoningMessageStart{MessageID: "x"}
			}
			return one(i, agui.RoleAssistant)
		},
		"an activity of its own": func(i int) agui.Event {
			e := one(i, agui.RoleAssistant)
			e.Metadata = map[string]json.RawMessage{"@ag-ui/client": json.RawMessage(`{"authoritativeActivityTypes":["other"]}`)}
			return e
		},
		"a result without its call": func(i int) agui.Event {
			m := agui.Message{ID: "h", Role: agui.RoleAssistant, Content: agui.TextContent("x")}
			if i%2 == 0 {
				m.ToolCalls = []agui.ToolCall{{ID: "d", Type: "function", Function: agui.Function{Name: "f", Arguments: "{}"}}}
			}
			return one(i, agui.RoleAssistant, m, agui.Message{ID: "q", Role: agui.RoleTool, ToolCallID: "d", Content: agui.TextContent("ok")})
		},
	} {
		t.Run(name, func(t *testing.T) {
			cost := func(n int) int {
				c := grow(n)
				for i := range 10 {
					c.Apply(next(i))
				}
				c.walked, c.credit = 0, -1<<40 // the page is not put in order
				for i := range 100 {
					c.Apply(next(i))
				}
				if len(c.History()) < n {
					t.Fatalf("%d messages are left", len(c.History()))
				}
				return c.walked
			}
			if small, large := cost(20), cost(1_000); large > small+200 {
				t.Errorf("100 snapshots pass over %d records and entries beside little, %d beside much", small, large)
			}
		})
	}
}

// TestOrderingIsBounded: snapshots of a hundred bytes cannot put a large page in order
// again each time; what they bring is there all the same.
func TestOrderingIsBounded(t *testing.T) {
	c := New()
	c.Apply(&agui.RunStarted{})
	c.Apply(&agui.MessagesSnapshot{Messages: []agui.Message{{ID: "m", Role: agui.RoleAssistant, Content: agui.TextContent("x")}}})
	const n, snapshots = 5_000, 2_000
	for range n {
		c.Mark("mark")
	}
	c.walked = 0
	for i := range snapshots {
		c.Apply(&agui.MessagesSnapshot{Messages: []agui.Message{{ID: "m", Role: agui.RoleAssistant, Content: agui.TextContent("x"),
			ToolCalls: []agui.ToolCall{{ID: fmt.Sprint("c", i), Type: "function", Function: agui.Function{Name: "f", Arguments: "{}"}}}}}})
	}
	if most := 2 * creditEach * (n + 3*snapshots); c.walked > most {
		t.Errorf("%d records and entries were passed over, at most %d are due", c.walked, most)
	}
	if len(c.entries) != n+1+snapshots { // none is taken off the page
		t.Errorf("%d entries", len(c.entries))
	}
}

// TestResultsFindTheirCallsLate: results of unknown calls, whose calls come later, one by
// one from the first.
func TestResultsFindTheirCallsLate(t *testing.T) {
	c := New()
	c.Apply(&agui.RunStarted{})
	const n = 30_000
	for i := range n {
		c.Apply(&agui.ToolCallResult{ToolCallID: fmt.Sprint("c", i), MessageID: fmt.Sprint("r", i), Content: agui.TextContent("ok")})
	}
	for i := range n {
		c.Apply(&agui.ToolCallStart{ToolCallID: fmt.Sprint("c", i), ToolCallName: "f"})
	}
	h := c.History()
	if len(h) != 2*n || c.list.n != n || h[1].ID != "r0" || h[2*n-1].ID != fmt.Sprint("r", n-1) {
		t.Errorf("%d messages, %d in order", len(h), c.list.n)
	}
}

// TestSubagentsNestWithinBounds: a chain of 10,000 subagents is no timeline as deep.
func TestSubagentsNestWithinBounds(t *testing.T) {
	c := New()
	c.Apply(&agui.RunStarted{})
	const n = 10_000
	for i := range n {
		c.Apply(&agui.SubagentStarted{Base: agui.Base{SubagentRunID: fmt.Sprint("s", i)}, Name: "s",
			ParentSubagentRunID: fmt.Sprint("s", i-1), ParentToolCallID: fmt.Sprint("c", i)})
		c.Apply(&agui.TextMessageStart{Base: agui.Base{SubagentRunID: fmt.Sprint("s", i)}, MessageID: fmt.Sprint("m", i)})
		c.Apply(&agui.TextMessageContent{Base: agui.Base{SubagentRunID: fmt.Sprint("s", i)}, MessageID: fmt.Sprint("m", i), Delta: "x"})
	}
	var walk func(entries []*Entry, depth int) (subagents, deepest int)
	walk = func(entries []*Entry, depth int) (subagents, deepest int) {
		deepest = depth
		for _, e := range entries {
			if e.Subagent != nil {
				below, deep := walk(e.Subagent.Entries, depth+1)
				subagents, deepest = subagents+1+below, max(deepest, deep)
			}
		}
		return subagents, deepest
	}
	if subagents, deepest := walk(c.Entries(), 0); subagents != n || deepest > maxNesting || deepest < maxNesting/2 {
		t.Errorf("%d subagents, %d deep", subagents, deepest)
	}
	if subagents, _ := walk(c.Snapshot().Entries, 0); subagents != n {
		t.Errorf("%d subagents in a snapshot", subagents)
	}
	for _, call := range []string{"c0", "c9999"} {
		if !c.Delegated(call) {
			t.Errorf("%s is not delegated", call)
		}
	}
	c.Apply(&agui.RunFinished{})
	c.Apply(&agui.RunStarted{})
	c.Apply(&agui.SubagentStarted{Base: agui.Base{SubagentRunID: "s0"}, Name: "s", ParentToolCallID: "d"})
	if c.Delegated("c0") || !c.Delegated("d") || c.Delegated("") {
		t.Error("a subagent that began again stands for its first call")
	}
}
