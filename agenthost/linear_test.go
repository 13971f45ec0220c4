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

// quick fails when f takes what only a cost that grows with the square of many makes
// it take: with 100,000 of each, minutes.
func quick(t *testing.T, f func()) {
	t.Helper()
	began := time.Now()
	f()
	if took := time.Since(began); took > 45*time.Second {
		t.Errorf("took %v", took)
	}
}

const many = 100_000

func bytesOf(list []Message) (n int) {
	for _, m := range list {
		n += len(m.Content)
		for _, c := range m.ToolCalls {
			n += len(c.Arguments)
		}
	}
	return n
}

// TestHistoryIsLinear: with as many messages as a request can have, and as many
// interrupts on the thread.
func TestHistoryIsLinear(t *testing.T) {
	var calls, orphans []agui.Message
	var same agui.Message
	var interrupts []Interrupt
	for i := range many {
		id := fmt.Sprintf("call_%06d", i)
		call := agui.ToolCall{ID: id, Type: "function", Function: agui.Function{Name: "n", Arguments: "{}"}}
		calls = append(calls, agui.Message{Role: agui.RoleAssistant, ToolCalls: []agui.ToolCall{call}})
		orphans = append(orphans, agui.Message{Role: agui.RoleTool, ToolCallID: id, Content: agui.TextContent("x")})
		interrupts = append(interrupts, Interrupt{InterruptKey: InterruptKey{RunID: "r", ToolCallID: id}, ToolName: "n", Args: []byte("{}"), State: StateLeft, Result: []byte(`"x"`)})
		call.ID = "same"
		same.ToolCalls = append(same.ToolCalls, call)
	}
	same.Role = agui.RoleAssistant
	result := agui.Message{Role: agui.RoleTool, ToolCallID: "same", Content: agui.TextContent(strings.Repeat("x", 1<<20))}
	for _, tc := range []struct {
		name string
		sent []agui.Message
		want int // messages
		most int // bytes
	}{
		{"calls without results", calls, 2 * many, 10 << 20},
		{"results without calls", orphans, 2 * many, 10 << 20},
		{"nothing the client has", nil, 2 * many, 10 << 20},
		{"one id for all calls", []agui.Message{same, result}, 3*many + 1, 20 << 20},
	} {
		t.Run(tc.name, func(t *testing.T) {
			quick(t, func() {
				list := history(tc.sent, interrupts)
				if n := bytesOf(list); len(list) != tc.want || n > tc.most {
					t.Errorf("%d messages of %d bytes, want %d", len(list), n, tc.want)
				}
			})
		})
	}
	quick(t, func() {
		if list := withClientResults(nil, orphans); len(withClientResults(list, orphans)) != many {
			t.Errorf("%d messages", len(list))
		}
	})
}

// perOp is the least time that f takes for one of n, measured five times.
func perOp(n int, f func()) time.Duration {
	least := time.Hour
	for range 5 {
		began := time.Now()
		f()
		least = min(least, time.Since(began)/time.Duration(n))
	}
	return max(least, time.Microsecond)
}

// TestClientToolsAreLinear: what a client's tool costs when it is offered, and what a
// piece of the model's answer costs, does not grow with the number of tools. Searching
// them takes thousands of times as long.
func TestClientToolsAreLinear(t *testing.T) {
	runOf := func(n int) *run {
		x := &run{agent: &Agent{Name: "a"}, voice: dialect.Mastra{}.NewVoice(dialect.Run{})}
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
	few, lots := runOf(100), runOf(many)
	if one, all := perOp(100, offer(few, 100)), perOp(many, offer(lots, many)); all > 20*one {
		t.Errorf("a tool of 100 takes %v, one of %d %v", one, many, all)
	}
	if one, all := perOp(1000, answer(few)), perOp(1000, answer(lots)); all > 20*one {
		t.Errorf("a piece with 100 tools takes %v, with %d %v", one, many, all)
	}
}

// TestAnswersAreFoundAtOnce: a request with as many answers as the thread has
// interrupts.
func TestAnswersAreFoundAtOnce(t *testing.T) {
	const many = 30_000 // whose ids are hashes
	for _, d := range []dialect.Dialect{dialect.AgentFramework{}, dialect.LangGraph{}} {
		x := &run{agent: &Agent{Dialect: d}}
		var interrupts []Interrupt
		var answers []dialect.Answer
		for i := range many {
			in := Interrupt{InterruptKey: InterruptKey{RunID: "r", ToolCallID: fmt.Sprint(i)}}
			interrupts = append(interrupts, in)
			answers = append(answers, dialect.Answer{Interrupt: d.InterruptID(in.RunID, in.ToolCallID), Cancelled: true})
		}
		quick(t, func() {
			if list, err := x.match(answers, interrupts); err != nil || len(list) != many {
				t.Errorf("%T: %d found, %v", d, len(list), err)
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
