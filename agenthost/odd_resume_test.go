package agenthost_test

import (
	"encoding/json"
	"sync/atomic"
	"testing"

	"cairn/agenthost"
	"cairn/agenthost/dialect"
	"cairn/agui"
)

// everyDialect are the dialects the service has.
var everyDialect = map[string]dialect.Dialect{
	"protocol": dialect.Protocol{},
	"mastra":   dialect.Mastra{}, "strands": dialect.Strands{}, "maf": dialect.AgentFramework{},
	"langgraph": dialect.LangGraph{}, "langgraph-native": dialect.LangGraph{Native: true},
}

// asks serves a payer in a dialect whose thread t1 waits in run-1, and returns the id
// of the interrupt.
func asks(t *testing.T, d dialect.Dialect, ran *atomic.Int32) (*service, string) {
	t.Helper()
	agent := payer(ran, nil)
	agent.Dialect = d
	s := newAgentService(t, agent)
	s.model.says(pay)
	s.run(s.input("t1", "pay"))
	return s, d.InterruptID("run-1", "call_p")
}

// ended is how a run ended: its code when it failed.
func ended(events []agui.Event) string {
	switch e := events[len(events)-1].(type) {
	case *agui.RunError:
		return e.Code
	case *agui.RunFinished:
		if e.Outcome != nil && len(e.Outcome.Interrupts) > 0 {
			return "asks"
		}
		return "finished"
	}
	return "open"
}

// TestOddResumes: an answer that is wrong is refused in words or by the field that is
// wrong, runs nothing, and leaves the question to be answered, in every dialect.
func TestOddResumes(t *testing.T) {
	t.Parallel()
	for name, d := range everyDialect {
		t.Run(name, func(t *testing.T) {
			var ran atomic.Int32
			s, id := asks(t, d, &ran)
			entry := func(id, status, rest string) string {
				return `{"interruptId":"` + id + `","status":"` + status + `"` + rest + `}`
			}
			approve := entry(id, "resolved", `,"payload":{"approved":true}`)
			cancel := entry(id, "cancelled", "")
			for _, tc := range []struct{ name, resume, code string }{
				{"twice", approve + "," + approve, "invalid_resume"},
				{"both ways", approve + "," + cancel, "invalid_resume"},
				{"cancelled twice", cancel + "," + cancel, "invalid_resume"},
				{"unknown", entry("nobody", "resolved", `,"payload":{}`), "interrupt_not_found"},
				{"unknown, cancelled", entry("nobody", "cancelled", ""), "interrupt_not_found"},
				{"known and unknown", approve + "," + entry("nobody", "cancelled", ""), "interrupt_not_found"},
				{"no payload", entry(id, "resolved", ""), "invalid_resume"},
				{"payload null", entry(id, "resolved", `,"payload":null`), "invalid_resume"},
				{"payload of another type", entry(id, "resolved", `,"payload":"yes"`), "invalid_resume"},
				{"no entry", "", "interrupt_pending"},
			} {
				in := s.input("t1", "pay", func(in map[string]any) { in["resume"] = json.RawMessage("[" + tc.resume + "]") })
				if got := ended(s.run(in)); got != tc.code {
					t.Errorf("%s: %s, want %s", tc.name, got, tc.code)
				}
			}
			for _, resume := range []string{entry(id, "maybe", ""), `{"interruptId":"` + id + `"}`, `{"status":"cancelled"}`, `7`, entry(id, "resolved", `,"payload":`)} {
				status, _, _ := s.do(t, "POST", "/agent/mastra", `{"threadId":"t1","runId":"x","messages":[],"resume":[`+resume+`]}`, map[string]string{"X-Internal-Token": testToken})
				if status != 400 {
					t.Errorf("%s: status %d", resume, status)
				}
			}
			if ran.Load() != 0 {
				t.Fatal("a wrong answer was carried out")
			}
			s.model.says(modelAnswer{text: "Paid."})
			for range 2 {
				if got := ended(s.run(s.input("t1", "", answers(id+"="+yes)))); got != "finished" || ran.Load() != 1 {
					t.Errorf("approved: %s, ran %d times", got, ran.Load())
				}
			}
		})
	}
}

