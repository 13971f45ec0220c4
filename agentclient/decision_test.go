package agentclient_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"testing"

	"cairn/agentclient"
	"cairn/agentclient/interrupt"
)

// paused is a thread that asks these things, over the protocol's array.
func paused(t *testing.T, interrupts string, transport interrupt.Transport) *fold {
	f := &fold{Session: agentclient.NewSession(agentclient.SessionConfig{Transport: transport, Profile: interrupt.Profile{}}), t: t}
	f.ask("m1", "please", "r1")
	f.row(agentclient.RecordEvent, "r1", json.RawMessage(`{"type":"RUN_STARTED","threadId":"t","runId":"r1"}`))
	f.row(agentclient.RecordEvent, "r1", json.RawMessage(`{"type":"RUN_FINISHED","threadId":"t","runId":"r1","outcome":{"type":"interrupt","interrupts":`+interrupts+`}}`))
	f.row(agentclient.RecordEnd, "r1", end(agentclient.OutcomeFinished))
	return f
}

const two = `[{"id":"a","reason":"x","toolCallId":"c1"},{"id":"b","reason":"x","toolCallId":"c2"}]`

// TestAMixedDecision: each request gets its own entry, and what came of it is found
// in the result of its own call.
func TestAMixedDecision(t *testing.T) {
	f := paused(t, two, interrupt.TransportProtocol)
	a := f.Open()
	each := []agentclient.Verdict{
		{Approved: true, Answer: json.RawMessage(`{"approved":true,"editedArgs":{"n":3}}`)},
		{Approved: false, Answer: json.RawMessage(`{"approved":false}`)},
	}
	f.row(agentclient.RecordClaim, "r2", agentclient.ClaimData{Generation: a.Generation, Resume: f.Answer(a, each), Each: each})
	f.row(agentclient.RecordRun, "r2", agentclient.RunData{Reason: agentclient.ReasonDecision})
	want := `[{"interruptId":"a","status":"resolved","payload":{"approved":true,"editedArgs":{"n":3}}},{"interruptId":"b","status":"resolved","payload":{"approved":false}}]`
	if got, err := json.Marshal(a.Decision.Wire.Resume); err != nil || string(got) != want {
		t.Errorf("resume %s, want %s", got, want)
	}
	for _, event := range []string{
		`{"type":"RUN_STARTED","threadId":"t","runId":"r2"}`,
		`{"type":"TOOL_CALL_RESULT","toolCallId":"c2","messageId":"x","content":"refused","role":"tool"}`,
		`{"type":"TOOL_CALL_RESULT","toolCallId":"c1","messageId":"y","content":"done","role":"tool"}`,
		`{"type":"RUN_FINISHED","threadId":"t","runId":"r2"}`,
	} {
		f.row(agentclient.RecordEvent, "r2", json.RawMessage(event))
	}
	f.row(agentclient.RecordEnd, "r2", end(agentclient.OutcomeFinished))
	for i, result := range []string{"done", "refused"} {
		if v, results := a.Own().Each[i], a.Own().Results[i]; v.Approved != each[i].Approved || string(v.Answer) != string(each[i].Answer) || !slices.Equal(results, []string{result}) {
			t.Errorf("request %d: %+v, %q", i, v, results)
		}
	}
	if a.Decision.Approved() || !a.Decision.Finished {
		t.Errorf("decision %+v", a.Decision)
	}
}

// TestARowOfBeforeIsReadAsOneDecisionOnAll: such a row has no verdict for each.
func TestARowOfBeforeIsReadAsOneDecisionOnAll(t *testing.T) {
	for _, approved := range []bool{true, false} {
		f := paused(t, two, interrupt.TransportProtocol)
		a := f.Open()
		f.row(agentclient.RecordClaim, "r2", json.RawMessage(fmt.Sprintf(`{"generation":1,"approved":%t,"resume":%s}`, approved, agentclient.Answer(a.Pending, approved))))
		for i := range a.Pending {
			if v := a.Own().Each[i]; v.Approved != approved || string(v.Answer) != fmt.Sprintf(`{"approved":%t}`, approved) {
				t.Errorf("request %d: %+v", i, v)
			}
		}
	}
}

