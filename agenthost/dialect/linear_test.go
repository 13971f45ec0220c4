package dialect

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"cairn/agui"
)

func writers(sent []agui.Message) map[string]EventWriter {
	n := 0
	run := Run{ThreadID: "t", RunID: "r", Messages: sent, NewID: func() string { n++; return fmt.Sprint("m", n) }}
	all := map[string]EventWriter{}
	for name, d := range map[string]Dialect{"protocol": Protocol{}, "mastra": Mastra{}, "strands": Strands{}, "langgraph": LangGraph{}, "maf": AgentFramework{}} {
		all[name] = d.NewWriter(run)
	}
	return all
}

// conversationOf has messages of a client with a call and its result each.
func conversationOf(n int, text string) (list []agui.Message) {
	for i := range n {
		id := fmt.Sprintf("old_%d", i)
		list = append(list,
			agui.Message{ID: "a" + id, Role: agui.RoleAssistant, ToolCalls: []agui.ToolCall{{ID: id, Type: "function", Function: agui.Function{Name: "n", Arguments: "{}"}}}},
			agui.Message{ID: "t" + id, Role: agui.RoleTool, ToolCallID: id, Content: agui.TextContent(text)})
	}
	return list
}

// perOp is the least time that f takes for one of 200, measured five times.
func perOp(f func()) time.Duration {
	least := time.Hour
	for range 5 {
		began := time.Now()
		for range 200 {
			f()
		}
		least = min(least, time.Since(began)/200)
	}
	return max(least, time.Microsecond)
}

// TestWritersAreLinear: what a call costs does not grow with the calls, the pieces of
// arguments and the messages before it. Searching them takes hundreds of times as long.
func TestWritersAreLinear(t *testing.T) {
	const many = 20_000
	fresh := writers(nil)
	for name, v := range writers(conversationOf(many, "x")) {
		t.Run(name, func(t *testing.T) {
			n := 0
			calls := func(v EventWriter) func() {
				return func() {
					n++
					id := fmt.Sprint("c", n)
					v.ToolCall(Call{ID: id, Name: "n", Args: json.RawMessage("{}")})
					v.ToolResult(id, json.RawMessage(`"x"`))
					v.ToolResult(fmt.Sprint("old_", n), json.RawMessage(`"y"`))
				}
			}
			written := 0
			pieces := func(v EventWriter) func() { return func() { written++; v.ClientArgs("client", "0123456789") } }
			// A busy machine slows some measurements, a search of all slows each.
			costs := func(what string, first time.Duration, f func()) {
				var later time.Duration
				for range 5 {
					if later = perOp(f); later <= 20*first {
						return
					}
				}
				t.Errorf("%s takes %v at first and %v after many", what, first, later)
			}
			for _, each := range []EventWriter{fresh[name], v} {
				each.Started()
				each.Opened(nil)
			}
			short := perOp(calls(fresh[name]))
			for range many {
				calls(v)()
			}
			costs("a call", short, calls(v))
			v.ClientCall("client", "n")
			short = perOp(pieces(v))
			for range many {
				pieces(v)()
			}
			costs("a piece of arguments", short, pieces(v))
			v.ClientCallEnd("client")
			for _, ev := range v.Finished(nil) {
				all, ok := ev.(*agui.MessagesSnapshot)
				for i := 0; ok && i < len(all.Messages); i++ {
					for _, c := range all.Messages[i].ToolCalls {
						if c.ID == "client" && len(c.Function.Arguments) != 10*written {
							t.Errorf("%d bytes of arguments", len(c.Function.Arguments))
						}
					}
				}
			}
		})
	}
}

// TestSnapshotsAreBounded: a long conversation is not told again after every call and
// every child, and is whole at the end.
func TestSnapshotsAreBounded(t *testing.T) {
	sent := conversationOf(64, strings.Repeat("x", 16<<10)) // 1 MiB
	for name, v := range writers(sent) {
		t.Run(name, func(t *testing.T) {
			total, last := 0, 0
			count := func(events []agui.Event) {
				for _, ev := range events {
					raw, err := agui.Encode(ev)
					if err != nil {
						t.Fatal(err)
					}
					total += len(raw)
					if all, ok := ev.(*agui.MessagesSnapshot); ok {
						last = len(all.Messages)
					}
				}
			}
			count(v.Started())
			count(v.Opened(nil))
			for i := range 50 {
				call := Call{ID: fmt.Sprint("c", i), Name: "n", Args: json.RawMessage("{}")}
				count(v.ToolCall(call))
				count(v.ToolResult(call.ID, json.RawMessage(`"x"`)))
				call.ID = fmt.Sprint("d", i)
				count(v.ChildStarted(Delegation{Call: call, Child: "child"}))
				count(v.ChildFinished(call.ID, "done"))
			}
			count(v.Text("bye"))
			count(v.Finished(nil))
			if total > 9<<20 {
				t.Errorf("%d bytes", total)
			}
			if name != "mastra" && name != "protocol" && last < len(sent)+101 {
				t.Errorf("%d messages at the end", last)
			}
		})
	}
}
