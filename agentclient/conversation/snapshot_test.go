package conversation

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"cairn/agui"
)

// thread is a conversation with n activities, which stay when no snapshot names
// them, n subagents, and what n snapshots dropped.
func thread(n int) *Conversation {
	c := New()
	c.Apply(&agui.RunStarted{ThreadID: "t", RunID: "r"})
	for i := range n {
		c.Apply(&agui.ActivitySnapshot{MessageID: fmt.Sprint("a", i), ActivityType: "t", Content: json.RawMessage(`{}`)})
		c.Apply(&agui.SubagentStarted{Base: agui.Base{SubagentRunID: fmt.Sprint("s", i)}, Name: "s"})
		c.Apply(said(fmt.Sprint("m", i), "hi"))
	}
	return c
}

// said is a snapshot of one message.
func said(id, text string) agui.Event {
	return &agui.MessagesSnapshot{Messages: []agui.Message{{ID: id, Role: agui.RoleAssistant, Content: agui.TextContent(text)}}}
}

// TestSnapshotCostsWhatItNames counts the records and entries a MESSAGES_SNAPSHOT
// passes over, and what it allocates, in a small thread and in a large one.
func TestSnapshotCostsWhatItNames(t *testing.T) {
	for name, next := range map[string]func(i int) agui.Event{
		"the same again": func(int) agui.Event { return said("m", "hi") },
		"grown text":     func(i int) agui.Event { return said("m", strings.Repeat("x", i%10+1)) },
		"renamed":        func(i int) agui.Event { return said(fmt.Sprint("n", i), "hi") },
		"another":        func(i int) agui.Event { return said(fmt.Sprint("n", i), fmt.Sprint(i)) },
		"none, then one": func(i int) agui.Event {
			if i%2 == 0 {
				return &agui.MessagesSnapshot{}
			}
			return said("m", "hi")
		},
	} {
		t.Run(name, func(t *testing.T) {
			cost := func(n int) (walked int, allocated float64) {
				c := thread(n)
				c.Apply(said("m", "hi"))
				c.Apply(next(0))
				c.walked = 0
				i := 0
				allocated = testing.AllocsPerRun(100, func() { i++; c.Apply(next(i)) })
				return c.walked, allocated
			}
			walked, small := cost(10)
			walkedLarge, large := cost(2_000)
			if walked != walkedLarge || large > small+2 {
				t.Errorf("passes over %d and allocates %.0f in a small thread, over %d and %.0f in a large one", walked, small, walkedLarge, large)
			}
		})
	}
}

// TestSnapshotForgetsWhatIsGone: what earlier snapshots dropped costs later ones
// nothing, whether they drop something or not.
func TestSnapshotForgetsWhatIsGone(t *testing.T) {
	cost := func(dropped int) int {
		c := thread(5)
		for i := range dropped {
			c.Apply(said(fmt.Sprint("d", i), fmt.Sprint(i)))
		}
		c.walked = 0
		c.Apply(said("new", "new"))
		return c.walked
	}
	if few, many := cost(1), cost(1_000); few == 0 || few != many {
		t.Errorf("passes over %d after one message that went, over %d after 1000", few, many)
	}
}

// BenchmarkMessagesSnapshot takes in a snapshot of one message, the same each time
// or another, in threads of growing size.
func BenchmarkMessagesSnapshot(b *testing.B) {
	for _, n := range []int{10, 1_000, 10_000} {
		b.Run(fmt.Sprintf("same/%d", n), func(b *testing.B) {
			c := thread(n)
			for b.Loop() {
				c.Apply(said("m", "hi"))
			}
		})
		b.Run(fmt.Sprintf("other/%d", n), func(b *testing.B) {
			c := thread(n)
			i := 0
			for b.Loop() {
				i++
				c.Apply(said(fmt.Sprint("o", i), fmt.Sprint(i)))
			}
		})
	}
}

