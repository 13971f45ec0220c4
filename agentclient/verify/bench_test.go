package verify_test

import (
	"fmt"
	"testing"

	"cairn/agentclient/verify"
	"cairn/agui"
)

// BenchmarkManyLanes feeds one more event to a verifier with that many chunked
// streams open, each of a subagent's own. The figures within a group grow by
// no more than what larger maps cost in cache misses, up to twice from 100 lanes
// to 20,000; the same number of lanes is used in each.
func BenchmarkManyLanes(b *testing.B) {
	const used = 100
	groups := []struct {
		name   string
		events func(i int) []agui.Event
	}{
		{"by id", func(i int) []agui.Event { return []agui.Event{chunk(id("m", i), "")} }},
		{"by tag", func(i int) []agui.Event { return []agui.Event{chunk("", id("s", i))} }},
		{"by neither", func(int) []agui.Event { return []agui.Event{chunk("", "")} }},
		{"closed and opened", func(i int) []agui.Event {
			custom := &agui.Custom{Name: "x"}
			custom.SubagentRunID = id("s", i)
			return []agui.Event{custom, chunk(id("m", i), id("s", i))}
		}},
		{"no such step", func(i int) []agui.Event { return []agui.Event{&agui.StepFinished{StepName: id("m", i)}} }},
	}
	for _, g := range groups {
		for _, n := range []int{100, 1_000, 20_000} {
			b.Run(fmt.Sprintf("%s/%d lanes", g.name, n), func(b *testing.B) {
				v := withLanes(n)
				var events []agui.Event
				for i := range used {
					events = append(events, g.events(i*n/used)...)
				}
				b.ReportAllocs()
				for i := 0; b.Loop(); i++ {
					v.Feed(events[i%len(events)])
				}
			})
		}
	}
	for _, n := range []int{100, 1_000, 20_000} {
		b.Run(fmt.Sprintf("opened and closed/%d lanes", n), func(b *testing.B) {
			for b.Loop() {
				withLanes(n).Feed(&agui.RunFinished{})
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*n*2), "ns/event")
		})
	}
}

// BenchmarkFeed has the events that a run consists of.
func BenchmarkFeed(b *testing.B) {
	run := func(name string, opening []agui.Event, events ...agui.Event) {
		b.Run(name, func(b *testing.B) {
			v := verify.New(verify.Lenient)
			for _, ev := range opening {
				v.Feed(ev)
			}
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				if _, broken := v.Feed(events[i%len(events)]); len(broken) > 0 {
					b.Fatal(broken)
				}
			}
		})
	}
	start := func(id string) agui.Event { return &agui.TextMessageStart{MessageID: id} }
	content := func(id string) agui.Event { return &agui.TextMessageContent{MessageID: id, Delta: "word "} }
	begin := agui.Event(&agui.RunStarted{})
	run("text delta", []agui.Event{begin, start("m-1")}, content("m-"+fmt.Sprint(1)))
	run("text delta, two messages in turn", []agui.Event{begin, start("m-1"), start("m-2")}, content("m-1"), content("m-2"))
	run("tool arguments", []agui.Event{begin, &agui.ToolCallStart{ToolCallID: "c-1"}}, &agui.ToolCallArgs{ToolCallID: "c-1", Delta: "1"})
	run("text chunk", []agui.Event{begin, chunk("m-1", "")}, chunk("m-1", ""))
	run("state delta", []agui.Event{begin}, &agui.StateDelta{})
}

func id(prefix string, i int) string { return fmt.Sprintf("%s-%d", prefix, i) }

// chunk is a text chunk with what is not empty.
func chunk(id, tag string) agui.Event {
	delta := "word "
	c := &agui.TextMessageChunk{Delta: &delta}
	if c.SubagentRunID = tag; id != "" {
		c.MessageID = &id
	}
	return c
}

// withLanes has n streams open, and a step in each lane.
func withLanes(n int) *verify.Verifier {
	v := verify.New(verify.Lenient)
	v.Feed(&agui.RunStarted{})
	for i := range n {
		step := &agui.StepStarted{StepName: id("step", i)}
		step.SubagentRunID = id("s", i)
		v.Feed(step)
		v.Feed(chunk(id("m", i), id("s", i)))
	}
	return v
}
