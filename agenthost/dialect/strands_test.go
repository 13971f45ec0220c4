package dialect

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"cairn/agentclient/verify"
	"cairn/agui"
)

func strandsSpeaker(in agui.RunAgentInput) *strands {
	n := 0
	return Strands{}.NewWriter(Run{ThreadID: in.ThreadID, RunID: in.RunID, Messages: in.Messages,
		NewID: func() string { n++; return fmt.Sprintf("new-%d", n) }}).(*strands)
}

const (
	noDay      = `{}`
	tuesday    = `{"availability":{"day":"Tuesday","slots":["10:00","15:00"]},"booking":null}`
	thursday   = `{"availability":{"day":"Thursday","slots":["09:30","14:00","16:30"]},"booking":null}`
	roadmap    = `{"availability":{"day":"Tuesday","slots":["10:00","15:00"]},"booking":{"topic":"Q3 roadmap review","slot":"Tuesday 10:00","status":"%s"}}`
	reviewArgs = `{"slot":"Tuesday 10:00","topic":"Q3 roadmap review"}`
	foundSlots = "- **Tuesday 15:00:** Ada and Grace are all free, the best choice\n- **Thursday 09:30:** free for half an hour\n- **Tuesday 10:00:** only as a last resort, as a focus block would move"
)

// TestStrandsAsRecorded tells a writer what happened in recorded runs and expects
// the very events, but for the bridge's mirror of the model's (RAW) and for the
// tokens, which the host counts.
func TestStrandsAsRecorded(t *testing.T) {
	check := func(id, day string) Call {
		return Call{id, "check_availability", json.RawMessage(`{"day":"` + day + `"}`)}
	}
	for _, tc := range []struct {
		name  string
		opens string // the state
		story func(s *strands, in agui.RunAgentInput) [][]agui.Event
	}{
		{"01-messages-prompt-1", noDay, func(s *strands, _ agui.RunAgentInput) [][]agui.Event {
			return [][]agui.Event{s.Text("Hello! Shall I check a weekday's free slots, find out when people are"),
				s.Text(" free or book a meeting?"), s.Finished(nil)}
		}},
		{"03-tools-call", noDay, func(s *strands, _ agui.RunAgentInput) [][]agui.Event {
			return [][]agui.Event{s.ToolCall(check("call_1", "Thursday")),
				s.ToolResult("call_1", json.RawMessage(`{"day":"Thursday","slots":["09:30","14:00","16:30"]}`)), s.Shared(json.RawMessage(thursday)),
				s.Text("Thursday is free at 09:30, 14:00 and 16:30."), s.Snapshot(json.RawMessage(thursday)), s.Finished(nil)}
		}},
		{"06-interrupts-ask", noDay, func(s *strands, _ agui.RunAgentInput) [][]agui.Event {
			pending := json.RawMessage(fmt.Sprintf(roadmap, "pending"))
			return [][]agui.Event{s.ToolCall(check("call_1", "Tuesday")),
				s.ToolResult("call_1", json.RawMessage(`{"day":"Tuesday","slots":["10:00","15:00"]}`)), s.Shared(json.RawMessage(tuesday)),
				s.Suspended(Suspension{Call: Call{"call_2", "book_meeting", json.RawMessage(reviewArgs)}, ResumeSchema: json.RawMessage(`{}`),
					Payload: json.RawMessage(`{"topic":"Q3 roadmap review","slot":"Tuesday 10:00"}`), State: pending}),
				s.Snapshot(pending), s.Interrupted(nil)}
		}},
		{"07-interrupts-approve", fmt.Sprintf(roadmap, "pending"), func(s *strands, in agui.RunAgentInput) [][]agui.Event {
			booked := json.RawMessage(fmt.Sprintf(roadmap, "booked"))
			asked := in.Messages[len(in.Messages)-1].ToolCalls[0].ID
			return [][]agui.Event{s.ToolResult(asked, json.RawMessage(`"Meeting booked for Tuesday 10:00: Q3 roadmap review"`)), s.Shared(booked),
				s.Text("Q3 roadmap review is booked for Tuesday 10:00."), s.Snapshot(booked), s.Finished(nil)}
		}},
		{"20-subagents-delegate", noDay, func(s *strands, _ agui.RunAgentInput) [][]agui.Event {
			call := Call{"call_1", "research_availability", json.RawMessage(`{"attendees":["Ada","Grace"],"date_range":"next week"}`)}
			return [][]agui.Event{s.ChildStarted(Delegation{Call: call, Child: "availability_researcher", Description: "Finds out when people can meet.", Prompt: "When?"}),
				s.ChildText("call_1", foundSlots), s.ChildFinished("call_1", foundSlots),
				s.Text("Ada and Grace can make Tuesday 15:00; shall I book it?"), s.Finished(nil)}
		}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			in, events := recorded(t, "strands/"+tc.name)
			s := strandsSpeaker(in)
			story := append([][]agui.Event{s.Started(), s.Opened(json.RawMessage(tc.opens))}, tc.story(s, in)...)
			got, want := told(t, story...), events
			for _, list := range [][]string{got, want} {
				for i, ev := range list { // how an interrupt's id ends differs
					list[i] = regexp.MustCompile(`("v1:tool_call:call_\w+:)[0-9a-f-]+"`).ReplaceAllString(ev, `$1"`)
				}
			}
			sameEvents(t, alike(t, got, strandsNoise), alike(t, want, strandsNoise))
		})
	}
}

