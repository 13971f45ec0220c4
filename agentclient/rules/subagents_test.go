package rules

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"testing"

	"cairn/agentclient"
	"cairn/agentclient/agenttest"
	"cairn/agui"
)

const delegates = started + `
	{"type":"TOOL_CALL_START","toolCallId":"c1","toolCallName":"delegate"}
	{"type":"TOOL_CALL_END","toolCallId":"c1"}` + "\n"

func TestRule55AChildsContentStaysWithTheChild(t *testing.T) {
	th := newThread(t).run("r1", delegates+`
		{"type":"SUBAGENT_STARTED","subagentRunId":"s1","name":"researcher","parentToolCallId":"c1"}
		{"type":"TEXT_MESSAGE_START","messageId":"m","role":"assistant","subagentRunId":"s1"}
		{"type":"TEXT_MESSAGE_CONTENT","messageId":"m","delta":"child","subagentRunId":"s1"}
		{"type":"TEXT_MESSAGE_END","messageId":"m","subagentRunId":"s1"}
		{"type":"TOOL_CALL_START","toolCallId":"c2","toolCallName":"look","subagentRunId":"s1"}
		{"type":"TOOL_CALL_END","toolCallId":"c2","subagentRunId":"s1"}
		{"type":"TOOL_CALL_RESULT","messageId":"r2","toolCallId":"c2","content":"seen","subagentRunId":"s1"}
		{"type":"SUBAGENT_FINISHED","subagentRunId":"s1"}
		{"type":"TEXT_MESSAGE_CHUNK","messageId":"p","role":"assistant","delta":"parent"}
		`+finished)
	want(t, "page", th.page(), `
		call c1 delegate incomplete  ->
		sub s1 researcher [c1] complete (assistant m complete: child
		call c2 look complete  -> seen)
		assistant p complete: parent`)
}

func TestRule56ContentBeforeTheAnnouncement(t *testing.T) {
	th := newThread(t).run("r1", delegates+`
		{"type":"TEXT_MESSAGE_CHUNK","messageId":"m","role":"assistant","delta":"early","subagentRunId":"s1"}`)
	want(t, "a placeholder", th.page(), `
		call c1 delegate running  ->
		sub s1  [] running (assistant m streaming: early)`)
	th.more("r1", `{"type":"SUBAGENT_STARTED","subagentRunId":"s1","name":"researcher","parentToolCallId":"c1"}
		{"type":"SUBAGENT_STARTED","subagentRunId":"s1","name":"again"}
		{"type":"SUBAGENT_FINISHED","subagentRunId":"s1"}`)
	want(t, "its identity", th.page(), `
		call c1 delegate running  ->
		sub s1 researcher [c1] complete (assistant m complete: early)`)
	if !th.Delegated("c1") {
		t.Error("not anchored on its call")
	}
}

func TestRule57HowAChildEnds(t *testing.T) {
	for end, status := range map[string]string{
		`{"type":"SUBAGENT_FINISHED","subagentRunId":"s1"}`:                                                      "complete",
		`{"type":"SUBAGENT_FINISHED","subagentRunId":"s1","outcome":{"type":"success"}}`:                         "complete",
		`{"type":"SUBAGENT_FINISHED","subagentRunId":"s1","outcome":{"type":"suspended","interruptIds":["i1"]}}`: "pending",
		`{"type":"SUBAGENT_ERROR","subagentRunId":"s1","message":"out of quota"}`:                                "errorout of quota",
		`{"type":"RUN_FINISHED","threadId":"t","runId":"r"}`:                                                     "complete",
		`{"type":"RUN_ERROR","message":"gone"}`:                                                                  "error",
	} {
		th := newThread(t).run("r1", started+`{"type":"SUBAGENT_STARTED","subagentRunId":"s1","name":"researcher"}`+"\n"+end)
		want(t, end, th.page(), "sub s1 researcher [] "+status+" ()")
	}
	// One that was suspended goes on in the run that follows.
	th := newThread(t).run("r1", started+`{"type":"SUBAGENT_STARTED","subagentRunId":"s1","name":"researcher"}
		{"type":"SUBAGENT_FINISHED","subagentRunId":"s1","outcome":{"type":"suspended"}}`+"\n"+asks)
	th.run("r2", started+`{"type":"TEXT_MESSAGE_CHUNK","messageId":"m","role":"assistant","delta":"more","subagentRunId":"s1"}
		{"type":"SUBAGENT_FINISHED","subagentRunId":"s1"}`+"\n"+finished)
	want(t, "resumed", th.page(), "sub s1 researcher [] complete (assistant m complete: more)")
}

func TestRule58DisorderIsNotedAndSurvived(t *testing.T) {
	th := newThread(t).run("r1", started+`
		{"type":"SUBAGENT_STARTED","subagentRunId":"s1","name":"one"}
		{"type":"SUBAGENT_STARTED","subagentRunId":"s1","name":"two"}
		`+finished)
	want(t, "page", th.page(), "sub s1 one [] complete ()")
	var rules []string
	for _, n := range th.Notes() {
		rules = append(rules, n.Rule)
	}
	if len(rules) != 2 || rules[0] != "R25" || rules[1] != "R24" {
		t.Errorf("notes %v", rules)
	}

	// A strict client ends there, with what came before.
	server := httptest.NewServer(agenttest.NewScript(agenttest.Events(&agui.RunStarted{},
		child("s1"), child("s1"), &agui.RunFinished{})))
	defer server.Close()
	client, err := agentclient.New(agentclient.Config{URL: server.URL, Strict: true, HTTPClient: &http.Client{Transport: server.Client().Transport}})
	if err != nil {
		t.Fatal(err)
	}
	given := 0
	var failed *agentclient.Error
	for _, err := range client.Run(t.Context(), agui.RunAgentInput{ThreadID: "t", RunID: "r"}) {
		if err == nil {
			given++
		} else if !errors.As(err, &failed) {
			t.Fatal(err)
		}
	}
	if given != 2 || failed == nil || failed.Kind != agentclient.KindViolation || failed.Frame != 3 {
		t.Errorf("%d events, then %v", given, failed)
	}
}

func child(id string) agui.Event {
	ev := &agui.SubagentStarted{Name: "researcher"}
	ev.SubagentRunID = id
	return ev
}
