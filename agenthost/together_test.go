package agenthost_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"cairn/agenthost"
	"cairn/agenthost/dialect"
	"cairn/agenthost/trip"
	"cairn/agui"
)

// allAtOnce is Mastra's dialect, but for one pause on several calls.
type allAtOnce struct{ dialect.Mastra }

func (allAtOnce) BatchesInterrupts() bool { return true }

// counted are two tools that wait for a decision, and how often each was carried
// out. during, if any, is called by the first while it works.
type counted struct {
	mu     sync.Mutex
	ran    map[string]int
	during func()
	tools  []*agenthost.Tool
}

func newCounted() *counted {
	c := &counted{ran: map[string]int{}}
	for _, name := range []string{"pay", "book"} {
		tool := agenthost.NewTool(name, "", func(_ context.Context, call agenthost.Call[struct{}]) (any, error) {
			if call.Resume == nil {
				return nil, agenthost.Suspend(name + "?")
			}
			if name == "pay" && c.during != nil {
				c.during()
			}
			c.mu.Lock()
			defer c.mu.Unlock()
			c.ran[name]++
			var answer trip.Approval
			err := call.Resume.Decode(&answer)
			return fmt.Sprint(name, " ", answer.Approved), err
		})
		tool.Resume = agenthost.SchemaOf[trip.Approval]()
		c.tools = append(c.tools, tool)
	}
	return c
}

// times returns how often pay and book were carried out.
func (c *counted) times() [2]int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return [2]int{c.ran["pay"], c.ran["book"]}
}

// paused is a service whose thread t1 waits in run-1 for both.
func paused(t *testing.T, c *counted) *service {
	t.Helper()
	s := newAgentService(t, &agenthost.Agent{Name: "both", Instructions: "Do.", Tools: c.tools, Dialect: allAtOnce{}})
	s.model.says(modelAnswer{text: "Both.", calls: []modelCall{{"call_p", "pay", "{}"}, {"call_b", "book", "{}"}}})
	events := s.run(s.input("t1", "pay and book"))
	if got := types(events); got != "RUN_STARTED TEXT_MESSAGE_CHUNK+ CUSTOM CUSTOM RUN_FINISHED" {
		t.Fatal(got)
	}
	var ids []string
	for _, in := range find[*agui.RunFinished](t, events).Outcome.Interrupts {
		ids = append(ids, in.ID)
	}
	if got := strings.Join(ids, " "); got != "run-1::call_p run-1::call_b" {
		t.Fatalf("asks for %s", got)
	}
	return s
}

// answers makes a protocol resume of "id=value" pairs, value being JSON or
// cancelled.
func answers(pairs ...string) func(map[string]any) {
	return func(in map[string]any) {
		list := []any{}
		for _, p := range pairs {
			id, value, _ := strings.Cut(p, "=")
			entry := map[string]any{"interruptId": id, "status": "cancelled"}
			if value != "cancelled" {
				entry["status"], entry["payload"] = "resolved", json.RawMessage(value)
			}
			list = append(list, entry)
		}
		in["resume"] = list
	}
}

const (
	payID, bookID = "run-1::call_p=", "run-1::call_b="
	yes, no       = `{"approved":true}`, `{"approved":false}`
	bothResults   = "RUN_STARTED TOOL_CALL_RESULT TOOL_CALL_RESULT RUN_FINISHED"
	goesOn        = "RUN_STARTED TOOL_CALL_RESULT TOOL_CALL_RESULT TEXT_MESSAGE_CHUNK+ RUN_FINISHED"
)

func results(events []agui.Event) string {
	var list []string
	for _, ev := range events {
		if e, ok := ev.(*agui.ToolCallResult); ok {
			list = append(list, e.ToolCallID+": "+e.Content.Text())
		}
	}
	return strings.Join(list, ", ")
}