// TestCancelEndsCleanly: a question is cancelled while it is open, again, and when it
// is gone. What the client has is a conversation the model can go on with.
func TestCancelEndsCleanly(t *testing.T) {
	t.Parallel()
	for name, d := range everyDialect {
		t.Run(name, func(t *testing.T) {
			var ran atomic.Int32
			s, id := asks(t, d, &ran)
			s.model.says(modelAnswer{text: "Not paid."})
			for range 2 {
				if got := ended(s.run(s.input("t1", "", answers(id+"=cancelled")))); got != "finished" {
					t.Errorf("cancelled: %s", got)
				}
			}
			if got := ended(s.run(s.input("t1", "", answers("nobody=cancelled")))); got != "finished" {
				t.Errorf("one that is gone: %s", got)
			}
			if got := ended(s.run(s.input("t1", "", answers(id+"="+yes)))); got != "interrupt_already_resolved" || ran.Load() != 1 {
				t.Errorf("approved after all: %s, ran %d times", got, ran.Load())
			}
			// The call without its result, with one of the client's, and not at all.
			call := map[string]any{"id": "a", "role": "assistant", "toolCalls": []any{map[string]any{"id": "call_p", "type": "function",
				"function": map[string]any{"name": "pay", "arguments": "{}"}}}}
			result := map[string]any{"id": "r", "role": "tool", "toolCallId": "call_p", "content": "cancelled"}
			for _, between := range [][]any{{call}, {call, result}, {result}, {result, call}, {call, call, result, result}, nil} {
				s.model.says(modelAnswer{text: "Well."})
				in := s.input("t1", "what now?")
				in["messages"] = append(append([]any{map[string]any{"id": "u", "role": "user", "content": "pay"}}, between...), in["messages"].([]any)...)
				if got := ended(s.run(in)); got != "finished" {
					t.Errorf("the next message: %s", got)
				}
				asked := s.model.asked()
				heard := asked[len(asked)-1].Messages
				want := 3 // system and two of the user's
				if between != nil {
					want = 5
					if got := heard[3].Content; got != `"paid"` { // as the tool said when it was cancelled
						t.Errorf("the model hears %q of the call", got)
					}
				}
				if len(heard) != want || heard[want-1].Content != "what now?" {
					t.Errorf("the model hears %+v", heard)
				}
			}
		})
	}
}

// TestCancelOfWhatIsGoneWithAMessage: a thread the service knows nothing of is left by
// going on talking, and the message is answered.
func TestCancelOfWhatIsGoneWithAMessage(t *testing.T) {
	var ran atomic.Int32
	s := newAgentService(t, payer(&ran, nil))
	s.model.says(modelAnswer{text: "Hello."})
	if got := text(s.run(s.input("t1", "hello", answers("nobody=cancelled")))); got != "Hello." {
		t.Errorf("answered with %q", got)
	}
}

// TestCancelWithoutItsTool: a question whose tool is gone, or asks no more, cannot be
// approved, and does not block its thread.
func TestCancelWithoutItsTool(t *testing.T) {
	for name, change := range map[string]func(*agenthost.Agent){
		"gone":         func(a *agenthost.Agent) { a.Tools = nil },
		"asks no more": func(a *agenthost.Agent) { a.Tools[0].Resume = agenthost.Schema{} },
	} {
		t.Run(name, func(t *testing.T) {
			var ran atomic.Int32
			s, id := asks(t, dialect.Mastra{}, &ran)
			change(s.agent)
			s.restart()
			wantError(t, s.run(s.input("t1", "", approvePay)), "invalid_resume")
			s.model.says(modelAnswer{text: "Not paid."}, modelAnswer{text: "Well."})
			for _, want := range []string{"Not paid.", ""} {
				if got := text(s.run(s.input("t1", "", answers(id+"=cancelled")))); got != want || ran.Load() != 0 {
					t.Errorf("%q after %d runs of the tool, want %q", got, ran.Load(), want)
				}
			}
			if got := text(s.run(s.input("t1", "what now?"))); got != "Well." {
				t.Errorf("the next message is answered with %q", got)
			}
		})
	}
}

