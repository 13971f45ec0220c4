package view

import (
	"strings"
	"testing"

	"cairn/agentclient"
	"cairn/components"
	"cairn/demos"
	"cairn/internal/threadlog"
)

// TestAQuestionInWords has a box for the answer, or a button for each answer it names,
// and says Approve nowhere; a request for approval still does.
func TestAQuestionInWords(t *testing.T) {
	finished := `{"type":"RUN_FINISHED","threadId":"t","runId":"r1"}`
	for name, c := range map[string]struct {
		events  []string
		shows   string // what a card for an answer says, "" for one that asks for approval
		choices int
	}{
		"a notice of text":      {[]string{notice(`"What is your name?"`), finished}, "What is your name?", 0},
		"a notice in an object": {[]string{notice(`{"question":"What is your name?"}`), finished}, "What is your name?", 0},
		"JSON in text":          {[]string{notice(`"{\"question\":\"Which?\",\"options\":[\"Red\",\"Blue\"]}"`), finished}, "Which?", 2},
		"with options":          {[]string{notice(`{"prompt":"Which?","choices":["Red","Blue","<b>"]}`), finished}, "&lt;b&gt;", 3},
		"many options":          {[]string{notice(`{"prompt":"Which?","choices":["1","2","3","4","5","6","7"]}`), finished}, "Which?", 0},
		"options that are none": {[]string{notice(`{"prompt":"Which?","choices":[1,null]}`), finished}, "Which?", 0},
		"an outcome":            {[]string{paused(`[{"id":"i","reason":"input_required","message":"What is your name?"}]`)}, "What is your name?", 0},
		"options in metadata":   {[]string{paused(`[{"id":"i","reason":"input_required","message":"Which?","metadata":{"options":["Red","Blue"]}}]`)}, "Which?", 2},
		"a schema of options":   {[]string{paused(`[{"id":"i","reason":"input_required","message":"Which?","responseSchema":{"enum":["Red","Blue"]}}]`)}, "Which?", 2},
		"both":                  {[]string{notice(`"What is your name?"`), paused(`[{"id":"i","reason":"langgraph:interrupt","message":"What is your name?","metadata":{"langgraph":{"raw":"What is your name?"}}}]`)}, "What is your name?", 0},

		"approval by its reason": {[]string{paused(`[{"id":"i","reason":"confirmation","message":"The order?"}]`)}, "", 0},
		"approval by its words":  {[]string{notice(`"Do you approve the order?"`), finished}, "", 0},
		"approval of a call":     {[]string{call("k"), paused(`[{"id":"i","reason":"tool_call","message":"Pay 1?","toolCallId":"k"}]`)}, "", 0},
		"approval of facts":      {[]string{notice(`{"message":"Book it?","site":"North Pines"}`), finished}, "", 0},
		"approval by its kind":   {[]string{notice(`{"message":"Book it?","kind":"refund_approval"}`), finished}, "", 0},
		"no words":               {[]string{paused(`[{"id":"i","reason":"x"}]`)}, "", 0},
	} {
		t.Run(name, func(t *testing.T) {
			w := watchDemo(t, demos.LangGraph().Complete())
			w.play(chain(ask(m1, "please", "r1"), events("r1", `{"type":"RUN_STARTED","threadId":"t","runId":"r1"}`),
				events("r1", strings.Split(strings.Join(c.events, "\n"), "\n")...), []step{end("r1", agentclient.OutcomeFinished)}))
			html := drawn(components.ItemView(components.Item{Key: "p", Approval: ptr(w.approval())}))
			if approves := strings.Contains(html, "Approv"); approves != (c.shows == "") {
				t.Errorf("says Approve: %v\n%s", approves, html)
			}
			if !strings.Contains(html, c.shows) || strings.Count(html, `data-testid="choose"`) != c.choices {
				t.Errorf("not %q and %d choices in\n%s", c.shows, c.choices, html)
			}
			if box := strings.Contains(html, `name="q0-f0"`); c.shows != "" && box != (c.choices == 0) {
				t.Errorf("a box: %v\n%s", box, html)
			}
			if w.approval().Phase != "pending" {
				t.Errorf("%+v", w.approval())
			}
		})
	}
}

// TestAnAnswerInWords is shown as what it is, and so is that there was none.
func TestAnAnswerInWords(t *testing.T) {
	for _, c := range []struct {
		verdict     agentclient.Verdict
		title, says string
	}{
		{agentclient.Verdict{Approved: true, Answer: []byte(`"Ada"`)}, "Answered", "Answered: your answer “Ada”."},
		{agentclient.Verdict{}, "Not answered", "You did not answer."},
	} {
		w := watchDemo(t, demos.LangGraph().Complete())
		w.play(chain(ask(m1, "please", "r1"), events("r1", `{"type":"RUN_STARTED","threadId":"t","runId":"r1"}`, notice(`"What is your name?"`),
			`{"type":"RUN_FINISHED","threadId":"t","runId":"r1"}`), []step{end("r1", agentclient.OutcomeFinished)}))
		each := []agentclient.Verdict{c.verdict}
		w.play(chain([]step{
			{threadlog.KindClaim, "r2", agentclient.ClaimData{Generation: 1, Approved: c.verdict.Approved, Resume: w.thread.Answer(w.thread.Open(), each), Each: each}},
			{threadlog.KindRun, "r2", agentclient.RunData{Reason: agentclient.ReasonDecision}},
		}, answer("r2", "Hello.")))
		html := drawn(components.ItemView(components.Item{Key: "p", Approval: ptr(w.approval())}))
		if card := w.approval(); card.Title != c.title || !strings.Contains(html, c.says) || strings.Contains(strings.ReplaceAll(html, `data-phase="approved"`, ""), "pprove") {
			t.Errorf("%+v\n%s", card, html)
		}
	}
}
