package agenthost

import (
	"fmt"
	"log/slog"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"cairn/agenthost/dialect"
	"cairn/agui"
)

// few and many are the sizes whose costs are compared. What grows with the square costs
// up to many/few times as much for each when there are many.
const (
	few  = 300
	many = 6_000
)

// linear fails when one of many takes much longer than one of few. prepare returns what is
// measured for a size.
func linear(t *testing.T, prepare func(n int) (run func())) {
	t.Helper()
	if one, all := perOp(few, prepare(few)), perOp(many, prepare(many)); all > 6*one {
		t.Errorf("one of %d takes %v, one of %d %v", few, one, many, all)
	}
}

func bytesOf(list []Message) (n int) {
	for _, m := range list {
		n += len(m.Content)
		for _, c := range m.ToolCalls {
			n += len(c.Arguments)
		}
	}
	return n
}

// TestHistoryIsLinear: the cost of a message does not grow with the number of messages
// of a request, nor with the interrupts of its thread, and neither does its size.
func TestHistoryIsLinear(t *testing.T) {
	result := agui.Message{Role: agui.RoleTool, ToolCallID: "same", Content: agui.TextContent(strings.Repeat("x", 1<<20))}
	type parts struct {
		calls, orphans []agui.Message
		same           agui.Message
		interrupts     []Interrupt
	}
	of := func(n int) (p parts) {
		p.same.Role = agui.RoleAssistant
		for i := range n {
			id := fmt.Sprintf("call_%06d", i)
			call := agui.ToolCall{ID: id, Type: "function", Function: agui.Function{Name: "n", Arguments: "{}"}}
			p.calls = append(p.calls, agui.Message{Role: agui.RoleAssistant, ToolCalls: []agui.ToolCall{call}})
			p.orphans = append(p.orphans, agui.Message{Role: agui.RoleTool, ToolCallID: id, Content: agui.TextContent("x")})
			p.interrupts = append(p.interrupts, Interrupt{InterruptKey: InterruptKey{RunID: "r", ToolCallID: id}, ToolName: "n", Args: []byte("{}"), State: StateLeft, Result: []byte(`"x"`)})
			call.ID = "same"
			p.same.ToolCalls = append(p.same.ToolCalls, call)
		}
		return p
	}
	for _, tc := range []struct {
		name string
		sent func(parts) []agui.Message
		want int // messages for each
		over int // and beside them
		most int // bytes for each
	}{
		{"calls without results", func(p parts) []agui.Message { return p.calls }, 2, 0, 100},
		{"results without calls", func(p parts) []agui.Message { return p.orphans }, 2, 0, 100},
		{"nothing the client has", func(parts) []agui.Message { return nil }, 2, 0, 100},
		{"one id for all calls", func(p parts) []agui.Message { return []agui.Message{p.same, result} }, 3, 1, 100},
		{"one id in all turns", func(p parts) (list []agui.Message) {
			for _, c := range p.same.ToolCalls {
				list = append(list, agui.Message{ID: "m", Role: agui.RoleAssistant, ToolCalls: []agui.ToolCall{c}})
				list = append(list, agui.Message{Role: agui.RoleTool, ToolCallID: c.ID, Content: agui.TextContent("x")})
				list = append(list, agui.Message{Role: agui.RoleUser, Content: agui.TextContent("x")})
			}
			return list
		}, 5, 0, 100},
	} {
		t.Run(tc.name, func(t *testing.T) {
			linear(t, func(n int) func() {
				p := of(n)
				sent := tc.sent(p)
				return func() {
					list := history(sent, p.interrupts)
					if size := bytesOf(list); len(list) != tc.want*n+tc.over || size > tc.most*n+1<<20 {
						t.Errorf("%d messages of %d bytes, want %d", len(list), size, tc.want*n+tc.over)
					}
				}
			})
		})
	}
	linear(t, func(n int) func() {
		orphans := of(n).orphans
		return func() {
			if list := withClientResults(nil, orphans); len(withClientResults(list, orphans)) != n {
				t.Errorf("%d messages", len(list))
			}
		}
	})
}

// perOp is the least time that f takes for one of n, measured three times.
func perOp(n int, f func()) time.Duration {
	least := time.Hour
	for range 3 {
		began := time.Now()
		f()
		least = min(least, time.Since(began)/time.Duration(n))
	}
	return max(least, 100*time.Nanosecond)
}