// TestSnapshotKeepsThePlaceOfResults: a result that nothing called, named by a
// snapshot, stays where it was, and so does one whose call the snapshot leaves out.
func TestSnapshotKeepsThePlaceOfResults(t *testing.T) {
	message := func(id string) agui.Message {
		return agui.Message{ID: id, Role: agui.RoleAssistant, Content: agui.TextContent(id)}
	}
	result := func(id, call string) agui.Message {
		return agui.Message{ID: id, Role: agui.RoleTool, ToolCallID: call, Content: agui.TextContent("ok")}
	}
	calling := message("a")
	calling.ToolCalls = []agui.ToolCall{{ID: "c", Type: "function", Function: agui.Function{Name: "f", Arguments: "{}"}}}
	tests := []struct {
		name         string
		first, again []agui.Message
		want         string
	}{
		{"orphan", []agui.Message{message("a"), result("r", "c"), message("b")}, []agui.Message{message("b"), result("r", "c"), message("a")}, "a r b"},
		{"orphan under another id", []agui.Message{message("a"), result("r", "c"), message("b")}, []agui.Message{message("a"), result("s", "c"), message("b")}, "a b s"},
		{"orphan that goes", []agui.Message{message("a"), result("r", "c"), message("b")}, []agui.Message{message("a"), message("b")}, "a b"},
		{"its call comes", []agui.Message{message("a"), message("b"), result("r", "c")}, []agui.Message{calling, message("b"), result("r", "c")}, "a r b"},
		{"its call goes", []agui.Message{calling, message("b"), result("r", "c")}, []agui.Message{message("a"), message("b"), result("r", "c")}, "a r b"},
		{"its message is left out", []agui.Message{message("z"), calling, message("b"), result("r", "c")}, []agui.Message{message("z"), message("b"), result("r", "c")}, "z a r b"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c := New()
			c.Apply(&agui.RunStarted{ThreadID: "t", RunID: "r"})
			for _, s := range [][]agui.Message{tt.first, tt.again, tt.again} {
				c.Apply(&agui.MessagesSnapshot{Messages: s})
			}
			var ids []string
			for _, m := range c.History() {
				ids = append(ids, m.ID)
			}
			if got := strings.Join(ids, " "); got != tt.want {
				t.Errorf("history %s, want %s", got, tt.want)
			}
		})
	}
}

// Streaming entries are not gone through for each message of a snapshot.
func TestRenamingAmongManyStreams(t *testing.T) {
	const n = 2_000
	c := New()
	c.Apply(&agui.RunStarted{ThreadID: "t", RunID: "r"})
	snapshot := &agui.MessagesSnapshot{}
	for i := range n {
		id := fmt.Sprint("m", i)
		c.Apply(&agui.TextMessageStart{MessageID: id})
		c.Apply(&agui.TextMessageContent{MessageID: id, Delta: fmt.Sprint("text ", i, ".")})
		snapshot.Messages = append(snapshot.Messages, agui.Message{ID: fmt.Sprint("s", i), Role: agui.RoleAssistant, Content: agui.TextContent(fmt.Sprint("other ", i))})
	}
	last := &snapshot.Messages[n-1]
	last.Content = agui.TextContent(fmt.Sprint("text ", n-1, ". And on."))
	c.walked = 0
	c.Apply(snapshot)
	if c.walked > 50*n {
		t.Errorf("%d messages and entries for a snapshot of %d", c.walked, n)
	}
	if key := c.byID[last.ID].entry.Key; key != n {
		t.Errorf("the last stream went on as entry %d", key)
	}
}

// TestManyChangeTheirRole: a snapshot by which all messages are another's costs what
// it names; and one that says two things of one message leaves it listed once.
func TestManyChangeTheirRole(t *testing.T) {
	const n = 2_000
	snapshot := func(roles ...agui.Role) *agui.MessagesSnapshot {
		e := &agui.MessagesSnapshot{}
		for _, role := range roles {
			for i := range n {
				e.Messages = append(e.Messages, agui.Message{ID: fmt.Sprint(i), Role: role, Content: agui.TextContent("x")})
			}
		}
		return e
	}
	c := New()
	c.Apply(&agui.RunStarted{ThreadID: "t", RunID: "r"})
	c.Apply(snapshot(agui.RoleAssistant))
	c.walked = 0
	for _, as := range [][]agui.Role{{agui.RoleSystem}, {agui.RoleDeveloper, agui.RoleSystem}, {agui.RoleAssistant}} {
		c.Apply(snapshot(as...))
		role := as[len(as)-1]
		before := c.walked
		for _, of := range roles {
			if all, want := c.members(group{role: of}), map[bool]int{true: n}[of == role]; len(all) != want {
				t.Errorf("as %s: %d are listed as %s, want %d", role, len(all), of, want)
			}
		}
		c.walked = before
	}
	if c.walked > 40*n {
		t.Errorf("%d messages were passed over in three snapshots of %d", c.walked, n)
	}
}
