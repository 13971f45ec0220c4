package verify

import (
	"fmt"
	"testing"

	"cairn/agui"
)

// TestNoSearchThroughLanes counts the streams that are looked at for each event:
// the same whether a hundred are open or many more, and in closing them all each
// is looked at once.
func TestNoSearchThroughLanes(t *testing.T) {
	few, many := visits(t, 100), visits(t, 5_000)
	if few != many {
		t.Errorf("1100 events looked at %d streams with 100 open, at %d with 5000", few, many)
	}
}

func visits(t *testing.T, lanes int) int {
	text := "x"
	chunk := func(id, tag string) agui.Event {
		c := &agui.TextMessageChunk{Delta: &text}
		if c.SubagentRunID = tag; id != "" {
			c.MessageID = &id
		}
		return c
	}
	v := New(Lenient)
	v.Feed(&agui.RunStarted{})
	for i := range lanes {
		v.Feed(chunk(fmt.Sprint("m", i), fmt.Sprint("s", i)))
	}
	before := v.open.visits
	for i := range 100 {
		at := i * lanes / 100
		id, tag := fmt.Sprint("m", at), fmt.Sprint("s", at)
		tool, name := "c"+id, "f"
		call := &agui.ToolCallChunk{ToolCallID: &tool, ToolCallName: &name}
		call.SubagentRunID = tag
		custom := &agui.Custom{}
		custom.SubagentRunID = tag
		for _, ev := range []agui.Event{
			chunk(id, tag), chunk(id, ""), chunk("", tag), chunk("", ""), // one goes on, the last is ambiguous
			custom, custom, chunk(id, tag), // closed, nothing to close, opened again
			call, &agui.ToolCallChunk{Delta: &text}, chunk(id, tag), // another kind, the only one of it
			&agui.StateDelta{}, // of the parent, which has none open
		} {
			v.Feed(ev)
		}
	}
	during := v.open.visits - before
	v.Feed(&agui.RunFinished{})
	if closing := v.open.visits - before - during; closing != lanes || len(v.open.inLane) > 0 {
		t.Errorf("closing %d streams looked at %d and left %d", lanes, closing, len(v.open.inLane))
	}
	return during
}