// TestLeavingLeavesTheWholeStep: two calls wait one after the other. A user who leaves
// the first with a message is not asked about the second, but answered.
func TestLeavingLeavesTheWholeStep(t *testing.T) {
	var ran atomic.Int32
	s := newAgentService(t, payer(&ran, nil))
	s.model.says(modelAnswer{calls: []modelCall{pay.calls[0], {"call_q", "pay", "{}"}}})
	s.run(s.input("t1", "pay"))
	s.model.says(modelAnswer{text: "Much else."})
	if got := text(s.run(s.input("t1", "", goingOn))); got != "Much else." || ran.Load() != 1 {
		t.Errorf("%q after %d runs of the tool", got, ran.Load())
	}
	asked := s.model.asked()
	if heard := asked[1].Messages; len(heard) != 6 || heard[4].ToolCallID != "call_q" || heard[5].Content != "what else is there?" {
		t.Errorf("the model hears %+v", heard)
	}
}

// TestIDsOfAModelThatCounts: a model's server that counts calls from zero in every
// answer leads to no two calls of a thread with one id, whatever its client sends of the
// conversation, and a child's call is not its parent's.
func TestIDsOfAModelThatCounts(t *testing.T) {
	var ran atomic.Int32
	s := newAgentService(t, payer(&ran, nil))
	ids := map[string]bool{}
	for range 3 {
		s.model.says(modelAnswer{calls: []modelCall{{"call_0", "pay", "{}"}}}, modelAnswer{text: "Paid."})
		in := find[*agui.RunFinished](t, s.run(s.input("t1", "pay"))).Outcome.Interrupts[0]
		if ids[in.ToolCallID] || len(in.ToolCallID) > 40 {
			t.Errorf("the id %s is used again, or too long", in.ToolCallID)
		}
		ids[in.ToolCallID] = true
		s.run(s.input("t1", "", answers(in.ID+"="+yes)))
	}
	if ran.Load() != 3 {
		t.Errorf("the tool ran %d times", ran.Load())
	}
	child := newService(t)
	child.model.says(modelAnswer{calls: []modelCall{{"call_0", "agent-weather_forecaster", `{"prompt":"Forecast."}`}}},
		modelAnswer{calls: []modelCall{{"call_0", "nothing", "{}"}}}, modelAnswer{text: "Sunny."}, modelAnswer{text: "It is sunny."})
	ids = map[string]bool{}
	for _, ev := range child.run(child.input("t1", "weather?")) {
		if e, ok := ev.(*agui.ToolCallStart); ok {
			ids[e.ToolCallID] = true
		}
	}
	if len(ids) != 2 {
		t.Errorf("calls %v", ids)
	}
}

// TestAnswerThatBreaksOffInArguments: the model is asked again with arguments that are
// JSON, and hears that the call failed. So is a child's model.
func TestAnswerThatBreaksOffInArguments(t *testing.T) {
	s := newService(t)
	s.model.says(modelAnswer{calls: []modelCall{{"call_1", "check_conditions", `{"location":"Ha`}}},
		modelAnswer{calls: []modelCall{{"call_2", "agent-weather_forecaster", `{"prompt":"Forecast."}`}}},
		modelAnswer{calls: []modelCall{{"call_3", "nothing", `{"a`}}}, modelAnswer{text: "Sunny."}, modelAnswer{text: "Again?"})
	if got := ended(s.run(s.input("t1", "weather?"))); got != "finished" {
		t.Error(got)
	}
	if got := s.model.asked()[1].last(); len(got) < 20 || got[:13] != `{"error":true` {
		t.Errorf("the model hears %s", got)
	}
}