// TestSeveralPendingAreAnsweredTogether: every wrong or partial answer is refused
// and consumes nothing; the whole one carries out each call once, also when it is
// repeated, and only the same one may be repeated.
func TestSeveralPendingAreAnsweredTogether(t *testing.T) {
	c := newCounted()
	s := paused(t, c)
	s.restart()
	for _, tc := range []struct {
		name, thread, code string
		edit               func(map[string]any)
	}{
		{"the first only", "t1", "resume_incomplete", answers(payID + yes)},
		{"the second only", "t1", "resume_incomplete", answers(bookID + "cancelled")},
		{"a command for one", "t1", "resume_incomplete", command(map[string]any{"approved": true}, "call_p", "run-1")},
		{"one mistyped", "t1", "invalid_resume", answers(payID+yes, bookID+`{"approved":"yes"}`)},
		{"one without a payload", "t1", "invalid_resume", answers(payID+yes, bookID+"null")},
		{"one twice", "t1", "invalid_resume", answers(payID+yes, payID+yes, bookID+yes)},
		{"one unknown", "t1", "interrupt_not_found", answers(payID+yes, bookID+yes, "run-1::call_x="+yes)},
		{"a foreign thread", "t2", "interrupt_not_found", answers(payID+yes, bookID+yes)},
		{"a message", "t1", "interrupt_pending", func(map[string]any) {}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			wantError(t, s.run(s.input(tc.thread, "go", tc.edit)), tc.code)
		})
	}
	if c.times() != [2]int{} {
		t.Fatalf("refused answers were carried out: %v", c.times())
	}
	s.model.says(modelAnswer{text: "Paid, not booked."})
	const told = `call_p: "pay true", call_b: "book false"`
	events := s.run(s.input("t1", "", answers(bookID+"cancelled", payID+yes)))
	if got := types(events); got != goesOn || results(events) != told {
		t.Errorf("%s with %s", got, results(events))
	}
	if msgs := s.model.asked()[1].Messages; len(msgs) != 5 || msgs[3].Content != `"pay true"` || msgs[4].ToolCallID != "call_b" {
		t.Errorf("the model was told %+v", msgs)
	}
	events = s.run(s.input("t1", "", answers(payID+yes, bookID+"cancelled")))
	if got := types(events); got != bothResults || results(events) != told {
		t.Errorf("the same again returned %s with %s", got, results(events))
	}
	wantError(t, s.run(s.input("t1", "", answers(payID+yes, bookID+yes))), "interrupt_already_resolved")
	wantError(t, s.run(s.input("t1", "", answers(payID+yes))), "resume_incomplete")
	if c.times() != [2]int{1, 1} {
		t.Errorf("carried out %v", c.times())
	}
}

// TestAnswersOfTwoPauses: one resume is about one pause.
func TestAnswersOfTwoPauses(t *testing.T) {
	c := newCounted()
	s := paused(t, c)
	s.model.says(modelAnswer{calls: []modelCall{{"call_q", "pay", "{}"}}})
	s.run(s.input("t1", "", answers(payID+yes, bookID+yes)))
	wantError(t, s.run(s.input("t1", "", answers(payID+yes, bookID+yes, "run-2::call_q="+yes))), "invalid_resume")
	s.model.says(modelAnswer{text: "Paid twice."})
	s.run(s.input("t1", "", answers("run-2::call_q="+yes)))
	if c.times() != [2]int{2, 1} {
		t.Errorf("carried out %v", c.times())
	}
}

// TestSeveralAnsweredAtTheSameTime: many resumes together carry out each call
// once.
func TestSeveralAnsweredAtTheSameTime(t *testing.T) {
	c := newCounted()
	s := paused(t, c)
	s.model.says(modelAnswer{text: "Done."})
	bodies := make([]map[string]any, 8)
	for i := range bodies {
		bodies[i] = s.input("t1", "", answers(payID+yes, bookID+yes))
	}
	var wg sync.WaitGroup
	for _, body := range bodies {
		wg.Go(func() { s.run(body) })
	}
	wg.Wait()
	if c.times() != [2]int{1, 1} {
		t.Errorf("carried out %v", c.times())
	}
}