// TestClientToolsAreLinear: what a client's tool costs when it is offered, and what a
// piece of the model's answer costs, does not grow with the number of tools. Searching
// them takes thousands of times as long.
func TestClientToolsAreLinear(t *testing.T) {
	runOf := func(n int) *run {
		x := &run{agent: &Agent{Name: "a"}, writer: dialect.Mastra{}.NewWriter(dialect.Run{})}
		for i := range n {
			x.in.Tools = append(x.in.Tools, agui.Tool{Name: fmt.Sprintf("tool_%06d", i)})
		}
		return x
	}
	offer := func(x *run, n int) func() {
		return func() {
			if x.clientTools = clientTools(x.agent, x.in.Tools); len(x.offer()) != n {
				t.Errorf("not all of %d tools are offered", n)
			}
		}
	}
	answer := func(x *run) func() {
		x.out = newEventStream(httptest.NewRecorder(), time.Hour, 1<<30, slog.New(slog.DiscardHandler), nil)
		t.Cleanup(x.out.close)
		l := &parentListener{x}
		last := ToolCall{ID: "c", Name: x.in.Tools[len(x.in.Tools)-1].Name}
		return func() {
			for range 1000 {
				if err := l.callArgs(last, "x"); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	linear(t, func(n int) func() { return offer(runOf(n), n) })
	some, lots := runOf(100), runOf(many)
	if one, all := perOp(1000, answer(some)), perOp(1000, answer(lots)); all > 20*one {
		t.Errorf("a piece with 100 tools takes %v, with %d %v", one, many, all)
	}
}

// TestAnswersAreFoundAtOnce: a request with as many answers as the thread has
// interrupts, whose ids are hashes.
func TestAnswersAreFoundAtOnce(t *testing.T) {
	for _, d := range []dialect.Dialect{dialect.AgentFramework{}, dialect.LangGraph{}} {
		x := &run{agent: &Agent{Dialect: d}}
		linear(t, func(n int) func() {
			var interrupts []Interrupt
			var answers []dialect.Answer
			for i := range n {
				in := Interrupt{InterruptKey: InterruptKey{RunID: "r", ToolCallID: fmt.Sprint(i)}}
				interrupts = append(interrupts, in)
				answers = append(answers, dialect.Answer{Interrupt: d.InterruptID(in.RunID, in.ToolCallID), Cancelled: true})
			}
			return func() {
				if list, err := x.match(answers, interrupts); err != nil || len(list) != n {
					t.Errorf("%T: %d found, %v", d, len(list), err)
				}
			}
		})
	}
}

// TestEachResultGoesToOneCall: ids that are used again keep their results in order.
func TestEachResultGoesToOneCall(t *testing.T) {
	call := Message{Role: "assistant", ToolCalls: []ToolCall{{ID: "c", Name: "n"}}}
	result := func(text string) Message { return Message{Role: "tool", ToolCallID: "c", Content: text} }
	for want, list := range map[string][]Message{
		"1 2":           {call, result("1"), call, result("2")},
		"1 " + noResult: {call, result("1"), call},
		"1 3":           {call, result("1"), call, result("2"), result("3")},
		"3":             {call, result("1"), result("2"), result("3")},
		noResult:        {call},
	} {
		var got []string
		for _, m := range repair(list, nil) {
			if m.Role == "tool" {
				got = append(got, m.Content)
			}
		}
		if g := strings.Join(got, " "); g != want {
			t.Errorf("%s, want %s", g, want)
		}
	}
}

// TestCheckSize: what would be costly to decode is refused first.
func TestCheckSize(t *testing.T) {
	for name, tc := range map[string]struct {
		text string
		ok   bool
	}{
		"plain":              {`{"a":[1,"[[[{{{,,,\"[",true]}`, true},
		"deep":               {strings.Repeat("[", 5000) + strings.Repeat("]", 5000), false},
		"deep enough":        {strings.Repeat("[", maxValueDepth) + strings.Repeat("]", maxValueDepth), true},
		"many":               {"[" + strings.Repeat("1,", 2*maxValues) + "1]", false},
		"many within a text": {`"` + strings.Repeat("[1,", 2*maxValues) + `"`, true},
	} {
		if err := checkSize([]byte(tc.text)); (err == nil) != tc.ok {
			t.Errorf("%s: %v", name, err)
		}
	}
}
