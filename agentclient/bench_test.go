package agentclient_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"cairn/agentclient/conversation"
	"cairn/agui"
	"cairn/agui/sse"
)

// BenchmarkPipeline takes streams from bytes to a conversation: framing, decoding
// and folding, as a run does after the network. Reported per event.
func BenchmarkPipeline(b *testing.B) {
	b.Run("captured", func(b *testing.B) { pipeline(b, captured(b)) })
	b.Run("synthetic", func(b *testing.B) { pipeline(b, synthetic()) })
}

// BenchmarkStages shows where the time of the synthetic stream goes.
func BenchmarkStages(b *testing.B) {
	text := synthetic()
	b.Run("framing", func(b *testing.B) {
		perEvent(b, text, func() (n int) {
			for range frames(b, text) {
				n++
			}
			return n
		})
	})
	b.Run("framing+decoding", func(b *testing.B) {
		perEvent(b, text, func() (n int) {
			for data := range frames(b, text) {
				decode(b, data)
				n++
			}
			return n
		})
	})
}

func pipeline(b *testing.B, text []byte) {
	perEvent(b, text, func() (n int) {
		c := conversation.New()
		for data := range frames(b, text) {
			c.Apply(decode(b, data))
			n++
		}
		return n
	})
}

// perEvent runs work, which returns the number of events it handled.
func perEvent(b *testing.B, text []byte, work func() int) {
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	events := 0
	for b.Loop() {
		events += work()
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(events), "ns/event")
	b.ReportMetric(float64(events)/b.Elapsed().Seconds(), "events/s")
}

func frames(b *testing.B, text []byte) func(func([]byte) bool) {
	return func(yield func([]byte) bool) {
		r := sse.NewReader(bytes.NewReader(text), sse.Limits{})
		for {
			frame, err := r.Next()
			if err == io.EOF {
				return
			}
			if err != nil {
				b.Fatal(err)
			}
			if !yield([]byte(frame.Data)) {
				return
			}
		}
	}
}

func decode(b *testing.B, data []byte) agui.Event {
	ev, err := agui.Decode(data)
	if err != nil {
		b.Fatal(err)
	}
	return ev
}

// captured is all captured Mastra runs one after the other.
func captured(b *testing.B) []byte {
	paths, _ := filepath.Glob("testdata/transcripts/mastra/*.sse")
	if len(paths) == 0 {
		b.Fatal("no captured streams")
	}
	var out []byte
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			b.Fatal(err)
		}
		out = append(out, text...)
	}
	return out
}

// synthetic is a long run: 200 messages of 100 deltas, 50 tool calls of 10
// argument deltas with results, and 500 state deltas of two operations.
func synthetic() []byte {
	var b bytes.Buffer
	say := func(format string, args ...any) {
		fmt.Fprintf(&b, "data: "+format+"\n\n", args...)
	}
	say(`{"type":"RUN_STARTED","threadId":"t","runId":"r"}`)
	say(`{"type":"STATE_SNAPSHOT","snapshot":{"count":0,"items":[]}}`)
	for m := range 200 {
		say(`{"type":"TEXT_MESSAGE_START","messageId":"m%d","role":"assistant"}`, m)
		for range 100 {
			say(`{"type":"TEXT_MESSAGE_CONTENT","messageId":"m%d","delta":"word "}`, m)
		}
		say(`{"type":"TEXT_MESSAGE_END","messageId":"m%d"}`, m)
		if m%4 == 0 {
			say(`{"type":"TOOL_CALL_START","toolCallId":"c%d","toolCallName":"look","parentMessageId":"m%d"}`, m, m)
			for range 10 {
				say(`{"type":"TOOL_CALL_ARGS","toolCallId":"c%d","delta":"\"abcd\","}`, m)
			}
			say(`{"type":"TOOL_CALL_END","toolCallId":"c%d"}`, m)
			say(`{"type":"TOOL_CALL_RESULT","messageId":"r%d","toolCallId":"c%d","content":"{\"ok\":true}"}`, m, m)
		}
		if m%2 == 0 {
			for range 5 {
				say(`{"type":"STATE_DELTA","delta":[{"op":"replace","path":"/count","value":%d},{"op":"replace","path":"/items","value":[%d]}]}`, m, m)
			}
		}
	}
	say(`{"type":"RUN_FINISHED","threadId":"t","runId":"r"}`)
	return b.Bytes()
}

// BenchmarkFlat folds one more event into conversations of growing size. The
// figures within a group must not grow.
func BenchmarkFlat(b *testing.B) {
	content := &agui.TextMessageContent{Base: agui.Base{Type: agui.TypeTextMessageContent}, MessageID: "m", Delta: "word "}
	begin := func() *conversation.Conversation {
		c := conversation.New()
		c.Apply(&agui.RunStarted{ThreadID: "t", RunID: "r"})
		return c
	}
	for _, n := range []int{1_000, 100_000, 1_000_000} {
		b.Run(fmt.Sprintf("message/%d deltas", n), func(b *testing.B) {
			c := begin()
			c.Apply(&agui.TextMessageStart{MessageID: "m"})
			for range n {
				c.Apply(content)
			}
			one(b, c, content)
		})
	}
	for _, n := range []int{10, 1_000, 100_000} {
		b.Run(fmt.Sprintf("thread/%d messages", n), func(b *testing.B) {
			c := begin()
			for i := range n {
				c.AddMessage(agui.Message{ID: fmt.Sprint(i), Role: agui.RoleUser, Content: agui.TextContent(strings.Repeat("x", 200))})
			}
			c.Apply(&agui.TextMessageStart{MessageID: "m"})
			one(b, c, content)
		})
	}
	delta := func(ops string) agui.Event {
		return &agui.StateDelta{Base: agui.Base{Type: agui.TypeStateDelta}, Delta: json.RawMessage(ops)}
	}
	for _, n := range []int{10, 1_000, 100_000} {
		b.Run(fmt.Sprintf("state/%d members", n), func(b *testing.B) {
			c := begin()
			members := map[string]any{}
			for i := range n {
				members[fmt.Sprint("k", i)] = map[string]any{"name": "tent", "qty": 1}
			}
			snapshot, _ := json.Marshal(members)
			c.Apply(&agui.StateSnapshot{Snapshot: snapshot})
			one(b, c, delta(`[{"op":"replace","path":"/k1/qty","value":2}]`))
		})
	}
	for _, n := range []int{10, 100, 1_000} {
		b.Run(fmt.Sprintf("member/%d items", n), func(b *testing.B) {
			c := begin()
			snapshot := `{"list":[` + strings.TrimSuffix(strings.Repeat(`{"name":"tent","qty":1},`, n), ",") + `]}`
			c.Apply(&agui.StateSnapshot{Snapshot: json.RawMessage(snapshot)})
			one(b, c, delta(`[{"op":"replace","path":"/list/1/qty","value":2}]`))
		})
	}
}

func one(b *testing.B, c *conversation.Conversation, ev agui.Event) {
	for b.Loop() {
		c.Apply(ev)
	}
	if n := c.NoteCount(); n > 0 {
		b.Fatal(c.Notes()[n-1])
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N), "ns/event")
}