func strandsNoise(ev map[string]any) {
	delete(ev, "usage")
	if ev["type"] == "RAW" {
		clear(ev)
	}
}

// types are the events' types in order.
func types(t *testing.T, said ...[]agui.Event) string {
	t.Helper()
	var list []string
	for _, raw := range told(t, said...) {
		var ev struct {
			Type string `json:"type"`
		}
		if err := json.Unmarshal([]byte(raw), &ev); err != nil {
			t.Fatal(err)
		}
		list = append(list, ev.Type)
	}
	return strings.Join(list, " ")
}

// TestStrandsEndsWhatIsOpen: what comes in no recorded run, in the protocol's order.
func TestStrandsEndsWhatIsOpen(t *testing.T) {
	in := agui.RunAgentInput{ThreadID: "t", RunID: "r"}
	call := Call{"c", "n", json.RawMessage("{}")}
	for _, tc := range []struct {
		name, want string
		story      func(s *strands) [][]agui.Event
	}{
		{"text, call", "TEXT_MESSAGE_START TEXT_MESSAGE_CONTENT TEXT_MESSAGE_END MESSAGES_SNAPSHOT TOOL_CALL_START TOOL_CALL_ARGS TOOL_CALL_END MESSAGES_SNAPSHOT",
			func(s *strands) [][]agui.Event { return [][]agui.Event{s.Text("a"), s.ToolCall(call)} }},
		{"text, client's call", "TEXT_MESSAGE_START TEXT_MESSAGE_CONTENT TEXT_MESSAGE_END MESSAGES_SNAPSHOT TOOL_CALL_START TOOL_CALL_ARGS TOOL_CALL_END MESSAGES_SNAPSHOT",
			func(s *strands) [][]agui.Event {
				return [][]agui.Event{s.Text("a"), s.ClientCall("c", "n"), s.ClientArgs("c", "{}"), s.ClientCallEnd("c")}
			}},
		{"text, failure", "TEXT_MESSAGE_START TEXT_MESSAGE_CONTENT TEXT_MESSAGE_END MESSAGES_SNAPSHOT RUN_ERROR",
			func(s *strands) [][]agui.Event { return [][]agui.Event{s.Text("a"), s.Failed("code", "message")} }},
		{"child, failure", "TOOL_CALL_START TOOL_CALL_ARGS TOOL_CALL_END MESSAGES_SNAPSHOT SUBAGENT_STARTED TEXT_MESSAGE_START TEXT_MESSAGE_CONTENT TEXT_MESSAGE_END SUBAGENT_ERROR RUN_ERROR",
			func(s *strands) [][]agui.Event {
				return [][]agui.Event{s.ChildStarted(Delegation{Call: call, Child: "x"}), s.ChildText("c", "half"), s.Failed("code", "message")}
			}},
		{"child breaks", "TOOL_CALL_START TOOL_CALL_ARGS TOOL_CALL_END MESSAGES_SNAPSHOT SUBAGENT_STARTED SUBAGENT_ERROR TOOL_CALL_RESULT MESSAGES_SNAPSHOT",
			func(s *strands) [][]agui.Event {
				return [][]agui.Event{s.ChildStarted(Delegation{Call: call, Child: "x"}), s.ChildFailed("c", "m", json.RawMessage(`{}`))}
			}},
		{"concluded", "TEXT_MESSAGE_START TEXT_MESSAGE_CONTENT TEXT_MESSAGE_END MESSAGES_SNAPSHOT TEXT_MESSAGE_START TEXT_MESSAGE_CONTENT TEXT_MESSAGE_END MESSAGES_SNAPSHOT STATE_SNAPSHOT RUN_FINISHED",
			func(s *strands) [][]agui.Event {
				return [][]agui.Event{s.Text("a"), s.Concluded("b"), s.Finished(nil)}
			}},
		{"two calls", "TOOL_CALL_START TOOL_CALL_ARGS TOOL_CALL_END MESSAGES_SNAPSHOT TOOL_CALL_START TOOL_CALL_ARGS TOOL_CALL_END MESSAGES_SNAPSHOT TOOL_CALL_RESULT MESSAGES_SNAPSHOT TOOL_CALL_RESULT MESSAGES_SNAPSHOT STATE_SNAPSHOT RUN_FINISHED",
			func(s *strands) [][]agui.Event {
				other := Call{"d", "n", json.RawMessage("{}")}
				return [][]agui.Event{s.ToolCall(call), s.ToolCall(other), s.ToolResult("d", json.RawMessage("1")), s.ToolResult("c", json.RawMessage("2")), s.Finished(nil)}
			}},
		{"a child that calls", "TOOL_CALL_START TOOL_CALL_ARGS TOOL_CALL_END MESSAGES_SNAPSHOT SUBAGENT_STARTED TEXT_MESSAGE_START TEXT_MESSAGE_CONTENT TEXT_MESSAGE_END TOOL_CALL_START TOOL_CALL_ARGS TOOL_CALL_END TOOL_CALL_RESULT TEXT_MESSAGE_START TEXT_MESSAGE_CONTENT TEXT_MESSAGE_END SUBAGENT_FINISHED TOOL_CALL_RESULT MESSAGES_SNAPSHOT STATE_SNAPSHOT RUN_FINISHED",
			func(s *strands) [][]agui.Event {
				return [][]agui.Event{s.ChildStarted(Delegation{Call: call, Child: "x"}), s.ChildText("c", "a"), s.ChildToolCall("c", Call{"d", "n", json.RawMessage("{}")}),
					s.ChildToolResult("c", "d", json.RawMessage("1")), s.ChildText("c", "b"), s.ChildFinished("c", "b"), s.Finished(nil)}
			}},
		{"two questions", "TOOL_CALL_START TOOL_CALL_ARGS TOOL_CALL_END MESSAGES_SNAPSHOT TOOL_CALL_START TOOL_CALL_ARGS TOOL_CALL_END MESSAGES_SNAPSHOT STATE_SNAPSHOT RUN_FINISHED",
			func(s *strands) [][]agui.Event {
				other := Call{"d", "n", json.RawMessage("{}")}
				return [][]agui.Event{s.Suspended(Suspension{Call: call, Payload: json.RawMessage("1")}), s.Suspended(Suspension{Call: other, Payload: json.RawMessage("2")}), s.Interrupted(nil)}
			}},
		{"patches", "", func(s *strands) [][]agui.Event { return [][]agui.Event{s.Delta(json.RawMessage(`[]`))} }},
	} {
		s := strandsSpeaker(in)
		order := verify.New(verify.Strict)
		order.Feed(s.Started()[0])
		said := tc.story(s)
		if got := types(t, said...); got != tc.want {
			t.Errorf("%s:\n got %s\nwant %s", tc.name, got, tc.want)
		}
		for _, ev := range slices.Concat(said...) {
			if _, broken := order.Feed(ev); len(broken) > 0 {
				t.Errorf("%s: %T: %v", tc.name, ev, broken)
			}
		}
	}
}

