package conversation_test

import (
	"encoding/json"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"cairn/agentclient/conversation"
	"cairn/agui"
)

// TestCostDoesNotGrow compares what 1000 events allocate in a small and in a
// large conversation. Bytes, unlike time, come out the same on a busy machine.
func TestCostDoesNotGrow(t *testing.T) {
	content := &agui.TextMessageContent{MessageID: "m", Delta: "word "}
	patch := &agui.StateDelta{Delta: json.RawMessage(`[{"op":"replace","path":"/k1/qty","value":2}]`)}
	item := &agui.StateDelta{Delta: json.RawMessage(`[{"op":"replace","path":"/items/3/qty","value":2}]`)}
	items := func(c *conversation.Conversation, n int) {
		all := make([]map[string]any, n)
		for i := range all {
			all[i] = map[string]any{"qty": 1, "name": "tent"}
		}
		snapshot, _ := json.Marshal(map[string]any{"items": all, "deep": map[string]any{"items": all}})
		c.Apply(&agui.StateSnapshot{Snapshot: snapshot})
	}
	delta := func(ops string) agui.Event { return &agui.StateDelta{Delta: json.RawMessage(ops)} }
	tests := []struct {
		name  string
		grow  func(c *conversation.Conversation, n int)
		event agui.Event
	}{
		{"thread", func(c *conversation.Conversation, n int) {
			for i := range n {
				c.AddMessage(agui.Message{ID: fmt.Sprint(i), Role: agui.RoleUser, Content: agui.TextContent("hi")})
			}
		}, content},
		{"message", func(c *conversation.Conversation, n int) {
			c.Apply(&agui.TextMessageContent{MessageID: "m", Delta: strings.Repeat("x", 100*n)})
		}, content},
		{"state", func(c *conversation.Conversation, n int) {
			members := map[string]any{}
			for i := range n {
				members[fmt.Sprint("k", i)] = map[string]any{"qty": 1}
			}
			snapshot, _ := json.Marshal(members)
			c.Apply(&agui.StateSnapshot{Snapshot: snapshot})
		}, patch},
		{"an item's member", items, item},
		{"an item's text, deep", items, delta(`[{"op":"replace","path":"/deep/items/3/name","value":"hut"}]`)},
		{"an item", items, delta(`[{"op":"replace","path":"/deep/items/3","value":{"qty":3}}]`)},
		{"add at the end", items, delta(`[{"op":"add","path":"/deep/items/-","value":{"qty":3}}]`)},
		{"add and take back", items, delta(`[{"op":"add","path":"/items/9","value":{"qty":3}},{"op":"test","path":"/items/9/qty","value":3.0},{"op":"remove","path":"/items/9"}]`)},
		{"move within", items, delta(`[{"op":"move","from":"/items/3","path":"/deep/items/3"},{"op":"move","from":"/deep/items/3","path":"/items/3"}]`)},
		{"an activity", func(c *conversation.Conversation, n int) {
			content, _ := json.Marshal(map[string]any{"items": make([]map[string]any, n)})
			c.Apply(&agui.ActivitySnapshot{MessageID: "a", ActivityType: "t", Content: content})
		}, &agui.ActivityDelta{MessageID: "a", ActivityType: "t", Patch: json.RawMessage(`[{"op":"replace","path":"/items/3","value":{"qty":2}}]`)}},
		{"copy an item", items, delta(`[{"op":"copy","from":"/items/3","path":"/deep/items/-"}]`)},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			cost := func(n int) uint64 {
				c := conversation.New()
				c.Apply(&agui.RunStarted{ThreadID: "t", RunID: "r"})
				c.Apply(&agui.TextMessageStart{MessageID: "m"})
				tt.grow(c, n)
				for range 100 { // growing the buffer once is not what is measured
					c.Apply(tt.event)
				}
				var before, after runtime.MemStats
				runtime.ReadMemStats(&before)
				for range 1000 {
					c.Apply(tt.event)
				}
				runtime.ReadMemStats(&after)
				if c.NoteCount() > 0 {
					t.Fatal(c.Notes())
				}
				return after.TotalAlloc - before.TotalAlloc
			}
			small, large := cost(10), cost(10_000)
			if large > 2*small+64<<10 {
				t.Errorf("1000 events allocate %d bytes when small, %d when large", small, large)
			}
		})
	}
}
