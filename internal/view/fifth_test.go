package view

import (
	"os"
	"strings"
	"testing"

	"cairn/agentclient"
	"cairn/agentclient/interrupt"
	"cairn/components"
	"cairn/demos"
	"cairn/internal/threadlog"
)

func fifth() demos.Demo {
	return demos.Demo{
		Slug:    "rooms",
		Name:    "Room booking",
		Runtime: "ours",
		Agent:   "the porter",
		Heading: "Which room?",
		Lead:    "Finds a room and asks before it books.",
		Suggestions: []components.Suggestion{
			{Label: "Book the review", Description: "On Tuesday, with your approval", Text: "Book the Q3 roadmap review on Tuesday"},
		},
		Transport: interrupt.TransportAuto,
		Profile: interrupt.Profile{
			ToolName: []string{"native.reason"},
			Payload:  []string{"native.metadata.reason"},
		},
		Code: []demos.CodeFile{{Path: "demos/rooms.go", Note: "this demo"}},
	}
}

// TestAFifthDemo does what docs/add-a-demo.md says, with nothing but that: its
// questions show their members, its state is a tree, and no outcome is claimed.
func TestAFifthDemo(t *testing.T) {
	w := watchDemo(t, fifth().Complete())
	w.row(threadlog.KindUser, "", agentclient.UserData{ID: "m", Text: "Book the review"})
	w.row(threadlog.KindRun, "r1", agentclient.RunData{Reason: agentclient.ReasonMessage})
	w.play(recorded(t, recordings, "strands/06-interrupts-ask", "r1"))
	card := w.approval()
	want := []components.Field{{Label: "Topic", Value: "Q3 roadmap review"}, {Label: "Slot", Value: "Tuesday 10:00"}}
	if card.Phase != "pending" || len(card.Requests) != 1 || len(card.Requests[0].Rows) != 2 || card.Requests[0].Rows[0] != want[0] || card.Requests[0].Rows[1] != want[1] {
		t.Errorf("card %+v", card)
	}
	panel := drawn(components.PanelView(w.panel.View()))
	for _, part := range []string{"availability", "Tuesday", "booking", "pending"} {
		if !strings.Contains(panel, part) {
			t.Errorf("the panel lacks %q: %s", part, panel)
		}
	}
	open := w.thread.Open()
	w.row(threadlog.KindClaim, "r2", agentclient.ClaimData{Generation: open.Generation, Approved: true, Resume: agentclient.Answer(open.Pending, true)})
	w.row(threadlog.KindRun, "r2", agentclient.RunData{Reason: agentclient.ReasonDecision})
	w.play(recorded(t, recordings, "strands/07-interrupts-approve", "r2"))
	if card := w.approval(); card.Phase != "approved" || !strings.Contains(card.Outcome, "did not confirm") {
		t.Errorf("outcome %+v", card)
	}
}

// TestTheDocumentShowsTheFifthDemo: the page's code is the code that is tested.
func TestTheDocumentShowsTheFifthDemo(t *testing.T) {
	own, err := os.ReadFile("fifth_test.go")
	if err != nil {
		t.Fatal(err)
	}
	_, after, _ := strings.Cut(string(own), "func fifth() demos.Demo {")
	body, _, _ := strings.Cut(after, "\n}\n")
	page, err := os.ReadFile("../../docs/add-a-demo.md")
	if err != nil {
		t.Fatal(err)
	}
	inside := strings.NewReplacer("demos.Demo", "Demo", "demos.CodeFile", "CodeFile").Replace(body)
	if !strings.Contains(string(page), inside) {
		t.Errorf("docs/add-a-demo.md does not show%s", inside)
	}
}

// TestOneChatForAllDemos: what an agent said looks the same in every demo.
func TestOneChatForAllDemos(t *testing.T) {
	for _, run := range []string{"mastra/01-messages-prompt-1", "strands/01-messages-prompt-1", "maf/01-messages-prompt-1", "langgraph/01-messages-prompt-1", "mastra/26-concurrency-first-run"} {
		var first string
		for i, d := range demos.All() {
			w := watchDemo(t, d)
			w.row(threadlog.KindUser, "", agentclient.UserData{ID: "m", Text: "hello"})
			w.row(threadlog.KindRun, "r1", agentclient.RunData{Reason: agentclient.ReasonMessage})
			w.play(recorded(t, recordings, run, "r1"))
			html := drawn(components.ChatItems(components.Chat{Items: w.now().Chat.Items}))
			if i == 0 {
				first = html
			} else if html != first {
				t.Errorf("%s in %s:\n%s\nin the first demo:\n%s", run, d.Slug, html, first)
			}
		}
		if !strings.Contains(first, `data-role="assistant"`) {
			t.Errorf("%s shows no answer: %s", run, first)
		}
	}
}