// TestAVerdictForEachRequestOrNone: a claim that fits another question changes nothing.
func TestAVerdictForEachRequestOrNone(t *testing.T) {
	f := paused(t, two, interrupt.TransportProtocol)
	a := f.Open()
	row := agentclient.NewRecord(agentclient.RecordClaim, "r2", agentclient.ClaimData{Generation: a.Generation, Resume: agentclient.Answer(a.Pending, true), Each: agentclient.Alike(1, true)})
	row.At = noon
	if _, err := f.Fold(row); !errors.Is(err, interrupt.ErrBadDecision) || a.Decision != nil {
		t.Errorf("%v, decision %+v", err, a.Decision)
	}
}

// TestHowAnAnswerTravels: an answer that is a list, and a withdrawal, can only be said
// in an entry; over a command the one is as it is, and the other is a no.
func TestHowAnAnswerTravels(t *testing.T) {
	for _, c := range []struct {
		transport    interrupt.Transport
		answer, want string
	}{
		{interrupt.TransportProtocol, `"red"`, `"red"`},
		{interrupt.TransportProtocol, `["red"]`, `[{"interruptId":"a","status":"resolved","payload":["red"]}]`},
		{interrupt.TransportProtocol, ``, `[{"interruptId":"a","status":"cancelled"}]`},
		{interrupt.TransportAuto, ``, `[{"interruptId":"a","status":"cancelled"}]`},
		{interrupt.TransportLegacyCommand, `["red"]`, `["red"]`},
		{interrupt.TransportLegacyCommand, ``, `{"approved":false}`},
	} {
		f := paused(t, `[{"id":"a","reason":"x"}]`, c.transport)
		v := agentclient.Verdict{Approved: c.answer != ""}
		if c.answer != "" {
			v.Answer = json.RawMessage(c.answer)
		}
		got := f.Answer(f.Open(), []agentclient.Verdict{v})
		if string(got) != c.want {
			t.Errorf("%s of %q: %s, want %s", c.transport, c.answer, got, c.want)
		}
		if err := f.Interrupts.Answerable(got, noon); err != nil {
			t.Errorf("%s of %q: %v", c.transport, c.answer, err)
		}
	}
}

// TestSeveralQuestionsThatNameOnlyTheirTool are about a call each.
func TestSeveralQuestionsThatNameOnlyTheirTool(t *testing.T) {
	f := &fold{Session: agentclient.NewSession(agentclient.SessionConfig{Transport: interrupt.TransportProtocol, Profile: interrupt.Profile{ToolName: []string{"native.reason"}}}), t: t}
	f.ask("m1", "please", "r1")
	for _, event := range []string{
		`{"type":"RUN_STARTED","threadId":"t","runId":"r1"}`,
		`{"type":"TOOL_CALL_START","toolCallId":"c1","toolCallName":"book"}`, `{"type":"TOOL_CALL_END","toolCallId":"c1"}`,
		`{"type":"TOOL_CALL_START","toolCallId":"c2","toolCallName":"book"}`, `{"type":"TOOL_CALL_END","toolCallId":"c2"}`,
		`{"type":"RUN_FINISHED","threadId":"t","runId":"r1","outcome":{"type":"interrupt","interrupts":[{"id":"a","reason":"book"},{"id":"b","reason":"book"}]}}`,
	} {
		f.row(agentclient.RecordEvent, "r1", json.RawMessage(event))
	}
	if p := f.Approvals()[0].Pending; p[0].ToolCallID != "c1" || p[1].ToolCallID != "c2" {
		t.Errorf("asked about %q and %q", p[0].ToolCallID, p[1].ToolCallID)
	}
}

// TestOneResultForTwoRequestsShowsNeither: the result of a call does not say for which of
// the requests about it.
func TestOneResultForTwoRequestsShowsNeither(t *testing.T) {
	f := paused(t, `[{"id":"a","reason":"x","toolCallId":"c1"},{"id":"b","reason":"x","toolCallId":"c1"},{"id":"c","reason":"x","toolCallId":"c2"}]`, interrupt.TransportProtocol)
	a := f.Open()
	each := agentclient.Alike(3, true)
	f.row(agentclient.RecordClaim, "r2", agentclient.ClaimData{Generation: a.Generation, Approved: true, Resume: f.Answer(a, each), Each: each})
	f.row(agentclient.RecordRun, "r2", agentclient.RunData{Reason: agentclient.ReasonDecision})
	for _, call := range []string{"c1", "c2"} {
		f.row(agentclient.RecordEvent, "r2", json.RawMessage(`{"type":"TOOL_CALL_RESULT","toolCallId":"`+call+`","messageId":"x","content":"done","role":"tool"}`))
	}
	for i, want := range []int{0, 0, 1} {
		if got := a.Own().Results[i]; len(got) != want {
			t.Errorf("request %d: results %q", i, got)
		}
	}
}

