package view

import (
	"fmt"
	"log/slog"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"cairn/agentclient"
	"cairn/components"
	"cairn/demos"
	"cairn/internal/threadlog"
)

const (
	recordings = "../../testdata/transcripts"
	older      = "../../agentclient/testdata/transcripts"
)

// watchDemo is a view of a thread of the demo, fed by hand.
func watchDemo(t *testing.T, d demos.Demo) *watched {
	h := NewHub(Config{Demos: []demos.Demo{d}, URLs: watch(t).hub.urls, Logger: slog.New(slog.DiscardHandler)})
	t.Cleanup(h.Close)
	return &watched{fedByHand(h, "7e5f1a9e-3b1c-4e0e-9a55-0d6a3c1f2b10", d), t}
}

// play folds steps and looks at the panel after each: nothing that it shows is lost
// while the run goes on.
func (w *watched) play(steps []step) {
	w.t.Helper()
	shown := w.panelRows()
	for i, s := range steps {
		w.row(s.kind, s.run, s.body)
		now := w.panelRows()
		if w.thread.Run.Open && now < shown {
			w.t.Fatalf("row %d: the panel shows %d values after %d", i, now, shown)
		}
		shown = now
	}
}

func (w *watched) panelRows() int {
	html := drawn(components.PanelView(w.panel.View()))
	return strings.Count(html, `class="fact"`) + strings.Count(html, `data-testid="slot"`)
}

// recorded is one run as it was recorded; the end is what its last frame says.
func recorded(t *testing.T, dir, name, run string) []step {
	t.Helper()
	file, err := filepath.Rel(captures, filepath.Join(dir, name))
	if err != nil {
		t.Fatal(err)
	}
	steps := captured(t, file, run)
	how := agentclient.OutcomeTruncated
	if n := len(steps); n > 0 {
		if last := fmt.Sprintf("%s", steps[n-1].body); strings.Contains(last, `"RUN_FINISHED"`) || strings.Contains(last, `"RUN_ERROR"`) {
			how = agentclient.OutcomeFinished
		}
	}
	return append(steps, end(run, how))
}

// approval is the last question as its card shows it.
func (w *watched) approval() components.ApprovalCard {
	w.t.Helper()
	all := w.thread.Approvals()
	if len(all) == 0 {
		w.t.Fatal("no question")
	}
	return w.approvalCard(all[len(all)-1])
}

var (
	meetingRows = []components.Field{{Label: "Topic", Value: "Q3 roadmap review"}, {Label: "Slot", Value: "Tuesday 10:00"}}
	expenseRows = []components.Field{{Label: "Amount", Value: "$220.00"}, {Label: "Vendor", Value: "Blue Finch Bistro"}, {Label: "Category", Value: "meals"}, {Label: "Memo", Value: "Team dinner, 6 attendees"}}
	refundRows  = []components.Field{{Label: "Amount", Value: "$47.50"}, {Label: "Customer", Value: "cus_a8x2k"}, {Label: "Reason", Value: "Duplicate charge"}}
)

// TestEveryRecordingIsAPage: whatever was recorded of a runtime folds in its demo, and
// a pause is a question that can be answered, with its values.
func TestEveryRecordingIsAPage(t *testing.T) {
	for _, c := range []struct {
		dir    string
		demo   demos.Demo
		pauses int // at least
		rows   []components.Field
	}{
		{recordings + "/strands", demos.Strands(), 5, meetingRows},
		{recordings + "/maf", demos.AgentFramework(), 5, expenseRows},
		{recordings + "/langgraph", demos.LangGraph(), 6, refundRows},
		{recordings + "/langgraph-native", demos.LangGraph(), 6, refundRows},
		{older + "/strands", demos.Strands(), 15, nil},
		{older + "/langgraph", demos.LangGraph(), 4, nil},
		{older + "/strands-extra", demos.Strands(), 2, nil},
		{older + "/strands-responses-api", demos.Strands(), 3, nil},
		{older + "/langgraph-extra", demos.LangGraph(), 1, nil},
	} {
		t.Run(c.dir, func(t *testing.T) {
			files, err := filepath.Glob(filepath.Join(c.dir, "*.sse"))
			if err != nil || len(files) == 0 {
				t.Fatal("no recordings", err)
			}
			pauses := 0
			for _, file := range files {
				name := strings.TrimSuffix(filepath.Base(file), ".sse")
				w := watchDemo(t, c.demo)
				w.play(chain(ask(m1, "please", "r1"), recorded(t, c.dir, name, "r1")))
				page := newDOM(t, w.all())
				if page.Find("panel") == nil {
					t.Errorf("%s: no panel", name)
				}
				if w.thread.Open() == nil {
					continue
				}
				pauses++
				card := w.approval()
				if card.Phase != "pending" {
					t.Errorf("%s: the question is %s", name, card.Phase)
				}
				for _, p := range w.thread.Open().Pending {
					if rows := c.demo.Approval(p).Rows; c.rows != nil && !slices.Equal(rows, c.rows) {
						t.Errorf("%s asks %v", name, rows)
					}
				}
			}
			if pauses < c.pauses {
				t.Errorf("%d pauses, at least %d were recorded", pauses, c.pauses)
			}
		})
	}
}

