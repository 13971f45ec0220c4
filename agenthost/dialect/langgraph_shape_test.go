package dialect

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"cairn/agentclient/verify"
	"cairn/agui"
)

func graphWriter(sent ...agui.Message) *langgraph {
	n := 0
	return LangGraph{}.NewWriter(Run{ThreadID: "t", RunID: "r", NewID: func() string { n++; return fmt.Sprintf("m%d", n) }, Messages: sent}).(*langgraph)
}

// spokenShort is a stream in few words: types without their prefixes, and steps by
// name.
func spokenShort(t *testing.T, said ...[]agui.Event) string {
	t.Helper()
	var out []string
	for _, raw := range told(t, said...) {
		var ev struct{ Type, StepName, SubagentRunID string }
		if err := json.Unmarshal([]byte(raw), &ev); err != nil {
			t.Fatal(err)
		}
		name := strings.NewReplacer("TEXT_MESSAGE", "TEXT", "TOOL_CALL", "CALL", "_SNAPSHOT", "",
			"STEP_STARTED", "+"+ev.StepName, "STEP_FINISHED", "-"+ev.StepName).Replace(ev.Type)
		if ev.SubagentRunID != "" {
			name += "@"
		}
		out = append(out, name)
	}
	return strings.Join(out, " ")
}

// TestLangGraphShapes: what no recording has keeps to the same rules. Each node ends
// before the next begins, and nothing is left open.
func TestLangGraphShapes(t *testing.T) {
	call := func(id string) Call { return Call{ID: id, Name: "lookup_customer", Args: json.RawMessage("{}")} }
	child := Delegation{Call: call("d"), Child: "x"}
	result := json.RawMessage(`"ok"`)
	for _, tc := range []struct {
		name, want string
		said       func(*langgraph) [][]agui.Event
	}{
		{"two calls at once", "+desk CALL_START CALL_ARGS CALL_END CALL_START CALL_ARGS CALL_END STATE -desk +tools CALL_RESULT CALL_RESULT -tools +desk TEXT_START TEXT_CONTENT TEXT_END STATE -desk STATE MESSAGES RUN_FINISHED",
			func(m *langgraph) [][]agui.Event {
				return [][]agui.Event{m.ToolCall(call("a")), m.ToolCall(call("b")), m.ToolResult("a", result), m.ToolResult("b", result), stepOf(m), m.Text("x"), m.Finished(nil)}
			}},
		{"text before a call", "+desk TEXT_START TEXT_CONTENT TEXT_END CALL_START CALL_ARGS CALL_END STATE -desk +tools CALL_RESULT -tools STATE MESSAGES RUN_FINISHED",
			func(m *langgraph) [][]agui.Event {
				return [][]agui.Event{m.Text("x"), m.ToolCall(call("a")), m.ToolResult("a", result), m.Finished(nil)}
			}},
		{"a turn after a turn without calls", "+desk TEXT_START TEXT_CONTENT TEXT_END STATE -desk +desk TEXT_START TEXT_CONTENT TEXT_END STATE -desk STATE MESSAGES RUN_FINISHED",
			func(m *langgraph) [][]agui.Event {
				return [][]agui.Event{m.Text("x"), stepOf(m), m.Text("y"), m.Finished(nil)}
			}},
		{"a child after a tool", "+desk CALL_START CALL_ARGS CALL_END STATE -desk +tools CALL_RESULT CALL_START CALL_ARGS CALL_END STATE MESSAGES SUBAGENT_STARTED@ SUBAGENT_FINISHED@ CALL_RESULT -tools STATE MESSAGES RUN_FINISHED",
			func(m *langgraph) [][]agui.Event {
				return [][]agui.Event{m.ToolCall(call("a")), m.ToolResult("a", result), m.ChildStarted(child), m.ChildFinished("d", ""), m.Finished(nil)}
			}},
		{"a child with a tool", "+desk CALL_START CALL_ARGS CALL_END STATE -desk +tools STATE MESSAGES SUBAGENT_STARTED@ +model@ TEXT_START@ TEXT_CONTENT@ TEXT_END@ CALL_START@ CALL_ARGS@ CALL_END@ -model@ +tools@ CALL_RESULT@ -tools@ +model@ TEXT_START@ TEXT_CONTENT@ TEXT_END@ -model@ SUBAGENT_ERROR@ CALL_RESULT -tools STATE MESSAGES RUN_FINISHED",
			func(m *langgraph) [][]agui.Event {
				return [][]agui.Event{m.ChildStarted(child), m.ChildText("d", "x"), m.ChildStep("d"), m.ChildToolCall("d", call("e")),
					m.ChildToolResult("d", "e", result), m.ChildText("d", "y"), m.ChildFailed("d", "no", result), m.Finished(nil)}
			}},
		{"failed while a child talks", "+desk CALL_START CALL_ARGS CALL_END STATE -desk +tools STATE MESSAGES SUBAGENT_STARTED@ +model@ TEXT_START@ TEXT_CONTENT@ TEXT_END@ -model@ SUBAGENT_ERROR@ -tools RUN_ERROR",
			func(m *langgraph) [][]agui.Event {
				return [][]agui.Event{m.ChildStarted(child), m.ChildText("d", "x"), m.Failed("c", "m")}
			}},
		{"failed in a word", "+desk TEXT_START TEXT_CONTENT TEXT_END -desk RUN_ERROR",
			func(m *langgraph) [][]agui.Event { return [][]agui.Event{m.Text("x"), m.Failed("c", "m")} }},
		{"failed at once", "RUN_ERROR", func(m *langgraph) [][]agui.Event { return [][]agui.Event{m.Failed("c", "m")} }},
		{"a call of the client", "+desk CALL_START CALL_ARGS CALL_END STATE -desk STATE MESSAGES RUN_FINISHED",
			func(m *langgraph) [][]agui.Event {
				return [][]agui.Event{m.ClientCall("a", "n"), m.ClientArgs("a", "{}"), m.ClientCallEnd("a"), m.Finished(nil)}
			}},
		{"a state the model writes", "STATE MESSAGES RUN_FINISHED", func(m *langgraph) [][]agui.Event {
			return [][]agui.Event{m.Snapshot(json.RawMessage("{}")), m.Delta(json.RawMessage("[]")), m.Snapshot(json.RawMessage(`{"a":1}`)), m.Finished(nil)}
		}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			m := graphWriter()
			order := verify.New(verify.Strict)
			order.Feed(m.Started()[0])
			said := tc.said(m)
			if got := spokenShort(t, said...); got != tc.want {
				t.Errorf("\n got %s\nwant %s", got, tc.want)
			}
			for _, ev := range slices.Concat(said...) {
				if _, broken := order.Feed(ev); len(broken) > 0 {
					t.Errorf("%T: %v", ev, broken)
				}
			}
		})
	}
}