// TestAQuestionThatNamesItsCallLeavesTheOthers to those that name only their tool.
func TestAQuestionThatNamesItsCallLeavesTheOthers(t *testing.T) {
	f := &fold{Session: agentclient.NewSession(agentclient.SessionConfig{Transport: interrupt.TransportProtocol, Profile: interrupt.Profile{ToolName: []string{"native.reason"}}}), t: t}
	f.ask("m1", "please", "r1")
	for _, event := range []string{
		`{"type":"RUN_STARTED","threadId":"t","runId":"r1"}`,
		`{"type":"TOOL_CALL_START","toolCallId":"c1","toolCallName":"book"}`, `{"type":"TOOL_CALL_END","toolCallId":"c1"}`,
		`{"type":"TOOL_CALL_START","toolCallId":"c2","toolCallName":"book"}`, `{"type":"TOOL_CALL_END","toolCallId":"c2"}`,
		`{"type":"RUN_FINISHED","threadId":"t","runId":"r1","outcome":{"type":"interrupt","interrupts":[{"id":"a","reason":"book","toolCallId":"c2"},{"id":"b","reason":"book"}]}}`,
	} {
		f.row(agentclient.RecordEvent, "r1", json.RawMessage(event))
	}
	if p := f.Approvals()[0].Pending; p[0].ToolCallID != "c2" || p[1].ToolCallID != "c1" {
		t.Errorf("asked about %q and %q", p[0].ToolCallID, p[1].ToolCallID)
	}
}

// TestAResultOfBeforeIsNoResult: an id that is used again has what it had the first
// time in each snapshot.
func TestAResultOfBeforeIsNoResult(t *testing.T) {
	const one = `[{"id":"%s","reason":"x","toolCallId":"c1"}]`
	call := func(result string) string {
		return `{"type":"MESSAGES_SNAPSHOT","messages":[{"id":"u","role":"user","content":"please"},{"id":"a","role":"assistant","toolCalls":[{"id":"c1","type":"function","function":{"name":"book","arguments":"{}"}}]},{"id":"t","role":"tool","toolCallId":"c1","content":"` + result + `"}]}`
	}
	f := paused(t, fmt.Sprintf(one, "first"), interrupt.TransportProtocol)
	decide := func(run string) *agentclient.Approval {
		a := f.Open()
		f.row(agentclient.RecordClaim, run, agentclient.ClaimData{Generation: a.Generation, Approved: true, Resume: agentclient.Answer(a.Pending, true)})
		f.row(agentclient.RecordRun, run, agentclient.RunData{Reason: agentclient.ReasonDecision})
		f.row(agentclient.RecordEvent, run, json.RawMessage(`{"type":"RUN_STARTED","threadId":"t","runId":"`+run+`"}`))
		return a
	}
	first := decide("r2")
	f.row(agentclient.RecordEvent, "r2", json.RawMessage(call("booked")))
	f.row(agentclient.RecordEvent, "r2", json.RawMessage(`{"type":"RUN_FINISHED","threadId":"t","runId":"r2","outcome":{"type":"interrupt","interrupts":`+fmt.Sprintf(one, "second")+`}}`))
	f.row(agentclient.RecordEnd, "r2", end(agentclient.OutcomeFinished))
	second := decide("r3")
	f.row(agentclient.RecordEvent, "r3", json.RawMessage(call("booked")))
	if got := first.Own().Results[0]; !slices.Equal(got, []string{"booked"}) {
		t.Errorf("of the first: %q", got)
	}
	if got := second.Own().Results[0]; len(got) != 0 {
		t.Errorf("of the second: %q", got)
	}
	f.row(agentclient.RecordEvent, "r3", json.RawMessage(call("refused")))
	if got := second.Own().Results[0]; !slices.Equal(got, []string{"refused"}) {
		t.Errorf("told anew: %q", got)
	}
}