// TestRecordedDecisions: what came of a decision is said from what its run left, and
// the panel agrees.
func TestRecordedDecisions(t *testing.T) {
	for _, c := range []struct {
		name          string
		demo          demos.Demo
		dir           string
		pause, resume string
		approved      bool
		says          string
		panel         string // a mark of the panel after it
	}{
		{"approved", demos.Strands(), recordings + "/strands", "06-interrupts-ask", "07-interrupts-approve", true, "Booked. Q3 roadmap review, Tuesday 10:00.", "booked"},
		{"declined", demos.Strands(), recordings + "/strands", "09-interrupts-ask-to-decline", "10-interrupts-decline", false, "Declined. Nothing was booked.", "declined"},
		{"approved after a wrong id", demos.Strands(), recordings + "/strands", "11-interrupts-ask-then-wrong-id", "13-interrupts-approve-after-wrong-id", true, "Booked. Q3 roadmap review, Tuesday 10:00.", "booked"},
		{"approved after no answer", demos.Strands(), recordings + "/strands", "14-interrupts-ask-then-no-answer", "16-interrupts-approve-after-missing-resume", true, "Booked. Q3 roadmap review, Tuesday 10:00.", "booked"},
		{"approved after a message", demos.Strands(), recordings + "/strands", "17-interrupts-ask-then-a-message", "19-interrupts-approve-after-plain-message", true, "Booked. Q3 roadmap review, Tuesday 10:00.", "booked"},
		{"a silent success", demos.Strands(), recordings + "/strands", "06-interrupts-ask", "08-interrupts-repeated-answer", true, "You approved, but the agent's answer does not confirm a booking.", "pending"},
		// the state of this bridge says pending for good
		{"approved, older", demos.Strands(), older + "/strands", "06-interrupt", "07-resume-approve", true, "Booked. Quarterly review, Tue 10:00.", "booked"},
		{"declined, older", demos.Strands(), older + "/strands", "09-interrupt", "10-resume-decline-resolved-false", false, "Declined. Nothing was booked.", ""},

		{"approved", demos.AgentFramework(), recordings + "/maf", "05-interrupts-ask", "06-interrupts-approve", true, "Recorded. $220.00 to Blue Finch Bistro is queued for reimbursement.", "recorded"},
		{"declined", demos.AgentFramework(), recordings + "/maf", "08-interrupts-ask-to-decline", "09-interrupts-decline", false, "Declined. Nothing was submitted.", "declined"},
		{"approved after a wrong id", demos.AgentFramework(), recordings + "/maf", "10-interrupts-ask-then-wrong-id", "12-interrupts-approve-after-wrong-id", true, "Recorded. $220.00 to Blue Finch Bistro is queued for reimbursement.", "recorded"},
		{"approved after no answer", demos.AgentFramework(), recordings + "/maf", "13-interrupts-ask-then-no-answer", "15-interrupts-approve-after-missing-resume", true, "Recorded. $220.00 to Blue Finch Bistro is queued for reimbursement.", "recorded"},
		{"approved after a message", demos.AgentFramework(), recordings + "/maf", "16-interrupts-ask-then-a-message", "18-interrupts-approve-after-plain-message", true, "Recorded. $220.00 to Blue Finch Bistro is queued for reimbursement.", "recorded"},
		{"the stored result again", demos.AgentFramework(), recordings + "/maf", "05-interrupts-ask", "07-interrupts-repeated-answer", true, "Recorded. $220.00 to Blue Finch Bistro is queued for reimbursement.", "recorded"},
		{"another one's result", demos.AgentFramework(), recordings + "/maf", "08-interrupts-ask-to-decline", "06-interrupts-approve", true, "You approved, but the agent's answer does not confirm that the expense was recorded.", ""},

		{"approved", demos.LangGraph(), recordings + "/langgraph", "05-interrupts-ask", "06-interrupts-approve", true, "Refunded. $47.50 to cus_a8x2k, refund re_demo__a8x2k.", "issued"},
		{"declined", demos.LangGraph(), recordings + "/langgraph", "08-interrupts-ask-to-decline", "09-interrupts-decline", false, "Declined. Nothing was refunded.", "cancelled"},
		{"approved after no answer", demos.LangGraph(), recordings + "/langgraph", "13-interrupts-ask-then-no-answer", "15-interrupts-approve-after-missing-resume", true, "Refunded. $47.50 to cus_a8x2k, refund re_demo__a8x2k.", "issued"},
		{"asked again", demos.LangGraph(), recordings + "/langgraph", "16-interrupts-ask-then-a-message", "17-interrupts-plain-message", true, "You approved, but the agent's state does not confirm a refund.", "drafted"},

		{"approved", demos.LangGraph(), recordings + "/langgraph-native", "05-interrupts-ask", "06-interrupts-approve", true, "Refunded. $47.50 to cus_a8x2k, refund re_demo__a8x2k.", "issued"},
		{"declined", demos.LangGraph(), recordings + "/langgraph-native", "08-interrupts-ask-to-decline", "09-interrupts-decline", false, "Declined. Nothing was refunded.", "cancelled"},
		{"approved after a message", demos.LangGraph(), recordings + "/langgraph-native", "16-interrupts-ask-then-a-message", "18-interrupts-approve-after-plain-message", true, "Refunded. $47.50 to cus_a8x2k, refund re_demo__a8x2k.", "issued"},
		{"asked again", demos.LangGraph(), recordings + "/langgraph-native", "13-interrupts-ask-then-no-answer", "14-interrupts-missing-resume", true, "You approved, but the agent's state does not confirm a refund.", "drafted"},
	} {
		t.Run(c.dir+" "+c.name, func(t *testing.T) {
			w := watchDemo(t, c.demo)
			w.play(chain(ask(m1, "please", "r1"), recorded(t, c.dir, c.pause, "r1")))
			a := w.thread.Open()
			if a == nil {
				t.Fatal("nothing is asked")
			}
			claim := agentclient.ClaimData{Generation: a.Generation, Approved: c.approved, Resume: agentclient.Answer(a.Pending, c.approved)}
			w.play([]step{{threadlog.KindClaim, "r2", claim}, {threadlog.KindRun, "r2", agentclient.RunData{Reason: agentclient.ReasonDecision}}})
			if card := w.approvalCard(a); card.Outcome != "" {
				t.Errorf("before its run: %q", card.Outcome)
			}
			w.play(recorded(t, c.dir, c.resume, "r2"))
			if card := w.approvalCard(a); card.Outcome != c.says {
				t.Errorf("says %q, want %q", card.Outcome, c.says)
			}
			panel := drawn(components.PanelView(w.panel.View()))
			if c.panel != "" && !strings.Contains(panel, "</span> "+c.panel+"</span>") || c.panel == "" && strings.Contains(panel, `class="state-mark"`) {
				t.Errorf("panel, want %q: %s", c.panel, panel)
			}
		})
	}
}

