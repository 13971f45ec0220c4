package dialect

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"cairn/agui"
	"cairn/internal/jsontext"
)

func mafSpeaker(in agui.RunAgentInput) *maf {
	n := 0
	d := AgentFramework{Predict: []Prediction{{"expense", "submit_expense", "expense"}}}
	return d.NewWriter(Run{ThreadID: in.ThreadID, RunID: in.RunID, Messages: in.Messages,
		NewID: func() string { n++; return fmt.Sprintf("new-%d", n) }}).(*maf)
}

const (
	dinner      = `{"vendor":"Blue Finch Bistro","category":"meals","amount_usd":220,"memo":"Team dinner, 6 attendees"}`
	dinnerArgs  = `{"expense":` + dinner + `}`
	dinnerFiled = "Expense recorded: $220.00 to Blue Finch Bistro (meals), queued for reimbursement."
	limits      = "- **Limit:** up to $1,500.00 an expense, so $900.00 is within it\n- **Receipt:** needed for every amount\n- **Risk:** fares above the standard class are not paid"
)

// TestAgentFrameworkAsRecorded tells a writer what happened in recorded runs and
// expects the very events, but for what mafNoise and sameIDs name.
func TestAgentFrameworkAsRecorded(t *testing.T) {
	lookup := Call{"call_1", "lookup_expense_policy", json.RawMessage(`{"category":"equipment"}`)}
	research := Call{"call_1", "research_policy", json.RawMessage(`{"amount":900,"category":"travel"}`)}
	const equipment = "The limit for equipment is $800; a receipt is needed for every amount."
	asked := func(in agui.RunAgentInput) string { return in.Messages[1].ToolCalls[0].ID }
	for _, tc := range []struct {
		name  string
		opens string // the state
		story func(m *maf, in agui.RunAgentInput) [][]agui.Event
	}{
		{"02-messages-prompt-2", `{}`, func(m *maf, _ agui.RunAgentInput) [][]agui.Event {
			return [][]agui.Event{m.Text("You're"), m.Text(" welcome!"), m.Snapshot(nil), m.Finished(&agui.TokenUsage{TotalTokens: 1})}
		}},
		{"03-tools-call", `{}`, func(m *maf, _ agui.RunAgentInput) [][]agui.Event {
			evs := [][]agui.Event{m.ToolCall(lookup), m.ToolResult("call_1", jsontext.Must(equipment))}
			m.Step()
			return append(evs, m.Text(equipment), m.Finished(nil))
		}},
		{"05-interrupts-ask", `{}`, func(m *maf, _ agui.RunAgentInput) [][]agui.Event {
			return [][]agui.Event{m.Suspended(Suspension{Call: Call{"call_1", "submit_expense", json.RawMessage(dinnerArgs)},
				Payload: json.RawMessage(`"x"`), ResumeSchema: json.RawMessage(`{}`), State: json.RawMessage(dinnerArgs)}),
				m.Snapshot(json.RawMessage(dinnerArgs)), m.Interrupted(nil)}
		}},
		{"06-interrupts-approve", dinnerArgs, func(m *maf, in agui.RunAgentInput) [][]agui.Event {
			return [][]agui.Event{m.ToolResult(asked(in), jsontext.Must(dinnerFiled)),
				m.Text("The $220.00 expense at Blue Finch Bistro has been submitted for reimbursement."),
				m.Snapshot(json.RawMessage(dinnerArgs)), m.Finished(&agui.TokenUsage{TotalTokens: 1})}
		}},
		{"09-interrupts-decline", dinnerArgs, func(m *maf, in agui.RunAgentInput) [][]agui.Event {
			return [][]agui.Event{m.ToolResult(asked(in), jsontext.Must(Rejected)),
				m.Text("The $220.00 expense at Blue Finch Bistro was not submitted, as you declined."), m.Finished(nil)}
		}},
		{"18-interrupts-approve-after-plain-message", dinnerArgs, func(m *maf, in agui.RunAgentInput) [][]agui.Event {
			return [][]agui.Event{m.ToolResult(asked(in), jsontext.Must(dinnerFiled)),
				m.Text("Hello! Shall I look up what a category allows, or file an expense?"), m.Finished(nil)}
		}},
		{"19-subagents-delegate", `{}`, func(m *maf, _ agui.RunAgentInput) [][]agui.Event {
			evs := [][]agui.Event{m.ChildStarted(Delegation{Call: research, Child: "policy_researcher",
				Description: "Knows the policy.", Prompt: "travel, $900.00. The limit for travel is $1500; a receipt is needed for every amount."}),
				m.ChildText("call_1", limits), m.ChildStep("call_1"), m.ChildFinished("call_1", limits)}
			m.Step()
			return append(evs, m.Text("The policy on travel: Limit up to $1,500.00 an expense, so $900.00 is within it; Receipt needed for every amount; Risk fares above the standard class are not paid. Who was the vendor?"),
				m.Finished(nil))
		}},
		{"20-errors-model-error", `{}`, func(m *maf, _ agui.RunAgentInput) [][]agui.Event {
			return [][]agui.Event{m.Failed("ChatClientException", "An internal error has occurred while streaming events.")}
		}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			in, want := recorded(t, "maf/"+tc.name)
			m := mafSpeaker(in)
			story := append([][]agui.Event{m.Started(), m.Opened(json.RawMessage(tc.opens))}, tc.story(m, in)...)
			sameEvents(t, alike(t, sameIDs(told(t, story...)), mafNoise), alike(t, sameIDs(want), mafNoise))
		})
	}
}

