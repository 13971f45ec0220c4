package agentclient_test

import (
	"encoding/json"
	"strings"
	"testing"

	"cairn/agentclient"
	"cairn/demos"
)

const recordings = "../../../../testdata/transcripts/" // from the folder of the older captures

// TestEvidenceOfEachRuntime: what came of a decision is found wherever the runtime
// says it: in a result, in one that only a snapshot of the messages has, or in the
// shared state alone.
func TestEvidenceOfEachRuntime(t *testing.T) {
	for _, c := range []struct {
		name          string
		dialect       demos.Dialect
		pause, resume string
		approved      bool
		result, state string // a part of it; "" for none
	}{
		{"strands names the tool, not the call", demos.StrandsDialect(), "strands/06-interrupts-ask", "strands/07-interrupts-approve", true,
			"Meeting booked for Tuesday 10:00: Q3 roadmap review", `"status":"booked"`},
		{"strands declined", demos.StrandsDialect(), "strands/09-interrupts-ask-to-decline", "strands/10-interrupts-decline", false,
			"NOT booked", `"status":"declined"`},
		{"the Agent Framework approved", demos.AgentFrameworkDialect(), "maf/05-interrupts-ask", "maf/06-interrupts-approve", true,
			"Expense recorded: $220.00", `"vendor"`},
		{"the Agent Framework declined, in the snapshot alone", demos.AgentFrameworkDialect(), "maf/08-interrupts-ask-to-decline", "maf/09-interrupts-decline", false,
			"rejected by user", `"vendor"`},
		{"LangGraph approved, in the state alone", demos.LangGraphDialect(), "langgraph/05-interrupts-ask", "langgraph/06-interrupts-approve", true,
			"", `"refund_id":"re_demo_`},
		{"LangGraph declined, in the state alone", demos.LangGraphDialect(), "langgraph-native/08-interrupts-ask-to-decline", "langgraph-native/09-interrupts-decline", false,
			"", `"status":"cancelled"`},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := &fold{Session: agentclient.NewSession(agentclient.SessionConfig{Transport: c.dialect.Transport, Profile: c.dialect.Profile}), t: t}
			f.ask("m1", "please", "r1")
			f.play(recordings+c.pause, "r1", 0)
			f.row(agentclient.RecordEnd, "r1", end(agentclient.OutcomeFinished))
			a := f.Open()
			if a == nil || len(a.Pending) != 1 || len(a.Pending[0].Payload) == 0 {
				t.Fatalf("open question %+v", a)
			}
			f.row(agentclient.RecordClaim, "r2", agentclient.ClaimData{Generation: a.Generation, Approved: c.approved, Resume: agentclient.Answer(a.Pending, c.approved)})
			f.row(agentclient.RecordRun, "r2", agentclient.RunData{Reason: agentclient.ReasonDecision})
			f.play(recordings+c.resume, "r2", 0)
			if a.Decision.State != nil {
				t.Error("the state counts before the run's end is recorded")
			}
			f.row(agentclient.RecordEnd, "r2", end(agentclient.OutcomeFinished))
			got := strings.Join(a.Decision.Results[0], "\n")
			if (c.result == "") != (got == "") || !strings.Contains(got, c.result) || len(a.Decision.Results[0]) > 1 {
				t.Errorf("results %q, want one with %q", a.Decision.Results, c.result)
			}
			if !strings.Contains(string(a.Decision.State), c.state) {
				t.Errorf("state %.200s, want %s in it", a.Decision.State, c.state)
			}
		})
	}
}

// TestSeveralQuestionsAreAnsweredAtOnce: over the protocol's array every pending id
// gets the decision, each its own entry.
func TestSeveralQuestionsAreAnsweredAtOnce(t *testing.T) {
	d := demos.AgentFrameworkDialect()
	f := &fold{Session: agentclient.NewSession(agentclient.SessionConfig{Transport: d.Transport, Profile: d.Profile}), t: t}
	f.ask("m1", "file both", "r1")
	for _, event := range []string{
		`{"type":"RUN_STARTED","threadId":"t","runId":"r1"}`,
		`{"type":"RUN_FINISHED","threadId":"t","runId":"r1","outcome":{"type":"interrupt","interrupts":[{"id":"a","reason":"tool_call","toolCallId":"c1"},{"id":"b","reason":"tool_call","toolCallId":"c2"}]}}`,
	} {
		f.row(agentclient.RecordEvent, "r1", json.RawMessage(event))
	}
	f.row(agentclient.RecordEnd, "r1", end(agentclient.OutcomeFinished))
	if !f.Blocked(noon) {
		t.Error("the questions do not hold messages back")
	}
	a := f.Open()
	f.row(agentclient.RecordClaim, "r2", agentclient.ClaimData{Generation: a.Generation, Approved: true, Resume: agentclient.Answer(a.Pending, true)})
	want := `[{"interruptId":"a","status":"resolved","payload":{"approved":true}},{"interruptId":"b","status":"resolved","payload":{"approved":true}}]`
	if got, err := json.Marshal(a.Decision.Wire.Resume); err != nil || string(got) != want {
		t.Errorf("resume %s, want %s", got, want)
	}
}