// TestLangGraphLastWord: the word of the node approval is told once, also when a
// decision is repeated, and no other message is taken for it.
func TestLangGraphLastWord(t *testing.T) {
	said := func(role agui.Role, text string) agui.Message {
		return agui.Message{ID: "a", Role: role, Content: agui.TextContent(text)}
	}
	for _, tc := range []struct {
		last agui.Message
		want int
	}{{said(agui.RoleAssistant, "Issued."), 1}, {said(agui.RoleAssistant, "Drafted."), 2}, {said(agui.RoleUser, "Issued."), 2}} {
		m := graphWriter(tc.last)
		m.Concluded("Issued.")
		evs := m.Finished(nil)
		if got := evs[len(evs)-2].(*agui.MessagesSnapshot).Messages; len(got) != tc.want {
			t.Errorf("after %s %s there are %d messages, want %d", tc.last.Role, tc.last.Content.Text(), len(got), tc.want)
		}
	}
}

// TestLangGraphReason: an interrupt has the reason its payload names.
func TestLangGraphReason(t *testing.T) {
	for payload, want := range map[string]string{`{"reason":"late"}`: "late", `{"reason":""}`: "", `{"reason":null}`: noReason,
		`{"reason":7}`: noReason, `{}`: noReason, `"why"`: noReason, `[1]`: noReason} {
		m := graphWriter()
		m.Suspended(Suspension{Call: Call{ID: "c"}, Payload: json.RawMessage(payload)})
		if got := m.outcome().Interrupts[0].Reason; got != want {
			t.Errorf("%s gives reason %q, want %q", payload, got, want)
		}
		value := string(m.notices()[0].(*agui.Custom).Value)
		if value[0] != '"' || payload[0] == '"' && value != payload {
			t.Errorf("%s is told as %s", payload, value)
		}
	}
}

// TestLangGraphAnswers: where a decision stands, and what it means.
func TestLangGraphAnswers(t *testing.T) {
	command := func(resume string) string { return `{"forwardedProps":{"command":{"resume":` + resume + `}}}` }
	for _, tc := range []struct{ name, in, want string }{
		{"a message", `{}`, ""},
		{"other properties", `{"forwardedProps":{"locale":"de"}}`, ""},
		{"properties that are no object", `{"forwardedProps":[1]}`, ""},
		{"another command", `{"forwardedProps":{"command":{"goto":"x"}}}`, ""},
		{"command", command(`{"approved":true}`), ` of  {"approved":true}`},
		{"command as text", command(`" {\"approved\":true} "`), ` of  {"approved":true}`},
		{"command with words", command(`"yes please"`), ` of  "yes please"`},
		{"command as text of null", command(`"null"`), ` of  "null"`},
		{"command false", command("false"), " of  false"},
		{"command null", command("null"), ""},
		{"command of the wrong type", `{"forwardedProps":{"command":7}}`, "! forwardedProps.command is malformed"},
		{"protocol", `{"resume":[{"interruptId":"a","status":"resolved","payload":1},{"interruptId":"b","status":"cancelled"}]}`, "a of  1; b of  cancelled"},
		{"protocol without a payload", `{"resume":[{"interruptId":"a","status":"resolved"}]}`, "! resume[0].payload is missing"},
		{"both", `{"resume":[{"interruptId":"a","status":"cancelled"}],"forwardedProps":{"command":{"resume":true}}}`, "a of  cancelled"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			var in agui.RunAgentInput
			if err := json.Unmarshal([]byte(tc.in), &in); err != nil {
				t.Fatal(err)
			}
			if got := spelled(LangGraph{}.Answers(in)); got != tc.want {
				t.Errorf("%q, want %q", got, tc.want)
			}
		})
	}
}

// FuzzLangGraphAnswers: whatever comes is a message, an error, or one answer that is
// JSON and says something.
func FuzzLangGraphAnswers(f *testing.F) {
	for _, seed := range []string{`{}`, `[]`, `null`, `{"command":{"resume":false}}`, `{"command":{"resume":"{}"}}`, `{"command":{"resume":"null"}}`, `{"command":{"resume":" "}}`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, props []byte) {
		if !json.Valid(props) {
			return
		}
		list, err := LangGraph{}.Answers(agui.RunAgentInput{ForwardedProps: props})
		if err != nil {
			return
		}
		for _, a := range list {
			if a.Cancelled || !json.Valid(a.Payload) || absent(a.Payload) {
				t.Errorf("%s returned %+v", props, a)
			}
		}
	})
}