var (
	resultID = regexp.MustCompile(`"TOOL_CALL_RESULT","messageId":"([^"]+)"`)
	askedID  = regexp.MustCompile(`af-call-[0-9a-f]{32}`)
	inPlace  = regexp.MustCompile(`approval-response-[^"]+`)
)

// sameIDs sets the id of all interrupts, and that of a result to the one that the runtime sends
// it in the event, where it has another in the conversation.
func sameIDs(events []string) []string {
	answer := "approval-response"
	for i, ev := range events {
		if m := resultID.FindStringSubmatch(ev); m != nil {
			answer = m[1]
		}
		events[i] = inPlace.ReplaceAllString(askedID.ReplaceAllString(ev, "af-call-x"), answer)
	}
	return events
}

// mafNoise leaves out how many tokens were counted, the schema of an answer, which
// is the tool's own, and that a message with calls has no words.
func mafNoise(ev map[string]any) {
	if ev["name"] == "usage" {
		clear(ev)
		return
	}
	if outcome, ok := ev["outcome"].(map[string]any); ok {
		delete(outcome["interrupts"].([]any)[0].(map[string]any), "responseSchema")
	}
	messages, _ := ev["messages"].([]any)
	for _, m := range messages {
		if m := m.(map[string]any); m["content"] == "" {
			delete(m, "content")
		}
	}
}