// TestStrandsSaysNothingTwice: what the client has of a call is said again under
// the same id and is not added to the messages.
func TestStrandsSaysNothingTwice(t *testing.T) {
	in, _ := recorded(t, "strands/08-interrupts-repeated-answer")
	s := strandsSpeaker(in)
	last := in.Messages[len(in.Messages)-2] // the result, before the model's answer
	if last.ToolCallID == "" {
		t.Fatalf("no result: %+v", last)
	}
	evs := s.ToolResult(last.ToolCallID, json.RawMessage(last.Content.Text()))
	if id := evs[0].(*agui.ToolCallResult).MessageID; id != last.ID {
		t.Errorf("result again as %s, was %s", id, last.ID)
	}
	s.ToolResult(last.ToolCallID, json.RawMessage(`"another"`)) // the client's own was not the tool's
	if got := s.messages[len(s.messages)-2]; got.ID != last.ID || got.Content.Text() != `"another"` {
		t.Errorf("told again as %+v", got)
	}
	s.Suspended(Suspension{Call: Call{last.ToolCallID, "book_meeting", json.RawMessage("{}")}, Payload: json.RawMessage("{}")})
	if len(s.messages) != len(in.Messages) {
		t.Errorf("%d messages, the client has %d", len(s.messages), len(in.Messages))
	}
}

// TestStrandsAnswers: a decision is the protocol's, and nothing else is one.
func TestStrandsAnswers(t *testing.T) {
	for in, want := range map[string]string{
		`{}`: "",
		`{"forwardedProps":{"command":{"resume":true,"interruptEvent":{"toolCallId":"c","runId":"r"}}}}`:             "",
		`{"resume":[{"interruptId":"a","status":"resolved","payload":{}},{"interruptId":"b","status":"cancelled"}]}`: "a of  {}; b of  cancelled",
		`{"resume":[{"interruptId":"a","status":"resolved"}]}`:                                                       "! resume[0].payload is missing",
	} {
		var input agui.RunAgentInput
		if err := json.Unmarshal([]byte(in), &input); err != nil {
			t.Fatal(err)
		}
		if got := spelled(Strands{}.Answers(input)); got != want {
			t.Errorf("%s: %s, want %s", in, got, want)
		}
	}
}