// TestCrashWithinSeveral: the service died while it carried out two calls in
// order. The one that may have begun is repeated when it is idempotent, else the
// end is unknown; the one after it never began.
func TestCrashWithinSeveral(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name       string
		recorded   bool // the first call has its result
		idempotent bool // both tools are
		ends       string
		ran        [2]int
		told       string // what the model hears of the calls when the user goes on
	}{
		{"before the first result", false, false, "RUN_STARTED RUN_ERROR", [2]int{0, 0}, "not known; not carried out"},
		{"before the first result, idempotent", false, true, goesOn, [2]int{1, 1}, ""},
		{"between the results", true, false, "RUN_STARTED RUN_ERROR", [2]int{0, 0}, "pay true; not known"},
		{"between the results, idempotent", true, true, goesOn, [2]int{0, 1}, ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			c := newCounted()
			for _, tool := range c.tools {
				tool.Idempotent = tc.idempotent
			}
			s := paused(t, c)
			first, second := agenthost.InterruptKey{RunID: "run-1", ToolCallID: "call_p"}, agenthost.InterruptKey{RunID: "run-1", ToolCallID: "call_b"}
			s.decide("t1", first, second)
			if tc.recorded {
				if err := s.store.Record(t.Context(), agenthost.Thread{Agent: trip.Topic, ID: "t1"}, first, json.RawMessage(`"pay true"`)); err != nil {
					t.Fatal(err)
				}
			}
			s.restart()
			again := s.input("t1", "", answers(payID+yes, bookID+yes))
			if tc.told == "" {
				s.model.says(modelAnswer{text: "Done."})
			}
			if got := types(s.run(again)); got != tc.ends || c.times() != tc.ran {
				t.Errorf("%s, carried out %v", got, c.times())
			}
			if tc.told == "" {
				return
			}
			wantError(t, s.run(again), "outcome_unknown")
			s.model.says(modelAnswer{text: "I see."})
			s.run(s.input("t1", "and?"))
			asked := s.model.asked()
			var heard []string
			for _, m := range asked[len(asked)-1].Messages {
				if m.Role == "tool" {
					heard = append(heard, m.Content)
				}
			}
			for i, want := range strings.Split(tc.told, "; ") {
				if len(heard) != 2 || !strings.Contains(heard[i], want) {
					t.Errorf("the model heard %q, want %s", heard, tc.told)
				}
			}
			if c.times() != tc.ran {
				t.Errorf("carried out %v", c.times())
			}
		})
	}
}

// brokenPipe is a connection that nothing can be written to once it broke.
type brokenPipe struct {
	http.ResponseWriter
	broke *atomic.Bool
}

func (p brokenPipe) Unwrap() http.ResponseWriter { return p.ResponseWriter }

func (p brokenPipe) Write(b []byte) (int, error) {
	if p.broke.Load() {
		return 0, errors.New("broken pipe")
	}
	return p.ResponseWriter.Write(b)
}

// TestClientGoneWithinSeveral: what was decided is carried out to the last call.
func TestClientGoneWithinSeveral(t *testing.T) {
	c := newCounted()
	s := paused(t, c)
	var broke atomic.Bool
	c.during = func() { broke.Store(true) }
	inner := s.server.Config.Handler
	s.server.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		inner.ServeHTTP(brokenPipe{w, &broke}, r)
	})
	if got := types(s.run(s.input("t1", "", answers(payID+yes, bookID+yes)))); got != "RUN_STARTED" || c.times() != [2]int{1, 1} {
		t.Fatalf("%s, carried out %v", got, c.times())
	}
	broke.Store(false)
	s.model.says(modelAnswer{text: "Done."})
	if got := types(s.run(s.input("t1", "", answers(payID+yes, bookID+yes)))); got != goesOn || c.times() != [2]int{1, 1} {
		t.Errorf("%s, carried out %v", got, c.times())
	}
}

// TestOneOfSeveralTooLate: what is over cannot be approved but can be cancelled.
func TestOneOfSeveralTooLate(t *testing.T) {
	c := newCounted()
	c.tools[1].DecideWithin = time.Nanosecond
	s := paused(t, c)
	wantError(t, s.run(s.input("t1", "", answers(payID+yes, bookID+yes))), "interrupt_expired")
	s.model.says(modelAnswer{text: "Paid."})
	if got := types(s.run(s.input("t1", "", answers(payID+yes, bookID+"cancelled")))); got != goesOn {
		t.Error(got)
	}
}