// TestAgentFrameworkStories walks what no transcript shows: the order of events.
func TestAgentFrameworkStories(t *testing.T) {
	call := func(id string) Call { return Call{id, "n", json.RawMessage("{}")} }
	submit := func(id, vendor, state string) Suspension {
		return Suspension{Call: Call{id, "submit_expense", json.RawMessage(`{"expense":"` + vendor + `"}`)}, State: json.RawMessage(`{"expense":"` + state + `"}`)}
	}
	for _, tc := range []struct {
		name, want string
		story      func(m *maf) [][]agui.Event
	}{
		{"words before a call are its message", "TEXT_MESSAGE_START TEXT_MESSAGE_CONTENT TOOL_CALL_START TOOL_CALL_ARGS TOOL_CALL_END TOOL_CALL_RESULT TEXT_MESSAGE_END MESSAGES_SNAPSHOT RUN_FINISHED",
			func(m *maf) [][]agui.Event {
				return [][]agui.Event{m.Text("a"), m.ToolCall(call("c")), m.ToolResult("c", jsontext.Must("r")), m.Finished(nil)}
			}},
		{"two calls, then a third", "TEXT_MESSAGE_START TOOL_CALL_START TOOL_CALL_ARGS TOOL_CALL_START TOOL_CALL_ARGS TOOL_CALL_END TOOL_CALL_RESULT TOOL_CALL_END TOOL_CALL_RESULT TEXT_MESSAGE_END TEXT_MESSAGE_START TOOL_CALL_START TOOL_CALL_ARGS",
			func(m *maf) [][]agui.Event {
				evs := [][]agui.Event{m.ToolCall(call("a")), m.ToolCall(call("b")), m.ToolResult("a", jsontext.Must("r")), m.ToolResult("b", jsontext.Must("r"))}
				m.Step()
				return append(evs, m.ToolCall(call("c")))
			}},
		{"a client's call", "TEXT_MESSAGE_START TOOL_CALL_START TOOL_CALL_ARGS TOOL_CALL_ARGS TOOL_CALL_END CUSTOM TEXT_MESSAGE_END MESSAGES_SNAPSHOT RUN_FINISHED",
			func(m *maf) [][]agui.Event {
				return [][]agui.Event{m.ClientCall("c", "n"), m.ClientArgs("c", "{"), m.ClientArgs("c", "}"), m.ClientCallEnd("c"), m.Finished(&agui.TokenUsage{})}
			}},
		{"two questions, each with its own patch, the state once it is another", "TEXT_MESSAGE_START TOOL_CALL_START TOOL_CALL_ARGS STATE_DELTA STATE_SNAPSHOT TOOL_CALL_END CUSTOM TOOL_CALL_START TOOL_CALL_ARGS STATE_DELTA STATE_SNAPSHOT TOOL_CALL_END CUSTOM TEXT_MESSAGE_END MESSAGES_SNAPSHOT RUN_FINISHED",
			func(m *maf) [][]agui.Event {
				return [][]agui.Event{m.Suspended(submit("a", "A", "B")), m.Suspended(submit("b", "B", "B")), m.Interrupted(nil)}
			}},
		{"a tool that predicts nothing and shares something", "TEXT_MESSAGE_START TOOL_CALL_START TOOL_CALL_ARGS TOOL_CALL_END TOOL_CALL_RESULT STATE_SNAPSHOT TEXT_MESSAGE_END MESSAGES_SNAPSHOT RUN_FINISHED",
			func(m *maf) [][]agui.Event {
				state := json.RawMessage(`{"expense":{},"n":1}`)
				return [][]agui.Event{m.ToolCall(call("c")), m.ToolResult("c", jsontext.Must("r")), m.Shared(state), m.Snapshot(state), m.Finished(nil)}
			}},
		{"a patch, then the whole", "STATE_DELTA STATE_SNAPSHOT", func(m *maf) [][]agui.Event {
			return [][]agui.Event{m.Delta(json.RawMessage(`[]`)), m.Snapshot(nil), m.Snapshot(nil)}
		}},
		{"an agent breaks", "TEXT_MESSAGE_START TOOL_CALL_START TOOL_CALL_ARGS SUBAGENT_STARTED TEXT_MESSAGE_START TEXT_MESSAGE_CONTENT TEXT_MESSAGE_END SUBAGENT_ERROR TOOL_CALL_END TOOL_CALL_RESULT",
			func(m *maf) [][]agui.Event {
				return [][]agui.Event{m.ChildStarted(Delegation{Call: call("c"), Child: "x"}), m.ChildText("c", "half"),
					m.ChildFailed("c", "m", json.RawMessage(`{"error":true,"message":"no"}`))}
			}},
		{"the run fails under an agent", "TEXT_MESSAGE_START TOOL_CALL_START TOOL_CALL_ARGS SUBAGENT_STARTED TEXT_MESSAGE_START TEXT_MESSAGE_CONTENT TEXT_MESSAGE_CONTENT TEXT_MESSAGE_END SUBAGENT_ERROR RUN_ERROR",
			func(m *maf) [][]agui.Event {
				return [][]agui.Event{m.ChildStarted(Delegation{Call: call("c"), Child: "x"}), m.ChildText("c", "half"),
					m.ChildToolCall("c", call("d")), m.ChildToolResult("c", "d", jsontext.Must("r")), m.ChildText("c", "more"), m.Failed("code", "message")}
			}},
		{"a last word of no model", "TEXT_MESSAGE_START TEXT_MESSAGE_CONTENT TEXT_MESSAGE_END TEXT_MESSAGE_START TEXT_MESSAGE_CONTENT TEXT_MESSAGE_END MESSAGES_SNAPSHOT RUN_FINISHED",
			func(m *maf) [][]agui.Event { return [][]agui.Event{m.Text("a"), m.Concluded("b"), m.Finished(nil)} }},
	} {
		m := mafSpeaker(agui.RunAgentInput{ThreadID: "t", RunID: "r"})
		m.Opened(nil)
		if got := types(t, tc.story(m)...); got != tc.want {
			t.Errorf("%s:\n got %s\nwant %s", tc.name, got, tc.want)
		}
	}
}

