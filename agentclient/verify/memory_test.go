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

// TestWhatGoesOnIsNotLookedUp: a delta of the message that had the last one needs
// no map, which would be empty here, and no memory.
func TestWhatGoesOnIsNotLookedUp(t *testing.T) {
	text, a, b := "x", "a", "b"
	for name, events := range map[string][]agui.Event{
		"explicit": {&agui.RunStarted{}, &agui.TextMessageStart{MessageID: a}, &agui.TextMessageStart{MessageID: b},
			&agui.TextMessageContent{MessageID: a, Delta: text}},
		"chunked": {&agui.RunStarted{}, &agui.TextMessageChunk{MessageID: &a}, &agui.TextMessageChunk{MessageID: &b, Base: agui.Base{SubagentRunID: "s"}},
			&agui.TextMessageChunk{MessageID: &a, Delta: &text}},
	} {
		v := New(Lenient)
		for _, ev := range events {
			v.Feed(ev)
		}
		clear(v.order.ids[anyMessage])
		clear(v.open.inLane)
		clear(v.open.ofKind[textStream].byID)
		last := events[len(events)-1]
		allocated := testing.AllocsPerRun(100, func() {
			if out, broken := v.Feed(last); len(out) != 1 || len(broken) > 0 {
				t.Fatalf("%s: %v %v", name, out, broken)
			}
		})
		if expanded := map[string]float64{"explicit": 0, "chunked": 1}; allocated > expanded[name] { // a chunk makes an event
			t.Errorf("%s: %v allocations", name, allocated)
		}
	}
}

// TestFinishedStepsAreForgotten: a run may have any number of them, one after the
// other.
func TestFinishedStepsAreForgotten(t *testing.T) {
	v := New(Strict)
	v.Feed(&agui.RunStarted{})
	v.Feed(&agui.StepStarted{StepName: "a"})
	v.Feed(&agui.StepFinished{StepName: "a"})
	if len(v.order.steps) > 0 || len(v.order.named) > 0 {
		t.Errorf("%v %v", v.order.steps, v.order.named)
	}
}