// TestProseProvesNothing: an agent that only says that it is done.
func TestProseProvesNothing(t *testing.T) {
	for _, c := range []struct {
		demo       demos.Demo
		dir, pause string
		prose      string
	}{
		{demos.Strands(), recordings + "/strands", "06-interrupts-ask", "Meeting booked for Tuesday 10:00: Q3 roadmap review"},
		{demos.AgentFramework(), recordings + "/maf", "05-interrupts-ask", "Expense recorded: $220.00 to Blue Finch Bistro (meals), queued for reimbursement."},
		{demos.LangGraph(), recordings + "/langgraph-native", "05-interrupts-ask", "Refund of $47.50 issued to cus_a8x2k. Refund ID: re_demo__a8x2k"},
	} {
		for _, approved := range []bool{true, false} {
			w := watchDemo(t, c.demo)
			w.play(chain(ask(m1, "please", "r1"), recorded(t, c.dir, c.pause, "r1"), decide("r2", approved)))
			w.play(chain(events("r2", `{"type":"RUN_STARTED","threadId":"t","runId":"r2"}`,
				fmt.Sprintf(`{"type":"TEXT_MESSAGE_CHUNK","messageId":"said","role":"assistant","delta":%q}`, c.prose),
				fmt.Sprintf(`{"type":"TOOL_CALL_RESULT","messageId":"other","toolCallId":"another-call","content":%q}`, c.prose),
				`{"type":"RUN_FINISHED","threadId":"t","runId":"r2"}`), []step{end("r2", agentclient.OutcomeFinished)}))
			want := map[bool]string{true: "does not confirm", false: "not say"}[approved]
			if card := w.approval(); !strings.Contains(card.Outcome, want) {
				t.Errorf("%s, approved %t: %q", c.demo.Slug, approved, card.Outcome)
			}
			if panel := drawn(components.PanelView(w.panel.View())); strings.Contains(panel, `data-tone="done"`) || strings.Contains(panel, `data-tone="off"`) {
				t.Errorf("%s, approved %t: the panel claims it: %s", c.demo.Slug, approved, panel)
			}
		}
	}
}