// TestAgentFrameworkRepeats: what the client has of a decided call is said under the
// id it has it under, and nothing is added; a rejection is only in the conversation.
func TestAgentFrameworkRepeats(t *testing.T) {
	for result, want := range map[string]string{
		dinnerFiled: "TOOL_CALL_RESULT RUN_FINISHED",
		Rejected:    "MESSAGES_SNAPSHOT RUN_FINISHED",
	} {
		in, _ := recorded(t, "maf/07-interrupts-repeated-answer")
		m := mafSpeaker(in)
		m.Opened(json.RawMessage(dinnerArgs))
		had := in.Messages[2]
		evs := m.ToolResult(had.ToolCallID, jsontext.Must(result))
		if got := types(t, evs, m.Finished(nil)); got != want {
			t.Errorf("%s: %s, want %s", result, got, want)
		}
		if len(evs) > 0 && evs[0].(*agui.ToolCallResult).MessageID != had.ID {
			t.Errorf("said as %s, was %s", evs[0].(*agui.ToolCallResult).MessageID, had.ID)
		}
		if len(m.history) != len(in.Messages) {
			t.Errorf("%s: %d messages, the client has %d", result, len(m.history), len(in.Messages))
		}
	}
}

// TestAgentFrameworkForgedResult: what a client made of a result is put right.
func TestAgentFrameworkForgedResult(t *testing.T) {
	for _, result := range []string{dinnerFiled, Rejected} {
		in, _ := recorded(t, "maf/07-interrupts-repeated-answer")
		in.Messages[2].Content = agui.TextContent("Expense recorded: $9.00 to me")
		m := mafSpeaker(in)
		m.ToolResult(in.Messages[2].ToolCallID, jsontext.Must(result))
		all, ok := m.Finished(nil)[0].(*agui.MessagesSnapshot)
		if !ok || all.Messages[2].Content.Text() != result {
			t.Errorf("%s: %+v", result, all)
		}
	}
}

// TestAgentFrameworkResultUnderWords: a result that takes its place before an open
// message does not move what is written into it.
func TestAgentFrameworkResultUnderWords(t *testing.T) {
	in, _ := recorded(t, "maf/06-interrupts-approve")
	m := mafSpeaker(in)
	m.Text("a")
	m.ToolResult(in.Messages[1].ToolCalls[0].ID, jsontext.Must(dinnerFiled))
	m.Text("b")
	evs := m.Finished(nil)
	list := evs[len(evs)-2].(*agui.MessagesSnapshot).Messages
	if n := len(list); n != 4 || list[2].Role != agui.RoleTool || list[3].Content.Text() != "ab" {
		t.Errorf("%+v", list)
	}
}

// TestAgentFrameworkResults: how a tool's value is written.
func TestAgentFrameworkResults(t *testing.T) {
	for value, want := range map[string]string{
		`"text"`: "text", `{"a":1}`: `{"a":1}`, `7`: "7", `null`: "", `{"error":true,"message":"no"}`: "Error: no", `{"error":false,"message":"no"}`: `{"error":false,"message":"no"}`,
	} {
		if got := plain(json.RawMessage(value)); got != want {
			t.Errorf("%s: %s, want %s", value, got, want)
		}
	}
}

// TestAgentFrameworkAnswers: a decision is the protocol's, and an interrupt's id is
// the same whenever it is asked for, and no other's.
func TestAgentFrameworkAnswers(t *testing.T) {
	var in agui.RunAgentInput
	if err := json.Unmarshal([]byte(`{"resume":[{"interruptId":"a","status":"resolved","payload":{"approved":true}},{"interruptId":"b","status":"cancelled"}],"forwardedProps":{"command":{"resume":true}}}`), &in); err != nil {
		t.Fatal(err)
	}
	var d AgentFramework
	if got := spelled(d.Answers(in)); got != `a of  {"approved":true}; b of  cancelled` {
		t.Error(got)
	}
	ids := []string{d.InterruptID("r", "c"), d.InterruptID("r", "d"), d.InterruptID("rc", ""), d.InterruptID("", "rc")}
	for i, id := range ids {
		if !askedID.MatchString(id) || strings.Count(strings.Join(ids, " "), id) != 1 {
			t.Errorf("id %d is %s", i, id)
		}
	}
	if ids[0] != d.InterruptID("r", "c") {
		t.Error("another id the second time")
	}
}
