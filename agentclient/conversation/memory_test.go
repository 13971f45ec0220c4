package conversation_test

import (
	"encoding/json"
	"fmt"
	"runtime"
	"testing"

	"cairn/agentclient/conversation"
	"cairn/agui"
)

func content(id string) *agui.TextMessageContent {
	return &agui.TextMessageContent{Base: agui.Base{Type: agui.TypeTextMessageContent}, MessageID: id, Delta: "word "}
}

// A text delta allocates nothing but what the text needs to grow, explicit or as
// a chunk.
func TestAllocationsOfADelta(t *testing.T) {
	id, delta := "k", "word "
	for name, ev := range map[string]agui.Event{
		"content": content("m"), "chunk": &agui.TextMessageChunk{MessageID: &id, Delta: &delta},
	} {
		c := conversation.New()
		apply(t, c, started+`{"type":"TEXT_MESSAGE_START","messageId":"m"}`)
		if n := testing.AllocsPerRun(10_000, func() { c.Apply(ev) }); n > 2 {
			t.Errorf("%s: %v allocations", name, n)
		}
		if c.NoteCount() > 0 {
			t.Fatal(c.Notes())
		}
	}
}

// TestMemory holds a conversation of 20,000 events to four times its text and state.
func TestMemory(t *testing.T) {
	tests := map[string]func(c *conversation.Conversation) (size int){
		"one message of 20,000 deltas": func(c *conversation.Conversation) (size int) {
			c.Apply(&agui.TextMessageStart{MessageID: "m"})
			for range 20_000 {
				c.Apply(content("m"))
				size += 5
			}
			c.Apply(&agui.TextMessageEnd{MessageID: "m"})
			return size
		},
		"200 messages of 100 deltas, and state": func(c *conversation.Conversation) (size int) {
			items := make([]string, 2000)
			for i := range items {
				items[i] = "an item of some length"
			}
			snapshot, _ := json.Marshal(map[string]any{"items": items})
			c.Apply(&agui.StateSnapshot{Snapshot: snapshot})
			size = len(snapshot)
			for m := range 200 {
				id := fmt.Sprint("m", m)
				c.Apply(&agui.TextMessageStart{MessageID: id})
				for range 100 {
					c.Apply(content(id))
					size += 5
				}
				c.Apply(&agui.TextMessageEnd{MessageID: id})
				c.Apply(&agui.StateDelta{Delta: json.RawMessage(`[{"op":"replace","path":"/items/7","value":"an item of some length"}]`)})
			}
			return size
		},
	}
	for name, grow := range tests {
		t.Run(name, func(t *testing.T) {
			before := heap()
			c := conversation.New()
			c.Apply(&agui.RunStarted{ThreadID: "t", RunID: "r"})
			size := grow(c)
			c.Apply(&agui.RunFinished{ThreadID: "t", RunID: "r"})
			held := heap() - before
			if held > int64(4*size) {
				t.Errorf("%d bytes for %d of text and state", held, size)
			}
			t.Logf("%.1f times the text and state", float64(held)/float64(size))
			if c.NoteCount() > 0 {
				t.Fatal(c.Notes())
			}
			runtime.KeepAlive(c)
		})
	}
}

func heap() int64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}
